"""Score files of other metrics, and tables of precomputed scores."""
