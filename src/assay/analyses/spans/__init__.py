"""Evaluation of error spans: against gold spans, between annotators, with scores and confidence, on localized errors."""
