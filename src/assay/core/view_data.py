"""What a run directory keeps so that people can look at its rows: the noun between the verbs and the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from assay.core.metric import Card
from assay.core.rows import SPAN
from assay.core.screens import Deciding, People

RowKind = Literal["segments", "items"]
"""A row is a translation with its scores, or a pair of a good and an incorrect one."""
FORMAT = 2
"""The version of view.json: 2 has `people` and `deciding`. A page reads what it knows of a later one, and older ones whole."""
ABOUT, ROWS = "view.json", "rows.jsonl.gz"
"""The files of a run directory: what the rows and tables are, and the rows."""
PROGRESS, LIVE = "progress.json", "rows.live.jsonl"
"""The same while the run is under way: how far it is, and some of the rows that are done. They go when it is through."""
TEXTS = ("src", "mt", "ref", "good", "incorrect")
"""Columns that hold texts (``ref2`` … are further references)."""


@dataclass(frozen=True, slots=True)
class ViewData:
    """Rows with all that a person wants to see beside the scores.

    A segment has ``system``, ``segment``, ``id``, ``doc``, ``langpair``, ``src``, ``mt``, ``ref`` (``ref2`` …), a number for
    every metric, ``flags`` and ``spans``; an item has ``id``, ``phenomenon``, ``category``, ``severity``, ``langpair``, ``src``,
    ``ref``, ``good``, ``incorrect`` and two numbers for every metric (``chrf good``, ``chrf incorrect``). What is not known is
    left out. Spans are lists by metric (`assay.core.rows.SPAN`).
    """

    kind: RowKind
    metrics: Mapping[str, Card]
    rows: Iterable[Mapping[str, Any]]
    people: People | None = None
    deciding: Deciding | None = None


@dataclass
class ColumnTypes:
    """What the columns hold, noted row by row: with it a reader need not guess, and reads a run five times as fast.

    A column is ``text``, ``integer``, ``number``, ``truth``, ``texts`` (a list of them) or ``spans`` where all its values are
    that or null; one of anything else, or of several, has no type.
    """

    _seen: dict[str, set[str]] = field(default_factory=dict)

    def note(self, row: Mapping[str, Any]) -> None:
        for name, value in row.items():
            kind = _KINDS.get(type(value)) or _listed(value)
            if kind:
                self._seen.setdefault(name, set()).add(kind)

    def named(self) -> dict[str, str]:
        """Column to type, of those that have one."""
        found = {
            name: "number" if kinds == {"integer", "number"} else "/".join(kinds) for name, kinds in self._seen.items()
        }
        return {name: kind for name, kind in found.items() if "/" not in kind and kind != "other"}


_KINDS = {str: "text", int: "integer", float: "number", bool: "truth"}


def _listed(value: Any) -> str:
    """The type of what is no plain value; nothing for null and for a list without items: they fit several types."""
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
