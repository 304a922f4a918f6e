"""How far raters agree on error spans: the yardstick for span metrics (character-level F1, as in xCOMET's Table 3)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.core.errors import InputError, count
from assay.core.judged import Judgement
from assay.core.table import Table, TableColumn
from assay.stats.spans import Span, rater_agreement

Ratings = Mapping[str, Mapping[str, Sequence[Judgement | None]]]
"""Rater to system to one judgement a segment."""


def shared_cells(ratings: Ratings) -> list[tuple[str, int]]:
    """The (system, segment) cells that every rater judged."""
    first = next(iter(ratings.values()), {})
    return [
        (system, segment)
        for system, row in first.items()
        for segment in range(len(row))
        if all(system in one and one[system][segment] is not None for one in ratings.values())
    ]


def table(ratings: Ratings, outputs: Mapping[str, Sequence[str]], langpair: str = "") -> Table:
    """The table `raters`: F1 of every pair of raters on the cells that all of them judged, target side only, and the mean."""
    if len(ratings) < 2:
        raise InputError("agreement between raters needs at least two raters.")
    cells = shared_cells(ratings)
    if not cells:
        raise InputError("no translation was judged by all raters.")
    spans = {rater: [_spans(rows[system][segment]) for system, segment in cells] for rater, rows in ratings.items()}
    agreement = rater_agreement(spans, [len(outputs[system][segment]) for system, segment in cells])
    rows: list[dict[str, Any]] = [
        {"langpair": langpair, "first": a, "second": b, "f1": score.f1, "cells": len(cells)}
        for (a, b), score in agreement.pairs.items()
    ]
    values = [row["f1"] for row in rows]
    rows.append(
        {"langpair": langpair, "first": "mean", "second": "", "f1": float(np.mean(values)), "cells": len(cells)}
    )
    return Table(
        "raters",
        [
            TableColumn("langpair", "langpair"),
            TableColumn("first", "rater"),
            TableColumn("second", "rater"),
            TableColumn("f1", "F1", "number", 3),
            TableColumn("cells", "translations", "count"),
        ],
        rows,
        caption="agreement of raters on error spans, character-level F1",
        notes=[f"{count(len(agreement.pairs), 'pair')} of raters, {min(values):.3f} to {max(values):.3f}"],
    )


def joined(tables: Sequence[Table]) -> Table:
    """The language pairs' tables as one, each pair's note under its name."""
    rows = [row for table in tables for row in table.rows]
    notes = [f"{table.rows[0]['langpair']}: {note}" for table in tables for note in table.notes]
    return replace(tables[0], rows=rows, notes=notes if len(tables) > 1 else tables[0].notes)


def _spans(judgement: Judgement | None) -> list[Span]:
    assert judgement is not None
    return [(span.start, span.end, span.severity) for span in judgement.spans if span.side == "target"]
