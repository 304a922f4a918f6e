"""The tables of DEMETR (Karpinska et al. 2022)."""
