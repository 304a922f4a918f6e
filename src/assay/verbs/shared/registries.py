"""Registries by kind: metrics, suites, analyses, perturbations, tasks and translators."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.core.registry import Registry

REGISTRIES = {
    "metrics": "assay.metrics:METRICS",
    "suites": "assay.suites:SUITES",
    "analyses": "assay.analyses:ANALYSES",
    "perturbations": "assay.perturb:PERTURBATIONS",
    "tasks": "assay.tasks:TASKS",
    "translators": "assay.tasks:TRANSLATORS",
}
"""Module and attribute of the registry of each kind."""


def names(kind: str) -> list[str]:
    """Return the names of a kind (``metrics``, ``suites`` …), including those of installed packages, without importing any."""
    return registry(kind).names()


def registry(kind: str) -> Registry:
    """Return the registry of a kind."""
    module, _, attribute = REGISTRIES[kind].partition(":")
    entries: Registry = getattr(importlib.import_module(module), attribute)
    return entries


def card_citation(name: str) -> str:
    """Return the citation on the card of a metric or a suite; empty for other kinds."""
    for kind in ("metrics", "suites"):
        if name in names(kind):
            return str(registry(kind).resolve(name).card.citation)
    return ""
