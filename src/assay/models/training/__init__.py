"""Metric training: records, contamination guard, the training loop, and the xCOMET curriculum.

The curriculum follows Guerreiro et al. 2023, sections 4.3 and 4.4.
"""
