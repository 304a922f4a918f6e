"""Linguistic resources for the perturbations: parses, word lists, numbers and names."""
