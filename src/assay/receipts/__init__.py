"""Receipts: comparisons of published numbers with recomputed ones."""
