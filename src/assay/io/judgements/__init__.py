"""Readers for translation judgements: scores, error spans, outcomes, decisions and language model answers."""
