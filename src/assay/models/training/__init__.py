"""Training of metrics: records, guards, the training loop, and the curriculum of xCOMET.

The curriculum follows Guerreiro et al. 2023, sections 4.3 and 4.4.
"""
