"""Run directory data for `assay view`: rows, column types, and file names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.core.metric import Card
from assay.core.rows import SPAN
from assay.core.screens import Deciding, People

RowKind = Literal["segments", "items"]
"""A row is a translation with its scores, or a pair of a good and an incorrect translation."""
FORMAT = 2
"""Version of view.json; 2 added `people` and `deciding`. Older versions are read completely, later ones in part."""
ABOUT, ROWS = "view.json", "rows.jsonl.gz"
"""Files of a finished run directory: the description of rows and tables, and the rows."""
PROGRESS, LIVE = "progress.json", "rows.live.jsonl"
"""Files of an unfinished run directory: the progress, and some of the finished rows. They are deleted when the run is complete."""
TEXTS = ("src", "mt", "ref", "good", "incorrect")
"""Columns that hold texts (``ref2`` … are further references)."""


@dataclass(frozen=True, slots=True)
class ViewData:
    """Rows of a run, with texts, labels and scores.

    A segment has ``system``, ``segment``, ``id``, ``doc``, ``langpair``, ``src``, ``mt``, ``ref`` (``ref2`` …), one number per
    metric, ``flags`` and ``spans``. An item has ``id``, ``phenomenon``, ``category``, ``severity``, ``langpair``, ``src``,
    ``ref``, ``good``, ``incorrect`` and two numbers per metric (``chrf good``, ``chrf incorrect``). Unknown columns are left out.
    Spans are lists by metric (`assay.core.rows.SPAN`).
    """

    kind: RowKind
    metrics: Mapping[str, Card]
    rows: Iterable[Mapping[str, Any]]
    people: People | None = None
    deciding: Deciding | None = None


@dataclass
class ColumnTypes:
    """Column types, collected row by row. A reader that knows the types reads a run five times as fast.

    A column is ``text``, ``integer``, ``number``, ``truth``, ``texts`` (a list of texts) or ``spans`` if all its values are of
    that type or null. Any other column has no type.
    """

    _seen: dict[str, set[str]] = field(default_factory=dict)

    def note(self, row: Mapping[str, Any]) -> None:
        """Add the types of a row."""
        for name, value in row.items():
            kind = _KINDS.get(type(value)) or _nested_type(value)
            if kind:
                self._seen.setdefault(name, set()).add(kind)

    def named(self) -> dict[str, str]:
        """Return the type of every column that has a single type."""
        types = {
            name: "number" if kinds == {"integer", "number"} else "/".join(kinds) for name, kinds in self._seen.items()
        }
        return {name: kind for name, kind in types.items() if "/" not in kind and kind != "other"}


_KINDS = {str: "text", int: "integer", float: "number", bool: "truth"}


def _nested_type(value: Any) -> str:
    """Return the type of a list, an object or a numpy number; empty for null and empty lists, which fit several types."""
    if value is None:
        return ""
    if isinstance(value, float):  # numpy's
        return "number"
    if type(value) is dict and all(
        type(spans) is list and all(type(span) is dict and tuple(span) == SPAN for span in spans)
        for spans in value.values()
    ):
        return "spans"
    if isinstance(value, list):
        if not value:
            return ""
        if all(type(item) is str for item in value):
            return "texts"
    return "other"
