"""Perturbations by name: one file per perturbation or family, one line each in `data/perturbations.tsv`."""

from assay.core.registry import Registry
from assay.data import rows

ROWS = {row["name"]: row for row in rows("perturbations.tsv")}
"""What the table says of each: DEMETR's 35 first, in the paper's order, then the 68 phenomena of ACES, then others."""

PERTURBATIONS = Registry("perturbation", {name: f"assay.perturb.{row['class']}" for name, row in ROWS.items()})
