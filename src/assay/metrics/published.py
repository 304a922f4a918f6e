"""Metrics for published checkpoints: one class per entry in ``checkpoints.toml``, each a subclass of its metric family."""

from __future__ import annotations

import functools
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import MissingPart
from assay.core.metric import Card
from assay.core.weights import WeightsNeeded
from assay.data.checkpoints import PublishedCheckpoint, checkpoints, languages_of

if TYPE_CHECKING:
    from collections.abc import Callable

    from assay.metrics.neural import NeuralMetric

MODULES = {
    "comet": "assay.metrics.comet",
    "bleurt": "assay.metrics.bleurt",
    "matese": "assay.metrics.matese",
    "metricx": "assay.metrics.metricx",
}
"""Module of each metric family."""
FIND = "assay.models.files.published:find_published"


def targets() -> dict[str, str]:
    """Return the registry entries: the name of each metric and the location of its class."""
    return {name: f"{MODULES[one.family]}:{name}" for name, one in checkpoints().items() if one.is_metric}


def members(family: str, base: Callable[[], type[NeuralMetric]]) -> Callable[[str], type[NeuralMetric]]:
    """Return the ``__getattr__`` for a family's module; it returns the class for a published checkpoint."""

    @functools.cache
    def member(name: str) -> type[NeuralMetric]:
        one = None if name.startswith("_") else checkpoints().get(name)
        if one is None or one.family != family:
            raise AttributeError(f"module {MODULES[family]!r} has no attribute {name!r}")
        attributes = {
            "card": card_of(one),
            "published": (one.weights or name) if one.weights or one.by_hand or one.has_address else None,
            "__module__": MODULES[family],
            "__doc__": one.meaning,
        }
        return type(name, (base(),), attributes)

    return member


def card_of(one: PublishedCheckpoint) -> Card:
    """Return the card of a published checkpoint."""
    return Card(
        name=one.name,
        label=one.label,
        needs=one.needs,
        higher_is_better=one.higher_is_better,
        range=one.bounds,
        meaning=one.meaning,
        languages=languages_of(one),
        licence=one.licence,
        citation=one.citation.text,
        trained_on=one.trained_on,
        extra="neural",
        decimals=one.decimals,
        kind="learned",
        weights=_weights(one),
    )


def _weights(one: PublishedCheckpoint) -> WeightsNeeded:
    if one.weights or one.has_address:
        return weights_of(one.weights or one.name)
    return WeightsNeeded(None, one.get or f"download {one.by_hand}, unpack, {one.name}:path=FOLDER")


def weights_of(name: str) -> WeightsNeeded:
    """Return the weights of a published checkpoint: their size, how to download them, and how to find a local copy."""
    return WeightsNeeded(checkpoints()[name].gigabytes, f"assay fetch {name}", FIND, name)


def folder_of(path: str | None, published: str | None, name: str) -> Path:
    """Return the given folder, or a local copy of the published checkpoint."""
    if path is not None:
        return Path(path).expanduser()
    if published is None:
        raise MissingPart(f"{name} has no published weights. Specify a local folder with -m {name}:path=FOLDER.")
    from assay.models.files.published import find_published

    return find_published(published)
