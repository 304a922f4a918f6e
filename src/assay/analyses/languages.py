"""Contrastive sets by language: phenomena in every language, small cells partially pooled.

A cell (one phenomenon in one language) often has a handful of items. Its `pooled` value is shrunk towards the value of the
phenomenon in all languages: the fewer items it has and the more similar the languages are, the stronger the shrinkage
(`assay.stats.pooling`, empirical Bayes with a beta-binomial). The raw value and the number of items are also shown. The
`expected` value of a language is what its mix of phenomena would give if language made no difference. Compare a language with
that value, not with other languages.
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
from assay.analyses.table_parts import (
    MARKS,
    METRIC,
    UNSCORED,
    estimate_cells,
    estimate_columns,
    metric_cells,
    none_if_nan,
)
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.pooling import pooled_shares

N = TableColumn("n", kind="count")
POOLING = (
    "pooled: shrunk towards the value of the phenomenon in all languages, more with fewer items (beta-binomial, empirical Bayes)",
    "expected: value if only the mix of phenomena mattered, not the language",
)


@dataclass(frozen=True, slots=True)
class Crossing:
    """Phenomena (lines, by number) crossed with languages: one stratum per cell with items, and the counts of every metric."""

    lines: Ints
    """The line of each cell."""
    languages: tuple[str, ...]
    """The language of each cell."""
    cells: Ints
    """The cell of each item, -1 for excluded items."""
    outcome: Outcomes
    right: Bools | None
    counts: Counts
    pooled: Floats
    """[metric, cell]: the pooled share and its interval."""
    low: Floats
    high: Floats
    overall: Floats
    """[metric, cell]: the share of the cell's phenomenon in all languages."""

    def of_language(self, left_out: Collection[int] = ()) -> dict[str, list[int]]:
        """Return the cells for each language, in alphabetical order, excluding those of the lines `left_out`."""
        cells: dict[str, list[int]] = {}
        for cell, (line, language) in enumerate(zip(self.lines.tolist(), self.languages, strict=True)):
            if line not in left_out:
                cells.setdefault(language, []).append(cell)
        return {language: cells[language] for language in sorted(cells)}


def cross(
    outcome: Outcomes, lines: Ints, languages: Sequence[str], sampling: Sampling, right: Bools | None = None
) -> Crossing:
    """Count every line in every language and pool each line's languages; items without a language are excluded."""
    keys = [(int(line), language) for line, language in zip(lines, languages, strict=True)]
    cells = sorted({key for key in keys if key[0] >= 0 and key[1]})
    cell_index = {key: i for i, key in enumerate(cells)}
    strata = np.array([cell_index.get(key, -1) for key in keys], np.int64)
    counts = count(outcome, strata, len(cells), replace(sampling, samples=1), right)  # nothing is resampled here
    of_line = np.array([line for line, _ in cells], np.int64)
    names = tuple(language for _, language in cells)
    language_index = {name: i for i, name in enumerate(sorted(set(names)))}
    positions = of_line, np.array([language_index[name] for name in names], np.int64)
    table = np.zeros((2, len(counts.n), int(of_line.max(initial=-1)) + 1, len(language_index)), np.int64)
    table[0][:, *positions], table[1][:, *positions] = counts.hits, counts.n
    pooled_all = pooled_shares(*table)
    pooled, low, high = (values[:, *positions] for values in (pooled_all.shares, pooled_all.low, pooled_all.high))
    return Crossing(of_line, names, strata, outcome, right, counts, pooled, low, high, pooled_all.mean[:, of_line])


def _scale(value: float, tau: bool) -> float | None:
    return none_if_nan(2 * value - 1 if tau else value)


def cell_table(
    crossing: Crossing, measured: Sequence[Measured], labels: Sequence[dict[str, Any]], table: Table, *, tau: bool
) -> Table:
    """Return one row per cell and metric: number of items, raw value, and pooled value with its interval.

    `labels` contains the cells that name each line. `table` provides name, caption, notes, reading, and in `columns` the
    columns that name the lines, with the language last.
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
    """Return one row per language and metric: its value, the value from pooled cells, and the expected value.

    With `plain`, every phenomenon has the same weight (DEMETR); otherwise every item does (ACES, Table 3). Lines in `left_out`
    are not part of any mean. `table` is as in `cell_table`, with the language as its only column.
    """
    value, kind = ("tau", "number") if tau else ("accuracy", "percent")
    key = table.columns[0].key
    groups = crossing.of_language(left_out)
    weightings = [_weights(crossing.counts, cells, plain) for cells in groups.values()]
    language_estimates = _estimates(crossing, groups, sampling, tau=tau, plain=plain)
    rows = []
    for g, (language, cells) in enumerate(groups.items()):
        for m, metric in enumerate(measured):
            weights = weightings[g][m, cells]
            rows.append(
                {
                    key: language,
                    **metric_cells(metric),
                    "phenomena": int(np.count_nonzero(crossing.counts.n[m, cells])),
                    "n": int(crossing.counts.n[m, cells].sum()),
                    **estimate_cells(value, language_estimates[g][m]),
                    "pooled": _scale(_mean(weights, crossing.pooled[m, cells]), tau),
                    "expected": _scale(_mean(weights, crossing.overall[m, cells]), tau),
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
    """Return the estimates for every language: the mean over its cells, or the share of all its items as one stratum."""
    strata, size = crossing.cells, len(crossing.lines)
    if not plain:
        language = np.full(size + 1, -1, np.int64)  # the last entry is for items without a cell
        for number, cells in enumerate(groups.values()):
            language[cells] = number
        strata, size = language[crossing.cells], len(groups)
    counts = count(crossing.outcome, strata, size, sampling, crossing.right)
    chosen = list(groups.values()) if plain else [[number] for number in range(size)]
    return estimates(counts, [mean_weights(counts, strata) for strata in chosen], sampling, tau=tau)


def _weights(counts: Counts, cells: Sequence[int], plain: bool) -> Floats:
    """Return [metric, cell]: weights of a language's cells, which sum to one; NaN if the metric scored none."""
    weights = np.zeros(counts.n.shape)
    chosen = list(cells)
    weights[:, chosen] = counts.n[:, chosen] > 0 if plain else counts.n[:, chosen]
    with np.errstate(invalid="ignore"):
        return np.asarray(weights / weights.sum(axis=1, keepdims=True))


def _mean(weights: Floats, values: Floats) -> float:
    used = np.flatnonzero(weights)
    return float(weights[used] @ values[used]) if len(used) else float("nan")
