"""Accuracy on contrastive sets: how often a metric prefers the good translation, by phenomenon, category, severity and pair.

- `phenomena`: strict accuracy (a tie counts as an error), tau = 2 · accuracy - 1, and the number of ties.
- `categories`, `severities`: unweighted mean of their phenomena's accuracies, as in ACES and DEMETR.
- `langpairs`: all items in a language pair together.
- `summary`: one row per metric: accuracy over all items, mean over phenomena, and the phenomena it is blindest to.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.analyses.outcomes import Counts, Estimate, Ints, Outcomes, Sampling, count, estimates, mean_weights, outcomes
from assay.analyses.table_parts import (
    MARKS,
    METRIC,
    TIED,
    UNCOVERED,
    UNSCORED,
    accuracies,
    blindest,
    common_notes,
    estimate_cells,
    estimate_columns,
    metric_cells,
    outcome_cells,
    tied_notes,
)
from assay.core.analysis import requires
from assay.core.errors import count as count_of
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn

N = TableColumn("n", kind="count")
ACCURACY = estimate_columns("accuracy", kind="percent", decimals=1, mark="marks")
TIES = TableColumn("ties", kind="count")


@dataclass(frozen=True, slots=True)
class _Suite:
    items: Sequence[Item]
    measured: Sequence[Measured]
    outcome: Outcomes
    sampling: Sampling
    notes: tuple[str, ...]

    def count(self, keys: Sequence[object]) -> tuple[list[Any], Counts]:
        """Return the distinct keys in order of appearance, and the outcomes counted by key."""
        names = list(dict.fromkeys(keys))
        code = {name: i for i, name in enumerate(names)}
        strata: Ints = np.array([code[key] for key in keys], np.int64)
        return names, count(self.outcome, strata, len(names), self.sampling)


@requires("items")
def tables(
    items: Sequence[Item],
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """Return this module's tables; a table is left out if no item has the label it is grouped by."""
    sampling = Sampling(tuple(metric.name for metric in measured), seed, samples, correction)
    outcome = outcomes(items, measured)
    suite = _Suite(items, measured, outcome, sampling, common_notes(items, measured, outcome, sampling))
    names, counts = suite.count([item.phenomenon for item in items])
    singles = estimates(counts, [mean_weights(counts, [k]) for k in range(len(names))], sampling)
    all_tables = [
        _summary(suite, names, counts, singles),
        _grouped(suite, "category", "categories"),
        _grouped(suite, "severity", "severities"),
        _langpairs(suite),
        _phenomena(suite, names, counts, singles),
    ]
    return [table for table in all_tables if table.rows]


def _cells(counts: Counts, m: int, strata: Sequence[int], estimate: Estimate | None) -> dict[str, Any]:
    chosen = list(strata)
    n, wins, ties = (int(column[m, chosen].sum()) for column in (counts.n, counts.hits, counts.ties))
    cells = estimate_cells("accuracy", estimate)
    return {
        "n": n,
        **cells,
        "tau": 2 * estimate.value - 1 if estimate else None,
        **outcome_cells(n, wins, ties, first=cells["first"]),
        "unscored": int(counts.unscored[m, chosen].sum()),
    }


def _columns(*first: TableColumn) -> tuple[TableColumn, ...]:
    tau = TableColumn("tau", kind="number", decimals=3)
    return (*first, METRIC, N, *ACCURACY, tau, TIES, UNSCORED, *MARKS)


def _phenomena(
    suite: _Suite, names: Sequence[str], counts: Counts, singles: Sequence[Sequence[Estimate | None]]
) -> Table:
    category = {item.phenomenon: item.category for item in reversed(suite.items)}
    rows = [
        {
            "phenomenon": name,
            "category": category[name],
            **metric_cells(metric),
            **_cells(counts, m, [k], singles[k][m]),
        }
        for k, name in enumerate(names)
        for m, metric in enumerate(suite.measured)
    ]
    columns = _columns(TableColumn("phenomenon"), TableColumn("category", hidden=True))
    caption = "Strict accuracy by phenomenon"
    reading = "One row per phenomenon. Below 50, the metric prefers the error or ties."
    pivot, figures = Pivot("phenomenon", "metric", "accuracy"), (accuracies("contrastive", "phenomena", rows),)
    return Table("phenomena", columns, rows, caption, (*tied_notes(rows), *suite.notes), pivot, reading, figures)


