"""`assay.verbs.decide`, under its old name."""

from assay.verbs.decide import fit_rule as fit_rule
