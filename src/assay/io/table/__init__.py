"""Streaming reader for text tables in every supported format."""
