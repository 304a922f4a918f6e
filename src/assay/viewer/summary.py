"""Figures of a run's screens: accuracy by phenomenon, distributions of scores, scatter plots, scores by group."""

from __future__ import annotations

import itertools
import math
from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from assay.core.errors import unknown
from assay.core.expression.tree import equal, written
from assay.stats.proportions import wilson
from assay.viewer.judgements import people
from assay.viewer.rows import Query, Rows
from assay.viewer.runs import Run, systems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BINS = 40
POINTS = 4000
"""Largest number of points in a scatter plot; more would overlap and slow down the browser."""
LENGTHS = {"length(src)": "length of the source", "length(mt)": "length of the translation"}
FIRST = {"langpair": "language pair", "language": "language", "domain": "domain", "doc": "document"}
"""Columns that are offered first for grouping, in this order."""
NEVER = {"id", "system", "segment", "src", "mt", "good", "incorrect", "spans", "source_spans", "flags", "reason"}
MOST_GROUPS = 1000


def summary(run: Run) -> dict[str, Any]:
    """Return everything that the page shows of a run except its rows."""
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
    """Return strict accuracy by phenomenon and metric with Wilson's 95% interval.

    An item is correct if the good translation scores better than the incorrect one. Items that a metric did not score are excluded.
    """
    import numpy as np

    names = [str(name) for name in rows.columns.get("phenomenon", ())]
    kinds = rows.columns.get("category") or [""] * len(names)
    index: dict[str, int] = {}
    for name in names:
        index.setdefault(name, len(index))
    of = np.array([index[name] for name in names], dtype=np.int64)
    counts = np.bincount(of, minlength=len(index))
    category = {name: str(kind or "") for name, kind in zip(names, kinds, strict=True)}
    cells: dict[str, list[dict[str, Any]]] = {}
    for metric, facts in metrics.items():
        good, incorrect = (_numbers(rows, f"{metric} {side}") for side in ("good", "incorrect"))
        scored = np.isfinite(good) & np.isfinite(incorrect)
        right = (good > incorrect if facts.get("higher_is_better", True) else good < incorrect) & scored
        n, k = (np.bincount(of[mask], minlength=len(index)).tolist() for mask in (scored, right))
        cells[metric] = [
            {"n": n[i], "right": k[i], "low": low, "high": high}
            for i, (low, high) in enumerate(map(_bounds, map(wilson, k, n)))
        ]
    described = [{"name": name, "category": category[name], "n": int(counts[i])} for name, i in index.items()]
    return {"phenomena": described, "cells": cells}


def _bounds(interval: tuple[float, float]) -> tuple[float | None, float | None]:
    low, high = interval
    return (None, None) if math.isnan(low) else (low, high)


def _numbers(rows: Rows, name: str) -> NDArray[np.float64]:
    import numpy as np

    found = rows.numbers(name) if name in rows.columns else None
    return np.full(len(rows), np.nan) if found is None else found


