"""Registries of everything that has a name: metrics, suites, analyses, perturbations, tasks and translators."""

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
"""Every kind of thing that has a name, and where its names are kept."""


def names(kind: str) -> list[str]:
    """The names of a kind (``metrics``, ``suites`` …), those of installed packages among them; nothing is loaded."""
    return registry(kind).names()


def registry(kind: str) -> Registry:
    """Return the registry of a kind."""
    module, _, attribute = REGISTRIES[kind].partition(":")
    found: Registry = getattr(importlib.import_module(module), attribute)
    return found


def card_citation(name: str) -> str:
    """What the card of a metric or a suite says to cite; nothing for other things."""
    for kind in ("metrics", "suites"):
        if name in names(kind):
            return str(registry(kind).resolve(name).card.citation)
    return ""
