"""What a run directory keeps so that people can look at its rows: the noun between the verbs and the page."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from assay.core.metric import Card
from assay.core.screens import Deciding, People

RowKind = Literal["segments", "items"]
"""A row is a translation with its scores, or a pair of a good and an incorrect one."""
FORMAT = 2
"""The version of view.json: 2 has `people` and `deciding`. A page reads what it knows of a later one, and older ones whole."""
ABOUT, ROWS = "view.json", "rows.jsonl.gz"
"""The files of a run directory: what the rows and tables are, and the rows."""
TEXTS = ("src", "mt", "ref", "good", "incorrect")
"""Columns that hold texts (``ref2`` … are further references)."""


@dataclass(frozen=True, slots=True)
class Viewed:
    """Rows with all that a person wants to see beside the scores.

    A segment has ``system``, ``segment``, ``id``, ``doc``, ``langpair``, ``src``, ``mt``, ``ref`` (``ref2`` …), a number for
    every metric, ``flags`` and ``spans``; an item has ``id``, ``phenomenon``, ``category``, ``severity``, ``langpair``, ``src``,
    ``ref``, ``good``, ``incorrect`` and two numbers for every metric (``chrf good``, ``chrf incorrect``). What is not known is
    left out. A span is ``{"metric", "start", "end", "severity", "category", "confidence"}``, counted in characters of ``mt``.
    """

    kind: RowKind
    metrics: Mapping[str, Card]
    rows: Iterable[Mapping[str, Any]]
    people: People | None = None
    deciding: Deciding | None = None
