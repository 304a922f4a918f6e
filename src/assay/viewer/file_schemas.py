"""What the files of a run directory must look like, so that one which was damaged by hand or by a disk is told by its first wrong
place, and the page shows the rest. Keys that are not named here are passed over: a later version may have written them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from assay.core.schema import Count


@dataclass(frozen=True)
class MetricFacts:
    """How scores of a metric are shown."""

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
    """See `assay.core.table.Pivot`."""

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
    """view.json."""

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
    """tables.json."""

    tables: dict[str, tuple[Mapping[str, Any], ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ManifestFile:
    """manifest.json, as far as the page reads it."""

    command: str = ""
    version: str | None = None
    started: str | None = None
    finished: str | None = None
    signatures: dict[str, str] | None = None
