"""Readers for WMT metrics task data in mt-metrics-eval layout."""
