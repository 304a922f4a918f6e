"""Ranking of systems by human judgements: means with intervals, pairwise tests, rank ranges and clusters (WMT).

A system's score is the mean over its segments of the mean over annotators. By default, two systems are compared on the
segments that both have, by Wilcoxon's signed-rank test (WMT24, Kocmi et al. 2024). `rank-sum` compares the scores of all
their segments (direct assessment until WMT23), and `permutation` flips the signs of segment differences. Tests are
two-sided at 0.05.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from assay.analyses.campaign.score_arrays import ScoredPair
from assay.analyses.table_parts import estimate_columns, none_if_nan
from assay.core.errors import count
from assay.core.table import Figure, Table, TableColumn
from assay.stats.multiple import cluster_numbers, rank_ranges
from assay.stats.pairwise import pairwise_p_values
from assay.stats.resampling import bootstrap_sums, interval
from assay.stats.two_samples import rank_sum, signed_rank

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Floats

    Bools = NDArray[np.bool_]

SystemTest = Literal["signed-rank", "rank-sum", "permutation"]
TESTS: tuple[SystemTest, ...] = ("signed-rank", "rank-sum", "permutation")
LEVEL = 0.05
MOST_BITS = 60
"""Number of segments beyond which the exact test sets no lower bound on p: 2 / 2^60 is below any reported p."""


def tables(
    pairs: Sequence[ScoredPair],
    *,
    by: str = "score",
    test: SystemTest = "signed-rank",
    samples: int = 1000,
    seed: int = 12345,
    notes: Sequence[str] = (),
    label: str = "score",
) -> list[Table]:
    """Return `systems` (the ranking) and `duels` (each pair of systems)."""
    ranked: list[dict[str, Any]] = []
    duels: list[dict[str, Any]] = []
    for pair in pairs:
        rows, p, favoured = _ranked(pair, by, test, samples, seed)
        ranked += rows
        for i, first in enumerate(rows):
            for j in range(i + 1, len(rows)):
                pair_cells = {"langpair": pair.langpair, "first": first["system"], "second": rows[j]["system"]}
                difference = first[by] - rows[j][by]
                against = bool(p[i, j] < LEVEL and not favoured[i, j])
                duel = {**pair_cells, "difference": difference, "p": float(p[i, j]), "against": "†" if against else ""}
                duels.append({**duel, "first_place": i, "second_place": j})
    marked = any(row["errors"] is not None for row in ranked)
    columns = [
        TableColumn("langpair"), TableColumn("ranks"), TableColumn("system"),
        *estimate_columns("score", label, decimals=2, mark=None), TableColumn("z", "z", "number", 3),
        TableColumn("errors", "errors", "number", 2, lower_is_better=True, hidden=not marked),
        TableColumn("segments", kind="count"), TableColumn("judgements", kind="count"), TableColumn("cluster", kind="count"),
        *(TableColumn(f"z_{side}", kind="number", decimals=3, hidden=True) for side in ("low", "high")),
    ]  # fmt: skip
    notes_below = [
        f"95% bootstrap of segments, n={samples:,}, seed {seed}",
        f"clusters and ranks: {test}, two-sided p < {LEVEL}",
        *notes,
    ]
    for pair in pairs:
        sizes = [row["segments"] for row in ranked if row["langpair"] == pair.langpair]
        if len(set(sizes)) > 1 and test != "rank-sum":
            in_pair = f" in {pair.langpair}" if pair.langpair else ""
            notes_below.append(
                f"systems{in_pair} have {min(sizes):,} to {max(sizes):,} segments; two systems are tested on those that both have"
            )
    if contrary := [duel for duel in duels if duel["against"]]:
        notes_below.append(_contrary(contrary, test))
    reading = (
        "Ranks: from one more than the number of significantly better systems, down to the rank above all significantly worse "
        "ones. All systems of a cluster are significantly better than all systems of the clusters below it."
    )
    shown = label if by == "score" else "score standardised by annotator (z)"
    figure = Figure("ranking", "ranking", {"value": by, "label": shown}, "campaign")
    ranking = Table(
        "systems", columns, ranked, "systems ranked by human judgements", notes_below, reading=reading, figures=[figure]
    )
    two = Table(
        "duels",
        [
            TableColumn("langpair"), TableColumn("first", "system"), TableColumn("second", "against"),
            TableColumn("difference", kind="number", decimals=3), TableColumn("p", kind="p", mark="against"),
            TableColumn("against", hidden=True), TableColumn("first_place", hidden=True), TableColumn("second_place", hidden=True),
        ],
        duels, "pairs of systems", notes_below[1:], reading="Two-sided p-value for the hypothesis that two systems are "
                                                            "judged alike.",
    )  # fmt: skip
    return [ranking, *([two] if duels else [])]


def _ranked(
    pair: ScoredPair, by: str, test: SystemTest, samples: int, seed: int
) -> tuple[list[dict[str, Any]], Floats, Bools]:
    """Return a language pair's rows from best to worst, the p-values, and which duels the first system wins."""
    values = pair.at(by)
    with np.errstate(invalid="ignore"):
        means = np.array([np.nanmean(row) if np.isfinite(row).any() else -np.inf for row in values])
    order = np.argsort(-means, kind="stable")
    judged = [index for index in order.tolist() if np.isfinite(means[index])]
    p, favoured = p_values(values[judged], test)
    better = np.triu((p < LEVEL) & favoured, 1)
    ranges, clusters = rank_ranges(better), cluster_numbers(better)
    rows = []
    for i, index in enumerate(judged):
        best, worst = ranges[i]
        row: dict[str, Any] = {"langpair": pair.langpair, "system": pair.systems[index], "cluster": clusters[i]}
        row["ranks"] = f"{best}–{worst}" if best != worst else str(best)
        for key in ("score", "z"):
            row |= _estimate(key, pair.at(key)[index], samples, seed)
        row["errors"] = None if pair.errors is None else none_if_nan(float(np.nanmean(pair.errors[index])))
        row["segments"] = int(np.isfinite(values[index]).sum())
        row["judgements"] = int(pair.judgements[index].sum())
        rows.append(row)
    return rows, p, favoured


