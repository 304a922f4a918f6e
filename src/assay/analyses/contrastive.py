"""Any contrastive set: how often does a metric prefer the good translation, by phenomenon, category, severity and pair?

- `phenomena`: strict accuracy (a tie earns nothing) and tau = 2 · accuracy - 1, with the number of ties.
- `categories`, `severities`: plain mean of the accuracies of the phenomena inside, as in ACES and DEMETR.
- `langpairs`: all items of a language pair together.
- `summary`: one line a metric: accuracy over all items, mean over phenomena, and what it is blindest to.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from assay.analyses.drawing import accuracies
from assay.analyses.outcomes import Counts, Estimate, Ints, Outcomes, Sampling, count, estimates, mean_weights, outcomes
from assay.analyses.rows import (
    MARKS,
    METRIC,
    UNCOVERED,
    UNSCORED,
    common_notes,
    estimate_cells,
    estimate_columns,
    metric_cells,
)
from assay.core.analysis import requires
from assay.core.errors import count as count_of
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn

N = TableColumn("n", kind="count")
ACCURACY = estimate_columns("accuracy", kind="percent", decimals=1)
TIES = TableColumn("ties", kind="count")


@dataclass(frozen=True, slots=True)
class _Suite:
    items: Sequence[Item]
    measured: Sequence[Measured]
    outcome: Outcomes
    sampling: Sampling
    notes: tuple[str, ...]

    def count(self, keys: Sequence[object]) -> tuple[list[Any], Counts]:
        """The distinct keys in order of appearance, and the outcomes counted by them."""
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
    """The tables above; those whose label no item carries are left out."""
    sampling = Sampling(tuple(metric.name for metric in measured), seed, samples, correction)
    outcome = outcomes(items, measured)
    suite = _Suite(items, measured, outcome, sampling, common_notes(items, measured, outcome, sampling))
    names, counts = suite.count([item.phenomenon for item in items])
    singles = estimates(counts, [mean_weights(counts, [k]) for k in range(len(names))], sampling)
    made = [
        _summary(suite, names, counts, singles),
        _grouped(suite, "category", "categories"),
        _grouped(suite, "severity", "severities"),
        _langpairs(suite),
        _phenomena(suite, names, counts, singles),
    ]
    return [table for table in made if table.rows]


def _cells(counts: Counts, m: int, strata: Sequence[int], estimate: Estimate | None) -> dict[str, Any]:
    chosen = list(strata)
    return {
        "n": int(counts.n[m, chosen].sum()),
        **estimate_cells("accuracy", estimate),
        "tau": 2 * estimate.value - 1 if estimate else None,
        "ties": int(counts.ties[m, chosen].sum()),
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
    reading = "One line a phenomenon. Below 50 the metric prefers the error, or cannot tell the two apart."
    pivot, figures = Pivot("phenomenon", "metric", "accuracy"), (accuracies("contrastive", "phenomena", rows),)
    return Table("phenomena", columns, rows, caption, suite.notes, pivot, reading, figures)


def _grouped(suite: _Suite, label: str, table: str) -> Table:
    """Plain mean over the phenomena of each category or severity."""
    labels = [str(getattr(item, label)) for item in suite.items]
    strata, counts = suite.count(list(zip(labels, (item.phenomenon for item in suite.items), strict=True)))
    members: dict[str, list[int]] = {}
    for k, (name, _) in enumerate(strata):
        if name:
            members.setdefault(name, []).append(k)
    found = estimates(counts, [mean_weights(counts, mine) for mine in members.values()], suite.sampling)
    rows = [
        {
            label: name,
            **metric_cells(metric),
            "phenomena": int(np.count_nonzero(counts.n[m, mine])),
            **_cells(counts, m, mine, found[i][m]),
        }
        for i, (name, mine) in enumerate(members.items())
        for m, metric in enumerate(suite.measured)
    ]
    columns = _columns(TableColumn(label), TableColumn("phenomena", kind="count"))
    caption = f"Mean accuracy of the phenomena by {label}"
    of = "a category's phenomena" if label == "category" else f"the phenomena of a {label}"
    reading = f"The plain mean of the accuracies of {of}."
    return Table(table, columns, rows, caption, suite.notes, Pivot("metric", label, "accuracy"), reading)


def _langpairs(suite: _Suite) -> Table:
    names, counts = suite.count([item.langpair for item in suite.items])
    known = [k for k, name in enumerate(names) if name]
    found = estimates(counts, [mean_weights(counts, [k]) for k in known], suite.sampling)
    rows = [
        {
            "langpair": names[k],
            **metric_cells(metric),
            "uncovered": "" if metric.card.covers(names[k]) else UNCOVERED,
            **_cells(counts, m, [k], found[i][m]),
        }
        for i, k in enumerate(known)
        for m, metric in enumerate(suite.measured)
    ]
    columns = _columns(TableColumn("langpair", "pair", mark="uncovered"), TableColumn("uncovered", hidden=True))
    caption = "Strict accuracy by language pair, all items together"
    reading = "All pairs of a language pair together. A metric whose card does not cover the pair is marked."
    return Table("langpairs", columns, rows, caption, suite.notes, Pivot("langpair", "metric", "accuracy"), reading)


def _summary(
    suite: _Suite, names: Sequence[str], counts: Counts, singles: Sequence[Sequence[Estimate | None]]
) -> Table:
    _, pooled = suite.count(["all"] * len(suite.items))
    overall = estimates(pooled, [mean_weights(pooled, [0])], suite.sampling)[0] if suite.items else []
    means = estimates(counts, [mean_weights(counts, range(len(names)))], suite.sampling)[0] if suite.items else []
    rows = [
        {
            **metric_cells(metric),
            **_cells(pooled, m, [0], overall[m]),
            **estimate_cells("phenomena_mean", means[m], first="phenomena_first"),
            "phenomena": int(np.count_nonzero(counts.n[m])),
            "blindest": _blindest(m, names, singles),
            "blindest_short": _blindest(m, names, singles, shown=_shortened),
        }
        for m, metric in enumerate(suite.measured)
        if suite.items
    ]
    columns = (
        METRIC,
        *ACCURACY,
        *estimate_columns("phenomena_mean", "mean of phenomena", "percent", 1, "phenomena_first"),
        TableColumn("blindest_short", "blindest"),
        TableColumn("blindest", hidden=True),
        TableColumn("tau", kind="number", decimals=3, hidden=True),
        TableColumn("phenomena", kind="count", hidden=True),
        replace(N, hidden=all(row["n"] == len(suite.items) for row in rows)),
        TableColumn("ties", kind="count", hidden=True),
        TableColumn("unscored", kind="count", hidden=True),
        *MARKS,
        TableColumn("phenomena_first", hidden=True),
    )
    caption = f"{count_of(len(suite.items), 'pair')} · strict accuracy"
    reading = (
        "The share of pairs in which a metric scores the good translation above the incorrect one, in percent; a tie earns "
        "nothing and a coin would have 50."
    )
    return Table("summary", columns, rows, caption, suite.notes, reading=reading)


def _shortened(name: str, most: int = 22) -> str:
    """The last words of a long name, which tell it from its neighbours: ``…since-temporal``."""
    if len(name) <= most:
        return name
    cut = name[len(name) - most + 1 :]
    ends = [place for mark in "- " if (place := cut.find(mark)) >= 0]
    return f"…{cut[min(ends) + 1 :] if ends else cut}"


def _blindest(
    m: int,
    names: Sequence[str],
    singles: Sequence[Sequence[Estimate | None]],
    most: int = 2,
    shown: Callable[[str], str] = str,
) -> str:
    """The phenomena with the lowest accuracy."""
    known = [(line[m], name) for line, name in zip(singles, names, strict=True)]
    lowest = sorted((estimate.value, name) for estimate, name in known if estimate is not None)[:most]
    return ", ".join(f"{shown(name)} {100 * value:.0f}%" for value, name in lowest)
