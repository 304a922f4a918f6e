"""Training a metric: records, guards, the three-phase curriculum of xCOMET (Guerreiro et al. 2023, sections 4.3 and 4.4)."""