def _contrary(duels: Sequence[dict[str, Any]], test: str) -> str:
    """Name the systems that are ranked differently by mean and by test."""
    first = duels[0]
    example = f"{first['second']} against {first['first']}" + (f" in {first['langpair']}" if first["langpair"] else "")
    return (
        f"† {count(len(duels), 'pair')} of systems not separated: {test} favours the system with the lower mean ({example}"
        f"{', …' if len(duels) > 1 else ''})"
    )


def _estimate(key: str, row: Floats, samples: int, seed: int) -> dict[str, float | None]:
    judged = np.isfinite(row)
    if not judged.any():
        return {key: None, f"{key}_low": None, f"{key}_high": None}
    parts = np.stack([np.where(judged, row, 0.0), judged.astype(np.float64)], axis=1)
    sums = bootstrap_sums(parts, samples, seed)
    resampled = sums[sums[:, 1] > 0]
    bounds = interval(resampled[:, 0] / resampled[:, 1])
    return {key: float(row[judged].mean()), f"{key}_low": bounds.low, f"{key}_high": bounds.high}


def p_values(values: Floats, test: SystemTest) -> tuple[Floats, Bools]:
    """Return the two-sided p for each pair of systems (rows of segment scores, best first), and whether the test favours the first.

    If nothing can be compared, p is 1. It is at least the minimum of the exact test for as many segments (2 / 2^n, or 2 over
    the ways to split two samples): the normal approximation can call five segments significant, although no ordering of five
    can be. A rank test may favour the system with the lower mean if it wins many segments by a little and loses a few by a lot.
    """
    systems = len(values)
    p, favoured = np.ones((systems, systems)), np.zeros((systems, systems), dtype=bool)
    flipped = pairwise_p_values(values) if test == "permutation" and systems > 1 else None
    for i in range(systems):
        for j in range(i + 1, systems):
            both = np.isfinite(values[i]) & np.isfinite(values[j])
            ways = 1 << min(int(both.sum()), MOST_BITS)
            if flipped is not None:
                one_sided = flipped[i, j]
            elif test == "rank-sum":
                first, second = (row[np.isfinite(row)] for row in (values[i], values[j]))
                one_sided = rank_sum(first, second)
                smaller = min(len(first), len(second), MOST_BITS)  # comb(n, k) is large enough for such k
                ways = math.comb(len(first) + len(second), smaller)
            else:
                one_sided = signed_rank(values[i][both] - values[j][both]) if both.any() else np.nan
            if np.isfinite(one_sided):
                two_sided = 2 * min(one_sided, 1 - one_sided) if flipped is None else 2 * one_sided
                p[i, j] = p[j, i] = min(1.0, max(two_sided, 2 / ways))
                favoured[i, j] = one_sided < 0.5
    return p, favoured
