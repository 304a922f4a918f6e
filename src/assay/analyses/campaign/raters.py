"""Annotators in a campaign: strictness, and agreement on scores (Krippendorff's alpha, correlations)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.campaign.score_arrays import by_rater
from assay.analyses.table_parts import estimate_columns, none_if_nan
from assay.core.campaign import Campaign, Cell
from assay.core.errors import count
from assay.core.table import Table, TableColumn
from assay.stats.correlation import kendall, pearson
from assay.stats.rater_reliability import alpha, alpha_parts
from assay.stats.resampling import bootstrap_sums, interval
from assay.stats.spans import sum_by_group

if TYPE_CHECKING:
    from assay.core.metric import Floats

FEWEST = 3
"""Minimum number of translations shared by two annotators for a correlation."""


def tables(campaign: Campaign, *, samples: int = 1000, seed: int = 12345) -> list[Table]:
    """Return `raters` (one row each), `agreement` (all together) and `rater_pairs` (each pair)."""
    rater_rows: list[dict[str, Any]] = []
    agreement: list[dict[str, Any]] = []
    pair_rows: list[dict[str, Any]] = []
    for pair in campaign.langpairs:
        raters, cells, scores = by_rater(campaign, pair)
        rater_rows += _each(campaign, pair, raters, scores)
        pairs = _pairs(pair, raters, scores)
        pair_rows += pairs
        agreement.append(_whole(pair, scores, cells, pairs, samples, seed))
    all_tables = [_rater_table(rater_rows, campaign.marked)]
    if any(row["alpha"] is not None for row in agreement):
        all_tables.append(_agreement_table(agreement, samples, seed))
    return all_tables + ([_pair_table(pair_rows)] if pair_rows else [])


def _each(campaign: Campaign, pair: str, raters: Sequence[str], scores: Floats) -> list[dict[str, Any]]:
    """Return one row per annotator: number, mean and spread of scores, marked errors, and correlation with the others' mean."""
    marked: dict[str, list[int]] = {rater: [] for rater in raters}
    for cell, judgement in campaign.each():
        if cell.langpair == pair:
            marked[judgement.rater].append(sum(span.severity != "neutral" for span in judgement.spans))
    rows = []
    for index, rater in enumerate(raters):
        rater_scores = scores[index][np.isfinite(scores[index])]
        others = np.delete(scores, index, axis=0)
        shared = np.isfinite(scores[index]) & np.isfinite(others).any(axis=0)
        row: dict[str, Any] = {"langpair": pair, "rater": rater, "n": len(marked[rater]), "shared": int(shared.sum())}
        row["mean"] = none_if_nan(float(rater_scores.mean())) if len(rater_scores) else None
        row["deviation"] = none_if_nan(float(rater_scores.std(ddof=1))) if len(rater_scores) > 1 else None
        row["errors"] = float(np.mean(marked[rater])) if campaign.marked else None
        row["clean"] = float(np.mean(np.array(marked[rater]) == 0)) if campaign.marked else None
        mean = np.nanmean(others[:, shared], axis=0) if shared.any() else np.empty(0)
        row["others"] = _pearson(scores[index][shared], mean)
        rows.append(row)
    return rows


def _pearson(x: Floats, y: Floats) -> float | None:
    if len(x) < FEWEST or np.ptp(x) == 0 or np.ptp(y) == 0:
        return None
    return float(pearson(x, y).value)


def _pairs(pair: str, raters: Sequence[str], scores: Floats) -> list[dict[str, Any]]:
    rows = []
    judged = np.isfinite(scores)
    for a, b in combinations(range(len(raters)), 2):
        shared = judged[a] & judged[b]
        if shared.sum() < FEWEST:
            continue
        x, y = scores[a][shared], scores[b][shared]
        row = {"langpair": pair, "first": raters[a], "second": raters[b], "n": len(x), "pearson": _pearson(x, y)}
        row["kendall"] = None if row["pearson"] is None else float(kendall(x, y).value)
        rows.append({**row, "difference": float((x - y).mean())})
    return rows


def _whole(
    pair: str, scores: Floats, cells: Sequence[Cell], pairs: Sequence[dict[str, Any]], samples: int, seed: int
) -> dict[str, Any]:
    """Return alpha with its interval from resampled segments, and the mean correlation between two annotators."""
    parts = sum_by_group(alpha_parts(scores), [cell.segment for cell in cells])
    value = float(alpha(parts.sum(axis=0)))
    resampled = alpha(bootstrap_sums(parts, samples, seed))
    resampled = resampled[np.isfinite(resampled)]
    bounds = interval(resampled) if len(resampled) else None
    known_pairs = [row["pearson"] for row in pairs if row["pearson"] is not None]
    judged = np.isfinite(scores).sum(axis=0)
    return {
        "langpair": pair,
        "alpha": none_if_nan(value),
        "alpha_low": bounds.low if bounds else None,
        "alpha_high": bounds.high if bounds else None,
        "pearson": float(np.mean(known_pairs)) if known_pairs else None,
        "raters": len(scores),
        "pairs": len(pairs),
        "shared": int((judged > 1).sum()),
        "n": int((judged > 0).sum()),
    }


def _rater_table(rows: list[dict[str, Any]], marked: bool) -> Table:
    columns = [
        TableColumn("langpair"), TableColumn("rater", "annotator"), TableColumn("n", "translations", "count"),
        TableColumn("mean", "mean score", "number", 2), TableColumn("deviation", "deviation", "number", 2),
        TableColumn("errors", "errors", "number", 2, hidden=not marked),
        TableColumn("clean", "no error, %", "percent", 1, hidden=not marked),
        TableColumn("others", "r with others", "number", 3), TableColumn("shared", "shared", "count"),
    ]  # fmt: skip
    reading = (
        "Strictness of each annotator, and correlation with the mean of the others on the translations they share."
    )
    return Table("raters", columns, rows, "annotators", reading=reading)


def _agreement_table(rows: list[dict[str, Any]], samples: int, seed: int) -> Table:
    columns = [
        TableColumn("langpair"), *estimate_columns("alpha", "alpha", mark=None), TableColumn("pearson", "mean r", "number", 3),
        TableColumn("raters", "annotators", "count"), TableColumn("pairs", "pairs of annotators", "count"),
        TableColumn("shared", "shared translations", "count"), TableColumn("n", "translations", "count"),
    ]  # fmt: skip
    reading = (
        "Krippendorff's alpha (interval scale): 1 is full agreement, 0 is chance, above 0.8 is good. Unlike the mean "
        "correlation of two annotators, it also reflects differences in strictness."
    )
    notes = [f"95% bootstrap of segments, n={samples:,}, seed {seed}"]
    return Table("agreement", columns, rows, "agreement of annotators on scores", notes, reading=reading)


def _pair_table(rows: list[dict[str, Any]]) -> Table:
    columns = [
        TableColumn("langpair"), TableColumn("first", "annotator"), TableColumn("second", "annotator"),
        TableColumn("pearson", "Pearson", "number", 3), TableColumn("kendall", "Kendall", "number", 3),
        TableColumn("difference", "mean difference", "number", 2), TableColumn("n", "translations", "count"),
    ]  # fmt: skip
    note = f"pairs of annotators with at least {count(FEWEST, 'translation')} in common"
    return Table(
        "rater_pairs",
        columns,
        rows,
        "pairs of annotators",
        [note],
        reading="Scores of two annotators for the same texts.",
    )
