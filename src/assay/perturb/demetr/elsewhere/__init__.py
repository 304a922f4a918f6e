"""DEMETR's rules in Russian and Japanese: what a dependency parse and word forms can say for sure, and nothing else."""
