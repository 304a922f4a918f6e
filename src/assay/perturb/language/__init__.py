"""Linguistic knowledge of the perturbations: parses, word lists, numbers and names."""
