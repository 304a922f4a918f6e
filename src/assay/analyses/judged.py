"""Correlation of metrics with human scores on judged segments, by language pair.

All judged segments of a language pair are one sample, whichever system they come from (WMT's "no grouping"). `assay meta` has
the official tasks, which also consider systems and the competing translations of each segment.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.table_parts import INVERTED_BELOW, METRIC, contamination_notes, inverted_note, metric_cells
from assay.core.analysis import requires
from assay.core.errors import InputError, count
from assay.core.judged import Judged
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.correlation import kendall, pearson

if TYPE_CHECKING:
    from assay.stats.groups import Floats


def _lacks(judged: Judged) -> str:
    return "" if judged.scores else "human scores"


@requires("judged", _lacks)
def tables(
    judged: Judged, measured: Sequence[Measured], *, seed: int = 12345, samples: int = 1000, correction: str = "none"
) -> list[Table]:
    """Return `summary` (Pearson by language pair) and `agreement` (Pearson and Kendall with the number of segments)."""
    if not judged.scores:
        raise InputError("the judged set contains no human scores to compare with.")
    gold = next(iter(judged.scores.values()))
    pairs = np.array(judged.batch.langpairs if judged.batch.langpairs is not None else [""] * len(judged.batch))
    rows: list[dict[str, Any]] = []
    notes = list(contamination_notes(measured))
    for metric in measured:
        values = _values(metric, len(gold))
        scored = ~np.isnan(gold) & ~np.isnan(values)
        if missing := int((~np.isnan(gold) & np.isnan(values)).sum()):
            notes.append(f"{metric.name}: {count(missing, 'segment')} unscored and left out")
        for pair in sorted(set(pairs.tolist())):
            rows.append(
                {**metric_cells(metric), "langpair": pair, **_agreement(gold, values, scored & (pairs == pair))}
            )
        correlations = [row["pearson"] for row in rows if row["metric"] == metric.name]
        if correlations and max(correlations) < INVERTED_BELOW:
            what = f"its correlation with human judgements is {max(correlations):.2f} or lower"
            notes.append(inverted_note(metric.name, what, higher_is_better=metric.card.higher_is_better))
    columns = [
        METRIC,
        TableColumn("langpair", "langpair"),
        TableColumn("pearson", "Pearson", "number", 3),
    ]
    long = [*columns, TableColumn("kendall", "Kendall", "number", 3), TableColumn("n", "segments", "count")]
    return [
        Table("summary", columns, rows, "segment-level Pearson", notes, Pivot("metric", "langpair", "pearson")),
        Table(
            "agreement", long, rows, "agreement with human judgements, all segments of a language pair together", notes
        ),
    ]


def _values(metric: Measured, size: int) -> Floats:
    if metric.values is None or len(metric.values) != size:
        scored = 0 if metric.values is None else len(metric.values)
        raise InputError(f"{metric.name} has {count(scored, 'score')} for a judged set of {count(size, 'segment')}.")
    return metric.values if metric.card.higher_is_better else -metric.values


def _agreement(human: Floats, values: Floats, chosen: Any) -> dict[str, Any]:
    n = int(chosen.sum())
    if n < 2:
        return {"pearson": float("nan"), "kendall": float("nan"), "n": n}
    gold, metric = human[chosen], values[chosen]
    return {"pearson": float(pearson(gold, metric).value), "kendall": float(kendall(gold, metric).value), "n": n}
