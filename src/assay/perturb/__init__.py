"""Registry of perturbations; each one is a line in `data/perturbations.tsv`."""

from assay.core.registry import Registry
from assay.data import rows

ROWS = {row["name"]: row for row in rows("perturbations.tsv")}
"""The rows of the table by name: DEMETR's 35 perturbations in the paper's order, then the 68 phenomena of ACES, then others."""

PERTURBATIONS = Registry("perturbation", {name: f"assay.perturb.{row['class']}" for name, row in ROWS.items()})
