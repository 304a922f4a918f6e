"""The evaluation of xCOMET (Guerreiro et al. 2023, sections 5.1, 6 and 7.2) for any metrics and judged data.

- `segments` (Table 1): Pearson and Kendall over all judged cells of a language pair, with PERM-BOTH and 200 draws.
- `systems` (Table 2): pairwise accuracy of system scores, likewise.
- `spans` (Table 3): character-level F1 of predicted error spans, critical counted as major.
- Table 6 (hallucinations) is `assay.analyses.hallucinations`.

The paper's data is the news domain of WMT22 (``domain="news"``); a mark stands beside the first cluster.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from assay.analyses.meta.recipes import MetaTask, Statistic, TaskLevel, TaskSet
from assay.analyses.meta.tasks import TaskResult, run_tasks
from assay.core.judged_systems import JudgedSystems
from assay.core.spans import ErrorSpan
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.spans import Span, character_score

DRAWS = 200
AVERAGE = "avg"

Spans = Mapping[str, Sequence[Sequence[ErrorSpan]]]
"""Language pair to the error spans of each of its translations."""


@dataclass(frozen=True)
class SpanData:
    """Gold spans and texts of translations by language pair, with the spans that each metric predicts."""

    texts: Mapping[str, Sequence[str]]
    gold: Spans
    predicted: Mapping[str, Spans]


def tables(
    sets: Mapping[str, JudgedSystems],
    *,
    domain: str | None = None,
    human: bool = False,
    spans: SpanData | None = None,
    draws: int = DRAWS,
    seed: int = 12345,
) -> list[Table]:
    """Tables 1 and 2 for the metrics in `sets`, and Table 3 where there are predicted spans."""
    made = [
        segment_table(sets, domain=domain, human=human, draws=draws, seed=seed),
        system_table(sets, domain=domain, human=human, draws=draws, seed=seed),
    ]
    return made + ([span_table(spans)] if spans is not None else [])


def segment_table(
    sets: Mapping[str, JudgedSystems],
    *,
    domain: str | None = None,
    human: bool = False,
    draws: int = DRAWS,
    seed: int = 12345,
) -> Table:
    """Table 1."""
    both: dict[str, dict[str, list[TaskResult]]] = {
        statistic: _results(sets, "seg", statistic, domain, human, draws, seed) for statistic in ("pearson", "kendall")
    }
    rows: list[dict[str, Any]] = []
    for statistic, by_pair in both.items():
        rows += _rows(by_pair, {"statistic": statistic})
    for row in rows:
        row["column"] = f"{row['langpair']} {'ρ' if row['statistic'] == 'pearson' else 'τ'}"
    return _table("segments", rows, "segment-level Pearson (ρ) and Kendall (τ)", draws)


def system_table(
    sets: Mapping[str, JudgedSystems],
    *,
    domain: str | None = None,
    human: bool = False,
    draws: int = DRAWS,
    seed: int = 12345,
) -> Table:
    """Table 2."""
    rows = _rows(_results(sets, "sys", "pairwise_accuracy", domain, human, draws, seed), {})
    for row in rows:
        row["column"] = row["langpair"]
    return _table("systems", rows, "system-level pairwise accuracy", draws)


def _results(
    sets: Mapping[str, JudgedSystems],
    level: TaskLevel,
    statistic: Statistic,
    domain: str | None,
    human: bool,
    draws: int,
    seed: int,
) -> dict[str, list[TaskResult]]:
    found = {}
    for number, pair in enumerate(sets, 1):
        task = MetaTask(number, (pair,), level, statistic, human=human, domain=domain)
        found[pair] = run_tasks(TaskSet((task,)), sets, significance=draws > 0, draws=draws, seed=seed)
    return found


def _rows(by_pair: Mapping[str, list[TaskResult]], more: Mapping[str, Any]) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = []
    for pair, (result,) in by_pair.items():
        for place, (name, value) in enumerate(zip(result.names, result.values.tolist(), strict=True)):
            cluster = result.clusters[place] if result.clusters is not None else None
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


def span_table(data: SpanData) -> Table:
    """Table 3: F1 with precision and recall; language pairs are averaged at the end."""
    rows: list[dict[str, Any]] = []
    for metric, predicted in data.predicted.items():
        scores = {
            pair: character_score(
                [_target(row) for row in data.gold[pair]],
                [_target(row) for row in spans],
                [len(t) for t in data.texts[pair]],
            )
            for pair, spans in predicted.items()
        }
        for pair, score in scores.items():
            rows.append(
                {
                    "metric": metric,
                    "langpair": pair,
                    "f1": score.f1,
                    "precision": score.precision,
                    "recall": score.recall,
                }
            )
        if scores:
            mean = {
                key: float(np.mean([getattr(s, key) for s in scores.values()])) for key in ("f1", "precision", "recall")
            }
            rows.append({"metric": metric, "langpair": AVERAGE, **mean})
    return Table(
        "spans",
        [
            TableColumn("metric", "metric"),
            TableColumn("langpair", "langpair"),
            TableColumn("f1", "F1", "number", 3),
            TableColumn("precision", "precision", "number", 3, hidden=True),
            TableColumn("recall", "recall", "number", 3, hidden=True),
        ],
        rows,
        caption="character-level F1 of error spans, half credit for the other severity",
        pivot=Pivot("metric", "langpair", "f1"),
    )


def _target(spans: Iterable[ErrorSpan]) -> list[Span]:
    return [(span.start, span.end, span.severity) for span in spans if span.side == "target"]
