"""Scores that were computed elsewhere."""
