"""Systems beside each other: corpus scores, and how sure one can be of a difference.

Confidence intervals are bootstrap intervals over segments (Koehn 2004); p-values come from the paired bootstrap and from
paired approximate randomization (Riezler and Maxwell 2005), each against the first system, with sacrebleu's draws.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.memory import refuse_beyond_memory
from assay.core.metric import Metric
from assay.core.sums import exact_sum
from assay.core.table import Table, TableColumn
from assay.stats import resampling

if TYPE_CHECKING:
    from assay.core.metric import Floats

SIGNIFICANT = 0.05


@dataclass(frozen=True, slots=True)
class Standing:
    """How one system stands by one metric; p-values are None for the baseline."""

    score: float
    mean: float | None = None
    low: float | None = None
    high: float | None = None
    p_bootstrap: float | None = None
    p_randomization: float | None = None
    better: bool = False
    """Better than the baseline, and p_bootstrap < 0.05."""
    identical: bool = False
    """Every segment has the baseline's statistics: there is no difference to test, and the p-values say nothing."""


Standings = dict[str, dict[str, Standing]]
"""System to metric name to standing; the first system is the baseline."""


def plain(corpus: Mapping[str, Mapping[str, float]]) -> Standings:
    """Corpus scores alone, by system and metric."""
    return {system: {name: Standing(value) for name, value in row.items()} for system, row in corpus.items()}


def compare(
    stats: Mapping[str, Mapping[str, Floats]],
    metrics: Mapping[str, Metric],
    *,
    samples: int = 1000,
    trials: int = 10_000,
    seed: int | None = 12345,
    paired: bool = True,
) -> Standings:
    """Scores with intervals and, for every system but the first, p-values against the first.

    `stats` holds the sufficient statistics of every segment, by system and metric name. `trials` of 0 leaves the
    randomization test out; ``paired=False`` leaves both tests out.
    """
    names = list(stats)
    standings: Standings = {system: {} for system in names}
    for name, metric in metrics.items():
        columns = {system: np.ascontiguousarray(stats[system][name]) for system in names}
        _refuse_too_many(columns[names[0]].shape[1], len(names), samples, trials if paired else 0)
        # All systems share the resamples, so their statistics are summed side by side in one pass.
        sums = _bootstrap(columns, names, samples, seed, paired)
        baseline = names[0]
        for i, system in enumerate(names):
            score = float(metric.combine(exact_sum(columns[system])))
            resampled = metric.combine(sums[i])
            spread = resampling.interval(resampled)
            p_bootstrap = p_randomization = None
            better = identical = False
            if paired and system != baseline:
                first = standings[baseline][name].score
                observed = abs(first - score)
                p_bootstrap = resampling.paired_bootstrap(metric.combine(sums[0]), resampled, observed)
                if trials:
                    p_randomization = resampling.paired_randomization(
                        columns[baseline], columns[system], metric.combine, observed, trials, seed
                    )
                ahead = score > first if metric.card.higher_is_better else score < first
                better = ahead and p_bootstrap < SIGNIFICANT
                identical = np.array_equal(columns[baseline], columns[system], equal_nan=True)
            standings[system][name] = Standing(
                score, spread.mean, spread.low, spread.high, p_bootstrap, p_randomization, better, identical
            )
    return standings


def _refuse_too_many(width: int, systems: int, samples: int, trials: int) -> None:
    """All systems' sums are held twice while they are joined, then once beside one system's on their way to scores; a trial
    holds its sums four times."""
    size = np.dtype(np.float64).itemsize
    refuse_beyond_memory("--samples", samples, size * (width * (2 * systems + 1) + 4))
    refuse_beyond_memory("--trials", trials, size * (width * 4 + 4))


def identical_notes(standings: Standings, metrics: Mapping[str, Metric]) -> list[str]:
    """A line for every system that no test can tell from the baseline."""
    baseline = next(iter(standings))
    notes = []
    for system, row in standings.items():
        same = [metrics[name].card.label for name, standing in row.items() if standing.identical]
        if same:
            notes.append(
                f"{system} is identical to {baseline} by {', '.join(same)}, segment by segment: its p-values (sacrebleu's, the "
                "smallest there are) say nothing"
            )
    return notes


def _bootstrap(
    columns: Mapping[str, Floats], names: Sequence[str], samples: int, seed: int | None, paired: bool
) -> list[Floats]:
    if not paired or len({len(column) for column in columns.values()}) > 1:
        return [resampling.bootstrap_sums(columns[system], samples, seed) for system in names]
    side_by_side = np.concatenate([columns[system] for system in names], axis=1)
    sums = resampling.bootstrap_sums(side_by_side, samples, seed)
    edges = np.cumsum([columns[system].shape[1] for system in names])[:-1]
    return np.split(sums, edges, axis=1)


def table(
    standings: Standings, metrics: Mapping[str, Metric], *, caption: str = "", notes: Sequence[str] = ()
) -> Table:
    """One line a system, one column a metric, intervals and stars beside the scores where they are known."""
    columns = [TableColumn("system", " ")]
    for name, metric in metrics.items():
        card = metric.card
        # A model on the disk is shown by its name, unless another in the table has the same.
        path = "/" in name and [each.card.label for each in metrics.values()].count(card.label) == 1
        label = card.label if name == card.name or path else name
        columns.append(
            TableColumn(
                name,
                label,
                "number",
                card.decimals,
                lower_is_better=not card.higher_is_better,
                interval=(f"{name} low", f"{name} high"),
                mark=f"{name} mark",
            )
        )
    rows = []
    for system, row in standings.items():
        cells: dict[str, Any] = {"system": system}
        for name, standing in row.items():
            cells[name] = standing.score
            if standing.low is not None:
                cells[f"{name} low"], cells[f"{name} high"] = standing.low, standing.high
            if standing.p_bootstrap is not None:
                cells[f"{name} p bootstrap"] = standing.p_bootstrap
                cells[f"{name} p randomization"] = standing.p_randomization
                cells[f"{name} mark"] = "*" if standing.better else ""
                if standing.identical:
                    cells[f"{name} identical"] = True
        rows.append(cells)
    return Table("systems", columns, rows, caption=caption, notes=tuple(notes))
