"""Decisions that people make, kept and reused."""
