"""`assay.verbs.make`, under its old name."""

from assay.verbs.make import make as make
