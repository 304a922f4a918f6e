"""Schemas of the files in a run directory, used to report the first fault of a damaged file and show the rest.

Unknown keys are ignored, because a later version of assay may have written them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.core.schema import Count


@dataclass(frozen=True)
class MetricFacts:
    """Label and format of a metric's scores."""

    label: str
    decimals: Count
    higher_is_better: bool = True


@dataclass(frozen=True)
class ShownColumn:
    """A column of a table; see `assay.core.table.TableColumn`."""

    key: str
    label: str = ""
    kind: str = "text"
    decimals: Count = 1
    interval: tuple[str, str] | None = None
    mark: str | None = None
    hidden: bool = False
    digits: str | None = None


@dataclass(frozen=True)
class ShownPivot:
    """The wide layout of a table; see `assay.core.table.Pivot`."""

    index: str
    columns: str
    value: str


@dataclass(frozen=True)
class ShownTable:
    """A table without its rows."""

    name: str
    caption: str = ""
    reading: str = ""
    notes: tuple[str, ...] = ()
    columns: tuple[ShownColumn, ...] = ()
    pivot: ShownPivot | None = None


@dataclass(frozen=True)
class ViewFile:
    """Content of view.json."""

    format: int = 1
    title: str = ""
    lead: str = ""
    kind: str = ""
    rows: Count = 0
    columns: tuple[str, ...] = ()
    systems: tuple[str, ...] = ()
    scores: tuple[str, ...] = ()
    spans: tuple[str, ...] = ()
    types: dict[str, str] = field(default_factory=dict)
    metrics: dict[str, MetricFacts] = field(default_factory=dict)
    tables: tuple[ShownTable, ...] = ()


@dataclass(frozen=True)
class TablesFile:
    """Content of tables.json."""

    tables: dict[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ManifestFile:
    """The parts of manifest.json that the page reads."""

    command: str = ""
    version: str | None = None
    started: str | None = None
    finished: str | None = None
    signatures: dict[str, str] | None = None
