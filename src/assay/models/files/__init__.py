"""Checkpoint files: location, download, hashing and reading."""
