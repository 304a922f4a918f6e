"""Formats: reading texts, tables and score files, and writing safely. One file a format."""
