"""Correlation of metrics with human judgements: bootstrap intervals, and Williams' test for each pair of metrics.

The bootstrap follows Deutsch et al. 2021.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.analyses.campaign.score_arrays import ScoredPair
from assay.analyses.table_parts import INVERTED_BELOW, estimate_columns, inverted_note, none_if_nan
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
"""Scores (systems by segments), higher is better, by language pair and metric."""


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
    """Return `metrics`, and `williams` if there are several metrics."""
    rows: list[dict[str, Any]] = []
    tests: list[dict[str, Any]] = []
    for pair in pairs:
        names = list(scores.get(pair.langpair, {}))
        if not names:
            continue
        stack = np.stack([scores[pair.langpair][name] for name in names])
        gold = np.where(np.isfinite(stack).all(axis=0), pair.at(by), np.nan)
        judged_systems = np.isfinite(gold).any(axis=1)
        gold, stack = gold[judged_systems], stack[:, judged_systems]
        for level in LEVELS:
            if level == "sys" and judged_systems.sum() < 3:
                continue
            rows += _correlation_rows(pair.langpair, level, names, gold, stack, statistic, resample, samples, seed)
            tests += _williams_rows(pair.langpair, level, names, gold, stack, statistic)
    label = statistic.capitalize()
    columns = [
        TableColumn("langpair"), TableColumn("level"), TableColumn("metric"),
        *estimate_columns("correlation", label, mark=None), TableColumn("n", kind="count"),
    ]  # fmt: skip
    resampled = {"both": "systems and segments", "inputs": "segments", "systems": "systems"}[resample]
    notes = [
        f"95% bootstrap of {resampled}, n={samples:,}, seed {seed}",
        "a system's score is the mean of its segment scores",
    ]
    for name in dict.fromkeys(row["metric"] for row in rows):
        correlations = [row["correlation"] for row in rows if row["metric"] == name and row["correlation"] is not None]
        if correlations and max(correlations) < INVERTED_BELOW:
            notes.append(
                inverted_note(name, f"its correlation with human judgements is {max(correlations):.2f} or lower")
            )
    reading = "Correlation of metrics with these judgements, over all judged translations together and over the means of systems."
    all_tables = [Table("metrics", columns, rows, "metrics and human judgements", notes, reading=reading)]
    return all_tables + ([_williams_table(tests, label)] if tests else [])


def _means(values: Floats, judged: Any) -> Floats:
    """Return the mean of each system over its judged segments."""
    with np.errstate(invalid="ignore"):
        return np.asarray(np.where(judged, values, 0.0).sum(axis=-1) / judged.sum(axis=-1))


def _correlation_rows(
    langpair: str, level: str, names: Sequence[str], gold: Floats, stack: Floats, statistic: Correlation,
    resample: Resample, samples: int, seed: int,
) -> list[dict[str, Any]]:  # fmt: skip
    of = CORRELATIONS[statistic]

    def value(gold_scores: Floats, metrics: Floats) -> Floats:
        if level == "sys":
            judged = np.isfinite(gold_scores)
            gold_scores, metrics = _means(gold_scores, judged), _means(metrics, judged[None])
            metrics = metrics[:, np.isfinite(gold_scores), None]
            gold_scores = gold_scores[np.isfinite(gold_scores)]
        agreement = of(gold_scores, np.nan_to_num(metrics))
        return np.where(agreement.weight > 0, agreement.value, np.nan)  # undefined values are 0 there

    resampled = bootstrap(
        gold, stack, value, rng=np.random.default_rng(seed), resample=resample, draws=samples
    )  # undefined draws (a sample of one system) are NaN and left out
    values = value(gold, stack)
    n = int(np.isfinite(gold).sum()) if level == "seg" else len(gold)
    return [
        {
            "langpair": langpair, "level": LEVELS[level], "metric": name, "n": n, "correlation": none_if_nan(float(values[i])),
            "correlation_low": none_if_nan(float(resampled.lower[i])), "correlation_high": none_if_nan(float(resampled.upper[i])),
        }
        for i, name in enumerate(names)
    ]  # fmt: skip


def _williams_rows(
    langpair: str, level: str, names: Sequence[str], gold: Floats, stack: Floats, statistic: Correlation
) -> list[dict[str, Any]]:
    judged = np.isfinite(gold)
    gold_scores, metrics = (gold, stack) if level == "seg" else (_means(gold, judged), _means(stack, judged[None]))

    def correlation(x: Floats, y: Floats) -> float:
        return float(CORRELATIONS[statistic](x, y).value)

    rows = []
    for a, b in combinations(range(len(names)), 2):
        test, r1, r2 = williams_test(gold_scores, metrics[a], metrics[b], correlation)
        row = {"langpair": langpair, "level": LEVELS[level], "first": names[a], "second": names[b], "r1": r1, "r2": r2}
        rows.append({**row, "t": none_if_nan(test.t), "df": test.df, "p": none_if_nan(test.p_two_sided)})
    return rows


def _williams_table(rows: list[dict[str, Any]], label: str) -> Table:
    columns = [
        TableColumn("langpair"), TableColumn("level"), TableColumn("first", "metric"), TableColumn("second", "against"),
        TableColumn("r1", label, "number", 3), TableColumn("r2", label, "number", 3), TableColumn("t", "t", "number", 2),
        TableColumn("df", "df", "count"), TableColumn("p", "p", "p"),
    ]  # fmt: skip
    reading = (
        "Whether two metrics correlate differently with the same judgements (two-sided, given their own correlation)."
    )
    note = f"{count(len(rows), 'test')}, not corrected for multiple comparisons"
    return Table("williams", columns, rows, "Williams' test of two metrics", [note], reading=reading)
