"""Agreement with human judgements by score difference: how far two systems must differ before annotators agree.

Computed from the pairs of judged systems of all language pairs: the non-decreasing curve (isotonic regression) from the size of
the metric's difference to the share of pairs that annotators rank in the same order (compare Kocmi et al. 2024, "Navigating the
Metrics Maze").
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.meta.recipes import MetaTask, TaskSet
from assay.analyses.meta.tasks import gather
from assay.core.judged_systems import JudgedSystems
from assay.core.table import Table, TableColumn
from assay.stats.isotonic import DeltaAgreement, delta_agreement

if TYPE_CHECKING:
    from assay.stats.groups import Floats

LEVELS = (0.80, 0.90, 0.95)


def system_pairs(gold: Floats, metric: Floats) -> tuple[Floats, Floats]:
    """Return the size of the metric's difference and the agreement (1 or 0) for each pair whose human scores are not tied."""
    left, right = np.triu_indices(len(gold), 1)
    human, scores = gold[left] - gold[right], metric[left] - metric[right]
    judged = human != 0
    return np.abs(scores[judged]), (np.sign(scores) == np.sign(human))[judged].astype(np.float64)


def agreement_curves(
    sets: Mapping[str, JudgedSystems],
    langpairs: tuple[str, ...],
    *,
    settings: Mapping[str, Any] | None = None,
    seed: int = 12345,
    draws: int = 1000,
) -> dict[str, DeltaAgreement]:
    """Return the curve for every metric with system scores in all language pairs; `settings` of the task include gold."""
    data = gather(MetaTask(0, langpairs, "sys", "pairwise_accuracy", **(settings or {})), sets)
    curves = {}
    for i, name in enumerate(data.names):
        pairs = [system_pairs(gold, metrics[i]) for gold, metrics in zip(data.gold, data.metrics, strict=True)]
        sizes, agreeing = (np.concatenate(columns) for columns in zip(*pairs, strict=True))
        curves[name] = delta_agreement(
            sizes, agreeing, rng=np.random.default_rng([seed, i]), levels=LEVELS, draws=draws
        )
    return curves


def point_worth_tables(
    tasks: TaskSet,
    sets: Mapping[str, JudgedSystems],
    *,
    settings: Mapping[str, Any] | None = None,
    seed: int = 12345,
    draws: int = 1000,
) -> list[Table]:
    """Return `point_worth` (differences with 80, 90 and 95% agreement, by metric) and `point_curve`."""
    pairs = tuple(tasks.langpairs)
    curves = agreement_curves(sets, pairs, settings=settings, seed=seed, draws=draws)
    bootstrap_note = f"bootstrap over pairs, n={draws:,}"
    return [_levels(curves, pairs, bootstrap_note), _curves(curves, bootstrap_note)]


def _curves(curves: Mapping[str, DeltaAgreement], bootstrap_note: str) -> Table:
    """Return the complete curve of every metric: the two ends of each level segment, between which it is linear."""
    rows: list[dict[str, Any]] = []
    for name, curve in sorted(curves.items()):
        heights = curve.curve.y
        ends = np.flatnonzero(np.diff(heights, prepend=np.nan, append=np.nan) != 0)
        positions = sorted(
            {position for end in ends.tolist() for position in (end - 1, end) if 0 <= position < len(heights)}
        )
        for at in positions:
            row = {
                "metric": name,
                "pairs": curve.pairs,
                "difference": float(curve.curve.x[at]),
                "agree": float(heights[at]),
            }
            rows.append({**row, "agree_low": float(curve.lower[at]), "agree_high": float(curve.upper[at])})
    return Table(
        "point_curve",
        [
            TableColumn("metric"),
            TableColumn("pairs", kind="count", hidden=True),
            TableColumn("difference", kind="number", decimals=3),
            TableColumn("agree", "annotators agree, %", "percent", 1, interval=("agree_low", "agree_high")),
            *(TableColumn(key, kind="percent", hidden=True) for key in ("agree_low", "agree_high")),
        ],
        rows,
        caption="share of system pairs that annotators order as the metric does, by the size of its difference",
        notes=[f"isotonic regression over all pairs of judged systems, linear between two rows · 95% {bootstrap_note}"],
    )


def _levels(curves: Mapping[str, DeltaAgreement], pairs: tuple[str, ...], bootstrap_note: str) -> Table:
    rows: list[dict[str, Any]] = []
    for name, curve in sorted(curves.items()):
        row: dict[str, Any] = {"metric": name, "langpair": "+".join(pairs), "pairs": curve.pairs}
        for level in LEVELS:
            key = f"d{100 * level:.0f}"
            row[key] = curve.needed[level]
            if (need := curve.needed[level]) is not None:
                at = int(np.searchsorted(curve.curve.x, need))
                row[f"{key}_agree_low"], row[f"{key}_agree_high"] = float(curve.lower[at]), float(curve.upper[at])
        rows.append(row)
    return Table(
        "point_worth",
        [
            TableColumn("metric", "metric"),
            TableColumn("langpair", "langpair", hidden=True),
            TableColumn("pairs", "pairs", "count"),
            *(TableColumn(f"d{100 * level:.0f}", f"{100 * level:.0f}% agree", "number", 3) for level in LEVELS),
        ],
        rows,
        caption="difference between two systems from which annotators agree with the metric",
        notes=[
            "isotonic regression over all pairs of judged systems; empty if the share is never reached",
            f"data formats add the 95% interval of the share at that difference ({bootstrap_note})",
        ],
    )
