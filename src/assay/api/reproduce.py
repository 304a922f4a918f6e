"""`assay.verbs.reproduce`, under its old name."""

from assay.verbs.reproduce import reproduce as reproduce
