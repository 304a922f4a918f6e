"""What screens draw of many rows: right and wrong by phenomenon, how scores are spread, one metric against another."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from assay.stats.proportions import wilson
from assay.viewer.groups import groupings
from assay.viewer.people import people
from assay.viewer.rows import Asked, Rows
from assay.viewer.runs import Run, systems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BINS = 40
POINTS = 4000
"""Points of a scatter: more cannot be told apart, and cost a browser its smoothness."""


def summary(run: Run) -> dict[str, Any]:
    """All that the page shows of a run beside its rows."""
    items = run.kind == "items"
    tables, deciding = run.tables(), run.deciding
    return {
        "head": run.head(),
        "manifest": dict(run.manifest),
        "tables": tables,
        "people": people({table["name"]: table for table in tables}, run.people, run.metrics, run.verb),
        "deciding": None if deciding is None else asdict(deciding),
        "groupings": [] if items else groupings(run.rows, run.metrics),
        "phenomena": phenomena(run.rows, run.metrics) if items else None,
        "distributions": {} if items else distributions(run.rows, run.metrics),
        "problems": run.problems,
    }


def phenomena(rows: Rows, metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Strict accuracy by phenomenon and metric with Wilson's 95% interval: an item is right when good scores better than incorrect.

    An item that a metric did not score counts neither way.
    """
    import numpy as np

    names = [str(name) for name in rows.columns.get("phenomenon", ())]
    kinds = rows.columns.get("category") or [""] * len(names)
    place: dict[str, int] = {}
    for name in names:
        place.setdefault(name, len(place))
    of = np.array([place[name] for name in names], dtype=np.int64)
    counts = np.bincount(of, minlength=len(place))
    category = {name: str(kind or "") for name, kind in zip(names, kinds, strict=True)}
    cells: dict[str, list[dict[str, Any]]] = {}
    for metric, facts in metrics.items():
        good, incorrect = (_numbers(rows, f"{metric} {side}") for side in ("good", "incorrect"))
        scored = np.isfinite(good) & np.isfinite(incorrect)
        right = (good > incorrect if facts.get("higher_is_better", True) else good < incorrect) & scored
        n, k = (np.bincount(of[mask], minlength=len(place)).tolist() for mask in (scored, right))
        cells[metric] = [
            {"n": n[i], "right": k[i], "low": low, "high": high}
            for i, (low, high) in enumerate(map(_bounds, map(wilson, k, n)))
        ]
    described = [{"name": name, "category": category[name], "n": int(counts[i])} for name, i in place.items()]
    return {"phenomena": described, "cells": cells}


def _bounds(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    low, high = interval
    return (None, None) if math.isnan(low) else (low, high)


def _numbers(rows: Rows, name: str) -> NDArray[np.float64]:
    import numpy as np

    found = rows.numbers(name) if name in rows.columns else None
    return np.full(len(rows), np.nan) if found is None else found


def distributions(rows: Rows, metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """By metric: the edges of its bins, and of every system the rows in each, their mean and their quartiles."""
    import numpy as np

    named = systems(rows) or [""]
    column = rows.columns.get("system")
    whose = np.array([str(name or "") for name in column]) if column is not None else np.full(len(rows), "")
    made: dict[str, Any] = {}
    for metric in metrics:
        values = _numbers(rows, metric)
        there = values[np.isfinite(values)]
        if not len(there):
            continue
        low, high = float(there.min()), float(there.max())
        edges = np.linspace(low, high if high > low else low + 1, BINS + 1)
        spread: dict[str, Any] = {}
        for system in named:
            own = values[(whose == system) & np.isfinite(values)]
            if len(own):
                quartiles = np.quantile(own, (0.25, 0.5, 0.75)).tolist()
                counts = np.histogram(own, edges)[0].tolist()
                spread[system] = {"n": len(own), "mean": float(own.mean()), "quartiles": quartiles, "counts": counts}
        made[metric] = {"edges": edges.tolist(), "systems": spread}
    return made


def points(rows: Rows, asked: Asked, x: str, y: str) -> dict[str, Any]:
    """Rows as points of two columns, evenly drawn where there are too many: [row, x, y, place of its system]."""
    import numpy as np

    order = rows.order(asked)
    across, up = _numbers(rows, x)[order], _numbers(rows, y)[order]
    there = np.flatnonzero(np.isfinite(across) & np.isfinite(up))
    step = max(1, math.ceil(len(there) / POINTS))
    drawn = there[::step]
    numbers = order[drawn].tolist()
    named = systems(rows)
    place = {name: i for i, name in enumerate(named)}
    whose = rows.columns.get("system")
    codes = [0 if whose is None else place.get(whose[i], 0) for i in numbers]
    return {
        "total": len(there),
        "points": list(zip(numbers, across[drawn].tolist(), up[drawn].tolist(), codes, strict=True)),
        "systems": named,
    }
