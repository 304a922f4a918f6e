"""Contrastive sets by language: phenomena in every language, pooled in part where a cell has few items.

A cell (one phenomenon in one language) often has a handful of items. Its `pooled` value draws it towards the phenomenon's value in
all languages, the more the fewer items it has and the more alike the languages are (`assay.stats.pooling`, empirical Bayes with a
beta-binomial); the raw value and the number of items stand beside it. A language's `expected` value is what its mix of phenomena
alone would give if language made no difference: read a language against that, not against other languages.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.analyses.outcomes import (
    Bools,
    Counts,
    Estimate,
    Floats,
    Ints,
    Outcomes,
    Sampling,
    count,
    estimates,
    mean_weights,
)
from assay.analyses.table_parts import MARKS, METRIC, UNSCORED, estimate_cells, estimate_columns, known, metric_cells
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.pooling import pooled_shares

N = TableColumn("n", kind="count")
POOLING = (
    "pooled: drawn towards the phenomenon's value in all languages, the more the fewer items (beta-binomial, empirical Bayes)",
    "expected: what the language's mix of phenomena alone would give",
)


@dataclass(frozen=True, slots=True)
class Crossing:
    """Phenomena (lines, by number) crossed with languages: one stratum a cell that has items, and every metric's counts."""

    lines: Ints
    """The line of each cell."""
    languages: tuple[str, ...]
    """The language of each cell."""
    cells: Ints
    """The cell of each item, -1 for one that takes no part."""
    outcome: Outcomes
    right: Bools | None
    counts: Counts
    pooled: Floats
    """[metric, cell]: the pooled share, with its interval."""
    low: Floats
    high: Floats
    overall: Floats
    """[metric, cell]: the share of the cell's phenomenon in all languages."""

    def of_language(self, left_out: Collection[int] = ()) -> dict[str, list[int]]:
        """The cells of each language without those of the lines `left_out`, languages in the order of the alphabet."""
        found: dict[str, list[int]] = {}
        for cell, (line, language) in enumerate(zip(self.lines.tolist(), self.languages, strict=True)):
            if line not in left_out:
                found.setdefault(language, []).append(cell)
        return {language: found[language] for language in sorted(found)}


def cross(
    outcome: Outcomes, lines: Ints, languages: Sequence[str], sampling: Sampling, right: Bools | None = None
) -> Crossing:
    """Count every line in every language and pool each line's languages; items without a language take no part."""
    keys = [(int(line), language) for line, language in zip(lines, languages, strict=True)]
    cells = sorted({key for key in keys if key[0] >= 0 and key[1]})
    place = {key: i for i, key in enumerate(cells)}
    strata = np.array([place.get(key, -1) for key in keys], np.int64)
    counts = count(outcome, strata, len(cells), replace(sampling, samples=1), right)  # nothing here is resampled
    of_line = np.array([line for line, _ in cells], np.int64)
    names = tuple(language for _, language in cells)
    place_of = {name: i for i, name in enumerate(sorted(set(names)))}
    at = of_line, np.array([place_of[name] for name in names], np.int64)
    whole = np.zeros((2, len(counts.n), int(of_line.max(initial=-1)) + 1, len(place_of)), np.int64)
    whole[0][:, *at], whole[1][:, *at] = counts.hits, counts.n
    found = pooled_shares(*whole)
    pooled, low, high = (values[:, *at] for values in (found.shares, found.low, found.high))
    return Crossing(of_line, names, strata, outcome, right, counts, pooled, low, high, found.mean[:, of_line])


def _scale(value: float, tau: bool) -> float | None:
    return known(2 * value - 1 if tau else value)


