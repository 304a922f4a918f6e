"""Creation of challenge sets: the corpus, the selection of perturbations, the items and the data card."""
