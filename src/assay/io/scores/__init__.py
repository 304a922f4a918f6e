"""Score files from other metrics, and tables of precomputed scores."""
