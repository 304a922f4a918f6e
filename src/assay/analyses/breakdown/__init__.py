"""Tables of breakdown detection (Moghe et al. 2023)."""
