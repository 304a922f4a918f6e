"""Perturbations for the 68 phenomena of ACES (Amrhein et al. 2022)."""
