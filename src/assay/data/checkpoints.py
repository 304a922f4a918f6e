"""Published checkpoints: the typed entries of ``checkpoints.toml``, parsed when a name is first looked up."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, Literal

from assay.core.metric import Needs
from assay.core.schema import Place, typed
from assay.data import model_languages

Family = Literal["comet", "bleurt", "matese", "metricx", "encoder-decoder", "encoder"]


@dataclass(frozen=True, slots=True)
class Paper:
    """A paper in the form in which cards cite it, with its keys in ``citations.json``."""

    text: str
    cite: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class PublishedCheckpoint:
    """One published checkpoint; ``checkpoints.toml`` explains every key."""

    family: Family
    name: str = ""
    label: str = ""
    needs: Needs = "reference"
    meaning: str = ""
    range: str = ".."
    higher_is_better: bool = True
    decimals: int = 4
    languages: str = "any"
    licence: str = ""
    paper: str = ""
    trained_on: tuple[str, ...] = ()
    repository: str = ""
    gigabytes: float | None = None
    gated: bool = False
    files: tuple[str, ...] = ()
    tokenizer: str = ""
    archive: str = ""
    port: str = ""
    by_hand: str = ""
    get: str = ""
    weights: str = ""
    sha256: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_metric(self) -> bool:
        """Whether the name is a metric; other checkpoints are components of metrics."""
        return self.label != ""

    @property
    def has_address(self) -> bool:
        """Whether assay can download it."""
        return bool(self.repository or self.archive)

    @property
    def bounds(self) -> tuple[float | None, float | None]:
        """The lower and upper bound of the scores."""
        low, _, high = self.range.partition("..")
        return float(low) if low else None, float(high) if high else None

    @property
    def citation(self) -> Paper:
        """Paper to cite; empty if the entry has no paper."""
        return _table().papers[self.paper] if self.paper else Paper("", ())


@dataclass(frozen=True, slots=True)
class _Table:
    papers: dict[str, Paper]
    training_data: dict[str, tuple[str, ...]]
    families: dict[str, Any]
    checkpoints: dict[str, Any]


@functools.cache
def _table() -> _Table:
    import tomllib

    text = (files("assay") / "data" / "checkpoints.toml").read_text(encoding="utf-8")
    return typed(_Table, tomllib.loads(text), Place("checkpoints.toml"))


@functools.cache
def checkpoints() -> Mapping[str, PublishedCheckpoint]:
    """Return all published checkpoints by name."""
    table = _table()
    return {name: _checkpoint(table, name, entry) for name, entry in table.checkpoints.items()}


def _checkpoint(table: _Table, name: str, entry: dict[str, Any]) -> PublishedCheckpoint:
    values = table.families.get(entry.get("family", ""), {}) | entry | {"name": name}
    data = values.get("trained_on", [])
    if isinstance(data, str):
        values["trained_on"] = table.training_data.get(data, data)
    return typed(PublishedCheckpoint, values, Place("checkpoints.toml", f"checkpoints.{name}"))


def of_family(*families: Family) -> dict[str, PublishedCheckpoint]:
    """Return the checkpoints in these families that assay can download, by name."""
    return {name: one for name, one in checkpoints().items() if one.family in families and one.has_address}


def languages_of(checkpoint: PublishedCheckpoint) -> tuple[str, ...]:
    """Return the languages that a checkpoint was trained on."""
    return model_languages().get(checkpoint.languages) or tuple(checkpoint.languages.split())