def _grouped(suite: _Suite, label: str, table: str) -> Table:
    """Return the unweighted mean over the phenomena in each category or severity."""
    labels = [str(getattr(item, label)) for item in suite.items]
    strata, counts = suite.count(list(zip(labels, (item.phenomenon for item in suite.items), strict=True)))
    members: dict[str, list[int]] = {}
    for k, (name, _) in enumerate(strata):
        if name:
            members.setdefault(name, []).append(k)
    group_estimates = estimates(counts, [mean_weights(counts, chosen) for chosen in members.values()], suite.sampling)
    rows = [
        {
            label: name,
            **metric_cells(metric),
            "phenomena": int(np.count_nonzero(counts.n[m, chosen])),
            **_cells(counts, m, chosen, group_estimates[i][m]),
        }
        for i, (name, chosen) in enumerate(members.items())
        for m, metric in enumerate(suite.measured)
    ]
    columns = _columns(TableColumn(label), TableColumn("phenomena", kind="count"))
    caption = f"Mean accuracy of the phenomena by {label}"
    of = "a category's phenomena" if label == "category" else f"the phenomena of a {label}"
    reading = f"The plain mean of the accuracies of {of}."
    notes = (*tied_notes(rows), *suite.notes)
    return Table(table, columns, rows, caption, notes, Pivot("metric", label, "accuracy"), reading)


def _langpairs(suite: _Suite) -> Table:
    names, counts = suite.count([item.langpair for item in suite.items])
    named = [k for k, name in enumerate(names) if name]
    pair_estimates = estimates(counts, [mean_weights(counts, [k]) for k in named], suite.sampling)
    rows = [
        {
            "langpair": names[k],
            **metric_cells(metric),
            "uncovered": "" if metric.card.covers(names[k]) else UNCOVERED,
            **_cells(counts, m, [k], pair_estimates[i][m]),
        }
        for i, k in enumerate(named)
        for m, metric in enumerate(suite.measured)
    ]
    columns = _columns(TableColumn("langpair", "pair", mark="uncovered"), TableColumn("uncovered", hidden=True))
    caption = "Strict accuracy by language pair, all items together"
    reading = "All items of a language pair together. A mark means that the card of the metric does not cover the pair."
    notes = (*tied_notes(rows), *suite.notes)
    return Table("langpairs", columns, rows, caption, notes, Pivot("langpair", "metric", "accuracy"), reading)


def _summary(
    suite: _Suite, names: Sequence[str], counts: Counts, singles: Sequence[Sequence[Estimate | None]]
) -> Table:
    _, pooled = suite.count(["all"] * len(suite.items))
    overall = estimates(pooled, [mean_weights(pooled, [0])], suite.sampling)[0] if suite.items else []
    means = estimates(counts, [mean_weights(counts, range(len(names)))], suite.sampling)[0] if suite.items else []
    rows = []
    for m, metric in enumerate(suite.measured if suite.items else ()):
        lowest = [
            (estimate.value, (name, k), name, TIED in _cells(counts, m, [k], None)["marks"])
            for k, (line, name) in enumerate(zip(singles, names, strict=True))
            if (estimate := line[m]) is not None
        ]
        rows.append(
            {
                **metric_cells(metric),
                **_cells(pooled, m, [0], overall[m]),
                **estimate_cells("phenomena_mean", means[m], first="phenomena_first"),
                "phenomena": int(np.count_nonzero(counts.n[m])),
                "blindest": blindest(lowest),
                "blindest_short": blindest(
                    (value, order, _shortened(name), tied) for value, order, name, tied in lowest
                ),
            }
        )
    columns = (
        METRIC,
        *ACCURACY,
        *estimate_columns("phenomena_mean", "mean of phenomena", "percent", 1, "phenomena_first"),
        replace(TIES, hidden=not any(row["ties"] for row in rows)),
        TableColumn("blindest_short", "blindest"),
        TableColumn("blindest", hidden=True),
        TableColumn("tau", kind="number", decimals=3, hidden=True),
        TableColumn("phenomena", kind="count", hidden=True),
        replace(N, hidden=all(row["n"] == len(suite.items) for row in rows)),
        TableColumn("unscored", kind="count", hidden=True),
        *MARKS,
        TableColumn("phenomena_first", hidden=True),
    )
    caption = f"{count_of(len(suite.items), 'pair')} · strict accuracy"
    reading = (
        "The share of pairs in which a metric scores the good translation above the incorrect one, in percent. A tie counts "
        "as an error, and 50 is chance."
    )
    return Table("summary", columns, rows, caption, (*tied_notes(rows), *suite.notes), reading=reading)


def _shortened(name: str, most: int = 22) -> str:
    """Shorten a long name to its last words, which distinguish it: ``…since-temporal``."""
    if len(name) <= most:
        return name
    cut = name[len(name) - most + 1 :]
    ends = [position for mark in "- " if (position := cut.find(mark)) >= 0]
    return f"…{cut[min(ends) + 1 :] if ends else cut}"
