"""DEMETR's 35 perturbations (Karpinska et al. 2022)."""
