"""`assay.verbs.breakdown`, under its old name."""

from assay.verbs.breakdown import breakdown as breakdown
from assay.verbs.breakdown import run_task as run_task
