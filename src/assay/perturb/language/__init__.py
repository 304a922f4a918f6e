"""What perturbations know of languages: parses, word lists, numbers, names."""
