"""Readers of judgements of translations: scores, error spans, outcomes, decisions and answers of language models."""
