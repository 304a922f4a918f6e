"""Making sets: the corpus, the choice of perturbations, the items, the card."""