def cell_table(
    crossing: Crossing, measured: Sequence[Measured], labels: Sequence[dict[str, Any]], table: Table, *, tau: bool
) -> Table:
    """One row a cell and metric: items, the raw value, and the pooled one with its interval.

    `labels` has the cells that name each line; `table` gives name, caption, notes, reading, and in `columns` those that name the
    lines, that of the language last.
    """
    key = table.columns[-1].key
    value, kind = ("tau", "number") if tau else ("accuracy", "percent")
    rows = []
    for i, (line, language) in enumerate(zip(crossing.lines.tolist(), crossing.languages, strict=True)):
        for m, metric in enumerate(measured):
            n, hits = int(crossing.counts.n[m, i]), int(crossing.counts.hits[m, i])
            rows.append(
                {
                    **labels[line],
                    key: language,
                    **metric_cells(metric),
                    "n": n,
                    value: _scale(hits / n, tau) if n else None,
                    "pooled": _scale(float(crossing.pooled[m, i]), tau),
                    "pooled_low": _scale(float(crossing.low[m, i]), tau),
                    "pooled_high": _scale(float(crossing.high[m, i]), tau),
                    "unscored": int(crossing.counts.unscored[m, i]),
                }
            )
    digits = 3 if tau else 1
    columns = (
        *table.columns,
        METRIC,
        N,
        TableColumn(value, kind=kind, decimals=digits),  # type: ignore[arg-type]
        *estimate_columns("pooled", "pooled", kind, digits, None),  # type: ignore[arg-type]
        UNSCORED,
        MARKS[1],
    )
    few = len(set(crossing.languages)) <= 12
    pivot = Pivot(table.columns[0].key, key, "pooled") if few else None
    return Table(table.name, columns, rows, table.caption, (POOLING[0], *table.notes), pivot, table.reading)


def language_table(
    crossing: Crossing,
    measured: Sequence[Measured],
    sampling: Sampling,
    table: Table,
    *,
    tau: bool,
    plain: bool,
    left_out: Collection[int] = (),
) -> Table:
    """One row a language and metric: its value, the same from pooled cells, and what its phenomena alone would give.

    With `plain` every phenomenon counts alike (DEMETR), otherwise every item (ACES's Table 3). `left_out` are lines that enter no
    mean; `table` is as in `cell_table`, its one column that of the language.
    """
    value, kind = ("tau", "number") if tau else ("accuracy", "percent")
    key = table.columns[0].key
    groups = crossing.of_language(left_out)
    weightings = [_weights(crossing.counts, cells, plain) for cells in groups.values()]
    found = _estimates(crossing, groups, sampling, tau=tau, plain=plain)
    rows = []
    for g, (language, cells) in enumerate(groups.items()):
        for m, metric in enumerate(measured):
            own = weightings[g][m, cells]
            rows.append(
                {
                    key: language,
                    **metric_cells(metric),
                    "phenomena": int(np.count_nonzero(crossing.counts.n[m, cells])),
                    "n": int(crossing.counts.n[m, cells].sum()),
                    **estimate_cells(value, found[g][m]),
                    "pooled": _scale(_mean(own, crossing.pooled[m, cells]), tau),
                    "expected": _scale(_mean(own, crossing.overall[m, cells]), tau),
                    "unscored": int(crossing.counts.unscored[m, cells].sum()),
                }
            )
    digits = 3 if tau else 1
    columns = (
        *table.columns,
        METRIC,
        TableColumn("phenomena", kind="count"),
        N,
        *estimate_columns(value, "", kind, digits),  # type: ignore[arg-type]
        *(TableColumn(key, kind=kind, decimals=digits) for key in ("pooled", "expected")),  # type: ignore[arg-type]
        UNSCORED,
        *MARKS,
    )
    return Table(table.name, columns, rows, table.caption, (*POOLING, *table.notes), None, table.reading)


def _estimates(
    crossing: Crossing, groups: Mapping[str, list[int]], sampling: Sampling, *, tau: bool, plain: bool
) -> list[list[Estimate | None]]:
    """Every language's estimates: the mean of its cells, or the share of all its items, which are then one stratum."""
    strata, size = crossing.cells, len(crossing.lines)
    if not plain:
        language = np.full(size + 1, -1, np.int64)  # the last is for items of no cell
        for number, cells in enumerate(groups.values()):
            language[cells] = number
        strata, size = language[crossing.cells], len(groups)
    counts = count(crossing.outcome, strata, size, sampling, crossing.right)
    chosen = list(groups.values()) if plain else [[number] for number in range(size)]
    return estimates(counts, [mean_weights(counts, strata) for strata in chosen], sampling, tau=tau)


def _weights(counts: Counts, cells: Sequence[int], plain: bool) -> Floats:
    """[metric, cell]: how much each cell of a language counts; they sum to one, NaN where the metric scored none."""
    weights = np.zeros(counts.n.shape)
    chosen = list(cells)
    weights[:, chosen] = counts.n[:, chosen] > 0 if plain else counts.n[:, chosen]
    with np.errstate(invalid="ignore"):
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _mean(weights: Floats, values: Floats) -> float:
    used = np.flatnonzero(weights)
    return float(weights[used] @ values[used]) if len(used) else float("nan")
