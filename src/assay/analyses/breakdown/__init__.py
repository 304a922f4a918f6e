"""Breakdown detection tables (Moghe et al. 2023)."""
