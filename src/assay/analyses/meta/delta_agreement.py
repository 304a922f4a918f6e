"""What a point is worth: how far two systems must lie apart by a metric before people agree which is better.

From the pairs of judged systems of all language pairs: the rising curve (isotonic regression) from the size of the metric's
difference to the share of pairs that people order alike (compare Kocmi et al. 2024, "Navigating the Metrics Maze").
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
    """The size of the metric's difference and whether people agree (1 or 0), for each pair people do not hold equal."""
    left, right = np.triu_indices(len(gold), 1)
    people, points = gold[left] - gold[right], metric[left] - metric[right]
    judged = people != 0
    return np.abs(points[judged]), (np.sign(points) == np.sign(people))[judged].astype(np.float64)


def worth_of(
    sets: Mapping[str, JudgedSystems],
    langpairs: tuple[str, ...],
    *,
    settings: Mapping[str, Any] | None = None,
    seed: int = 12345,
    draws: int = 1000,
) -> dict[str, DeltaAgreement]:
    """The curve of every metric that has system scores in all the language pairs; `settings` of the task are gold and such."""
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
    """`point_worth` (for each metric the difference from which people agree in 80, 90 and 95% of the cases) and `point_curve`."""
    pairs = tuple(tasks.langpairs)
    curves = worth_of(sets, pairs, settings=settings, seed=seed, draws=draws)
    drawn = f"bootstrap over pairs, n={draws:,}"
    return [_levels(curves, pairs, drawn), _curves(curves, drawn)]


def _curves(curves: Mapping[str, DeltaAgreement], drawn: str) -> Table:
    """The whole curve of every metric: the two ends of each level stretch, between which it is straight."""
    rows: list[dict[str, Any]] = []
    for name, worth in sorted(curves.items()):
        heights = worth.curve.y
        ends = np.flatnonzero(np.diff(heights, prepend=np.nan, append=np.nan) != 0)
        places = sorted({place for end in ends.tolist() for place in (end - 1, end) if 0 <= place < len(heights)})
        for at in places:
            row = {
                "metric": name,
                "pairs": worth.pairs,
                "difference": float(worth.curve.x[at]),
                "agree": float(heights[at]),
            }
            rows.append({**row, "agree_low": float(worth.lower[at]), "agree_high": float(worth.upper[at])})
    return Table(
        "point_curve",
        [
            TableColumn("metric"),
            TableColumn("pairs", kind="count", hidden=True),
            TableColumn("difference", kind="number", decimals=3),
            TableColumn("agree", "people agree, %", "percent", 1, interval=("agree_low", "agree_high")),
            *(TableColumn(key, kind="percent", hidden=True) for key in ("agree_low", "agree_high")),
        ],
        rows,
        caption="share of system pairs that people order as the metric does, by the size of its difference",
        notes=[f"isotonic regression over all pairs of judged systems, straight between two lines · 95% {drawn}"],
    )


def _levels(curves: Mapping[str, DeltaAgreement], pairs: tuple[str, ...], drawn: str) -> Table:
    rows: list[dict[str, Any]] = []
    for name, worth in sorted(curves.items()):
        row: dict[str, Any] = {"metric": name, "langpair": "+".join(pairs), "pairs": worth.pairs}
        for level in LEVELS:
            key = f"d{100 * level:.0f}"
            row[key] = worth.needed[level]
            if (need := worth.needed[level]) is not None:
                at = int(np.searchsorted(worth.curve.x, need))
                row[f"{key}_agree_low"], row[f"{key}_agree_high"] = float(worth.lower[at]), float(worth.upper[at])
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
        caption="difference between two systems from which people agree with the metric",
        notes=[
            "isotonic regression over all pairs of judged systems; empty where the share is never reached",
            f"data formats add the 95% interval of the share at that difference ({drawn})",
        ],
    )
