"""Metrics beside people's judgements: correlations with bootstrap intervals (Deutsch et al. 2021), Williams' test of every two."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.analyses.campaign.score_arrays import ScoredPair
from assay.analyses.table_parts import INVERTED_BELOW, estimate_columns, inverted_note, known
from assay.core.errors import count
from assay.core.table import Table, TableColumn
from assay.stats.correlation import kendall, pearson, spearman
from assay.stats.correlation_tests import Resample, bootstrap, williams_test

if TYPE_CHECKING:
    from assay.core.metric import Floats

Correlation = Literal["pearson", "spearman", "kendall"]
CORRELATIONS = {"pearson": pearson, "spearman": spearman, "kendall": kendall}
LEVELS = {"seg": "segments", "sys": "systems"}
MetricScores = Mapping[str, Mapping[str, "Floats"]]
"""Language pair to metric to scores (systems by segments), higher for better."""


def tables(
    pairs: Sequence[ScoredPair],
    scores: MetricScores,
    *,
    by: str = "score",
    statistic: Correlation = "pearson",
    resample: Resample = "both",
    samples: int = 1000,
    seed: int = 12345,
) -> list[Table]:
    """`metrics`, and `williams` where there are several metrics."""
    rows: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for pair in pairs:
        names = list(scores.get(pair.langpair, {}))
        if not names:
            continue
        stack = np.stack([scores[pair.langpair][name] for name in names])
        gold = np.where(np.isfinite(stack).all(axis=0), pair.at(by), np.nan)
        kept = np.isfinite(gold).any(axis=1)
        gold, stack = gold[kept], stack[:, kept]
        for level in LEVELS:
            if level == "sys" and kept.sum() < 3:
                continue
            rows += _correlated(pair.langpair, level, names, gold, stack, statistic, resample, samples, seed)
            tests += _tested(pair.langpair, level, names, gold, stack, statistic)
    label = statistic.capitalize()
    columns = [
        TableColumn("langpair"), TableColumn("level"), TableColumn("metric"),
        *estimate_columns("correlation", label, mark=None), TableColumn("n", kind="count"),
    ]  # fmt: skip
    drawn = {"both": "systems and segments", "inputs": "segments", "systems": "systems"}[resample]
    notes = [f"95% bootstrap of {drawn}, n={samples:,}, seed {seed}", "a system's score is the mean of its segments'"]
    for name in dict.fromkeys(row["metric"] for row in rows):
        mine = [row["correlation"] for row in rows if row["metric"] == name and row["correlation"] is not None]
        if mine and max(mine) < INVERTED_BELOW:
            notes.append(inverted_note(name, f"its correlation with human judgements is {max(mine):.2f} or lower"))
    reading = "How closely metrics follow these judgements: over all judged translations at once, and over the systems' means."
    made = [Table("metrics", columns, rows, "metrics and people", notes, reading=reading)]
    return made + ([_williams_table(tests, label)] if tests else [])


def _means(values: Floats, judged: Any) -> Floats:
    """A system's mean over its judged segments."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(judged, values, 0.0).sum(axis=-1) / judged.sum(axis=-1))


def _correlated(
    langpair: str, level: str, names: Sequence[str], gold: Floats, stack: Floats, statistic: Correlation,
    resample: Resample, samples: int, seed: int,
) -> list[dict[str, Any]]:  # fmt: skip
    of = CORRELATIONS[statistic]

    def value(people: Floats, metrics: Floats) -> Floats:
        if level == "sys":
            judged = np.isfinite(people)
            people, metrics = _means(people, judged), _means(metrics, judged[None])
            metrics = metrics[:, np.isfinite(people), None]
            people = people[np.isfinite(people)]
        found = of(people, np.nan_to_num(metrics))
        return np.where(found.weight > 0, found.value, np.nan)  # 0 stands for what is not defined

    drawn = bootstrap(
        gold, stack, value, rng=np.random.default_rng(seed), resample=resample, draws=samples
    )  # undefined draws (a sample of one system) are NaN and left out
    found = value(gold, stack)
    n = int(np.isfinite(gold).sum()) if level == "seg" else len(gold)
    return [
        {
            "langpair": langpair, "level": LEVELS[level], "metric": name, "n": n, "correlation": known(float(found[i])),
            "correlation_low": known(float(drawn.lower[i])), "correlation_high": known(float(drawn.upper[i])),
        }
        for i, name in enumerate(names)
    ]  # fmt: skip


def _tested(
    langpair: str, level: str, names: Sequence[str], gold: Floats, stack: Floats, statistic: Correlation
) -> list[dict[str, Any]]:
    judged = np.isfinite(gold)
    people, metrics = (gold, stack) if level == "seg" else (_means(gold, judged), _means(stack, judged[None]))

    def correlation(x: Floats, y: Floats) -> float:
        return float(CORRELATIONS[statistic](x, y).value)

    rows = []
    for a, b in combinations(range(len(names)), 2):
        found, r1, r2 = williams_test(people, metrics[a], metrics[b], correlation)
        row = {"langpair": langpair, "level": LEVELS[level], "first": names[a], "second": names[b], "r1": r1, "r2": r2}
        rows.append({**row, "t": known(found.t), "df": found.df, "p": known(found.p_two_sided)})
    return rows


def _williams_table(rows: list[dict[str, Any]], label: str) -> Table:
    columns = [
        TableColumn("langpair"), TableColumn("level"), TableColumn("first", "metric"), TableColumn("second", "against"),
        TableColumn("r1", label, "number", 3), TableColumn("r2", label, "number", 3), TableColumn("t", "t", "number", 2),
        TableColumn("df", "df", "count"), TableColumn("p", "p", "p"),
    ]  # fmt: skip
    reading = "Do two metrics correlate differently with the same judgements? Two-sided; their own correlation counts."
    note = f"{count(len(rows), 'test')}, not corrected for their number"
    return Table("williams", columns, rows, "Williams' test of two metrics", [note], reading=reading)
