"""`assay.verbs.decide`, under its old name."""

from assay.verbs.decide import apply_rule as apply_rule
from assay.verbs.decide import apply_scores as apply_scores
