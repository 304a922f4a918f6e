"""Readers and writers of files: texts, tables, judgements, scores, model files and downloads."""