def distributions(rows: Rows, metrics: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    """Return, by metric, the edges of its bins and, for every system, the rows per bin, the mean and the quartiles."""
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


def points(rows: Rows, query: Query, x: str, y: str) -> dict[str, Any]:
    """Return rows as points [row, x, y, index of the system] of two columns, sampled evenly if there are too many."""
    import numpy as np

    order = rows.order(query)
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


def groupings(rows: Rows, metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the columns that rows can be grouped by, as ``{"key", "label", "groups"}``."""
    found = []
    for name in sorted(rows.columns, key=lambda name: list(FIRST).index(name) if name in FIRST else len(FIRST)):
        if name in NEVER or name in metrics or name.startswith("ref"):
            continue
        values = {value for value in rows.columns[name] if not isinstance(value, list | dict)}
        words = {value for value in values if isinstance(value, str | bool) and value != ""}
        if 1 < len(words) <= MOST_GROUPS and not any(
            isinstance(v, int | float) and not isinstance(v, bool) for v in values
        ):
            found.append({"key": name, "label": FIRST.get(name, name.replace("_", " ")), "groups": len(words)})
    lengths = [key for key in LENGTHS if key[7:-1] in rows.columns and len(rows) >= 8]
    return found + [{"key": key, "label": LENGTHS[key], "groups": 4} for key in lengths]


def grouped(rows: Rows, by: str, metric: str) -> dict[str, Any]:
    """Return the number of scored rows, their mean and their standard deviation for every group and system."""
    import numpy as np

    numbers = rows.numbers(metric) if metric in rows.columns else None
    if numbers is None:
        raise unknown("metric in these rows", metric, rows.names)
    names, codes, wheres = _groups(rows, by)
    systems = list(dict.fromkeys(str(name or "") for name in rows.columns.get("system", ()))) or [""]
    place = {name: i for i, name in enumerate(systems)}
    whose = np.array([place[str(name or "")] for name in rows.columns["system"]]) if "system" in rows.columns else 0
    there = np.isfinite(numbers) & (codes >= 0)
    cell = (codes * len(systems) + whose)[there]
    values, size = numbers[there], len(names) * len(systems)
    n = np.bincount(cell, minlength=size)
    with np.errstate(invalid="ignore", divide="ignore"):
        mean = np.bincount(cell, values, size) / n
        sd = np.sqrt(np.bincount(cell, (values - mean[cell]) ** 2, size) / (n - 1))
    cells = [
        {
            system: [int(n[at]), float(mean[at]), float(sd[at]) if n[at] > 1 else None]
            for k, system in enumerate(systems)
            if n[at := i * len(systems) + k]
        }
        for i in range(len(names))
    ]
    made = [
        {"name": name, "where": where, "cells": found}
        for name, where, found in zip(names, wheres, cells, strict=True)
        if found
    ]
    return {"systems": systems, "groups": made}


def _groups(rows: Rows, by: str) -> tuple[list[str], NDArray[Any], list[str]]:
    """Return the names of the groups, each row's group (-1 if none), and the expressions that select the groups."""
    import numpy as np

    if by in LENGTHS and by[7:-1] in rows.columns:
        sizes = np.array([len(text) if isinstance(text, str) else -1 for text in rows.columns[by[7:-1]]])
        cuts = quarters(sizes[sizes >= 0])
        codes = np.where(sizes < 0, -1, np.searchsorted(np.array(cuts), sizes, side="left"))
        edges = [-1, *cuts, int(sizes.max(initial=0))]
        spans = list(itertools.pairwise(edges))
        names = [f"{low + 1:,} to {high:,} characters" for low, high in spans]
        there = f"{by[7:-1]} is not missing and " if (sizes < 0).any() else ""
        return names, codes, [f"{there}{'' if low < 0 else f'{low} < '}{by} <= {high}" for low, high in spans]
    if by not in rows.columns or by in NEVER:
        raise unknown("column to group by", by, [name for name in rows.columns if name not in NEVER])
    codes_of: dict[str, int] = {}
    codes = np.array(
        [-1 if value in (None, "") else codes_of.setdefault(str(value), len(codes_of)) for value in rows.columns[by]]
    )
    there = f"{written(by)} is not missing and " if None in rows.columns[by] else ""
    return list(codes_of), codes, [there + _is(by, name) for name in codes_of]


def quarters(sizes: NDArray[Any]) -> list[int]:
    """Return the lengths that divide rows into four groups of similar size."""
    if not len(sizes):
        return []
    ordered = sorted(sizes.tolist())
    cuts = [ordered[max(0, -(-len(ordered) * k // 4) - 1)] for k in (1, 2, 3)]
    return [cut for cut in dict.fromkeys(cuts) if cut < ordered[-1]]


def _is(column: str, value: str) -> str:
    if value in ("True", "False"):
        return written(column) if value == "True" else f"not {written(column)}"
    return equal(column, value)
