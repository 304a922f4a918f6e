"""Perturbations by name: one file a perturbation or family, one line here."""

from assay.core.registry import Registry

PERTURBATIONS = Registry("perturbation", {})
