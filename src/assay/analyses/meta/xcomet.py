"""The xCOMET evaluation protocol (Guerreiro et al. 2023, Sections 5.1, 6 and 7.2) for any metrics and judged data.

- `segments` (Table 1): Pearson and Kendall over all judged cells of a language pair, with PERM-BOTH and 200 draws.
- `systems` (Table 2): pairwise accuracy of system scores, likewise.
- `raters`: agreement of annotators on error spans (character-level F1), the ceiling of Table 3, which is `assay spans`.
- Table 6 (hallucinations) is `assay.analyses.hallucinations`.

The paper's data is the news domain of WMT22 (``domain="news"``). A mark shows the first cluster.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any

import numpy as np

from assay.analyses.meta.recipes import MetaTask, Statistic, TaskLevel, TaskSet
from assay.analyses.meta.tasks import TaskResult, run_tasks
from assay.analyses.spans.alignment import as_tuples, on_target
from assay.core.errors import InputError, count
from assay.core.judged import Judgement
from assay.core.judged_systems import JudgedSystems
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.spans import Span, f1, total_counts

DRAWS = 200
AVERAGE = "avg"

Ratings = Mapping[str, Mapping[str, Sequence[Judgement | None]]]
"""One judgement per segment, by annotator and system."""


def tables(
    sets: Mapping[str, JudgedSystems],
    *,
    domain: str | None = None,
    human: bool = False,
    draws: int = DRAWS,
    seed: int = 12345,
) -> list[Table]:
    """Return Tables 1 and 2 for the metrics in `sets`."""

    def results(level: TaskLevel, statistic: Statistic) -> dict[str, TaskResult]:
        by_pair = {}
        for number, pair in enumerate(sets, 1):
            task = MetaTask(number, (pair,), level, statistic, human=human, domain=domain)
            (by_pair[pair],) = run_tasks(TaskSet((task,)), sets, significance=draws > 0, draws=draws, seed=seed)
        return by_pair

    segments = [row for name in ("pearson", "kendall") for row in _rows(results("seg", name), {"statistic": name})]
    for row in segments:
        row["column"] = f"{row['langpair']} {'ρ' if row['statistic'] == 'pearson' else 'τ'}"
    systems = _rows(results("sys", "pairwise_accuracy"), {})
    for row in systems:
        row["column"] = row["langpair"]
    return [
        _table("segments", segments, "segment-level Pearson (ρ) and Kendall (τ)", draws),
        _table("systems", systems, "system-level pairwise accuracy", draws),
    ]


def _rows(by_pair: Mapping[str, TaskResult], more: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for pair, result in by_pair.items():
        for index, (name, value) in enumerate(zip(result.names, result.values.tolist(), strict=True)):
            cluster = result.clusters[index] if result.clusters is not None else None
            mark = "*" if cluster == 1 else ""
            rows.append({"metric": name, "langpair": pair, **more, "value": value, "cluster": cluster, "mark": mark})
    for name in dict.fromkeys(row["metric"] for row in rows):
        values = [row["value"] for row in rows if row["metric"] == name]
        if len(values) == len(by_pair):
            mean = float(np.mean(values))
            rows.append({"metric": name, "langpair": AVERAGE, **more, "value": mean, "cluster": None, "mark": ""})
    return rows


def _table(name: str, rows: list[dict[str, Any]], caption: str, draws: int) -> Table:
    hidden = ("langpair", "statistic", "cluster")
    note = [f"* first cluster, p < 0.05 (PERM-BOTH, {draws:,} draws)"] if draws else []
    return Table(
        name,
        [
            TableColumn("metric", "metric"),
            TableColumn("column", "column"),
            TableColumn("value", "value", "number", 3, mark="mark"),
            *(TableColumn(key, key, hidden=True) for key in hidden if any(key in row for row in rows)),
        ],
        rows,
        caption=caption,
        notes=note,
        pivot=Pivot("metric", "column", "value"),
    )


def shared_cells(ratings: Ratings) -> list[tuple[str, int]]:
    """Return the (system, segment) cells that every annotator judged."""
    first = next(iter(ratings.values()), {})
    return [
        (system, segment)
        for system, row in first.items()
        for segment in range(len(row))
        if all(system in one and one[system][segment] is not None for one in ratings.values())
    ]


def rater_table(ratings: Ratings, outputs: Mapping[str, Sequence[str]], langpair: str = "") -> Table:
    """Return the table `raters`: F1 for each pair of annotators on the cells judged by all (target side only), and the mean."""
    if len(ratings) < 2:
        raise InputError("inter-annotator agreement requires at least two annotators.")
    cells = shared_cells(ratings)
    if not cells:
        raise InputError("no translation was rated by all annotators.")
    spans = {rater: [_target(rows[system][segment]) for system, segment in cells] for rater, rows in ratings.items()}
    lengths = [len(outputs[system][segment]) for system, segment in cells]
    values = {(a, b): float(f1(total_counts(spans[a], spans[b], lengths))) for a, b in combinations(ratings, 2)}
    values["mean", ""] = float(np.mean(list(values.values())))
    rows = [
        {"langpair": langpair, "first": first, "second": second, "f1": value, "cells": len(cells)}
        for (first, second), value in values.items()
    ]
    *pairs, _ = values.values()
    return Table(
        "raters",
        [
            TableColumn("langpair", "langpair"),
            TableColumn("first", "annotator"),
            TableColumn("second", "annotator"),
            TableColumn("f1", "F1", "number", 3),
            TableColumn("cells", "translations", "count"),
        ],
        rows,
        caption="agreement of annotators on error spans, character-level F1",
        notes=[f"{count(len(pairs), 'pair')} of annotators, {min(pairs):.3f} to {max(pairs):.3f}"],
    )


def join_rater_tables(tables: Sequence[Table]) -> Table:
    """Join the tables of several language pairs, with each note prefixed by its pair."""
    rows = [row for table in tables for row in table.rows]
    notes = [f"{table.rows[0]['langpair']}: {note}" for table in tables for note in table.notes]
    return replace(tables[0], rows=rows, notes=notes if len(tables) > 1 else tables[0].notes)


def _target(judgement: Judgement | None) -> list[Span]:
    assert judgement is not None
    return as_tuples(on_target(judgement.spans))
