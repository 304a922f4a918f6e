"""The Python door: the same calls the command line makes, one file a job. Everything here is loaded on first use."""
