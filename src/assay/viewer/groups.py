"""Scores by language, domain, document, length, or whatever else parts the rows: the rest of the screen *Systems*."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from assay.core.errors import unknown
from assay.core.expression.tree import equal, written
from assay.viewer.rows import Rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

LENGTHS = {"length(src)": "length of the source", "length(mt)": "length of the translation"}
FIRST = {"langpair": "language pair", "language": "language", "domain": "domain", "doc": "document"}
"""Columns that people group by, in this order, before those that a run happens to have."""
NEVER = {"id", "system", "segment", "src", "mt", "good", "incorrect", "spans", "source_spans", "flags", "reason"}
MOST_GROUPS = 1000


def groupings(rows: Rows, metrics: Mapping[str, Any]) -> list[dict[str, Any]]:
    """What the rows can be grouped by: ``{"key", "label", "groups"}``."""
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
    """For every group and system how many rows have a score, their mean and their standard deviation."""
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
    """The names of the groups, each row's group (-1: none), and the expressions that choose them."""
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
    """The lengths that end the first three quarters: as many rows have each as can be."""
    if not len(sizes):
        return []
    ordered = sorted(sizes.tolist())
    cuts = [ordered[max(0, -(-len(ordered) * k // 4) - 1)] for k in (1, 2, 3)]
    return [cut for cut in dict.fromkeys(cuts) if cut < ordered[-1]]


def _is(column: str, value: str) -> str:
    if value in ("True", "False"):
        return written(column) if value == "True" else f"not {written(column)}"
    return equal(column, value)
