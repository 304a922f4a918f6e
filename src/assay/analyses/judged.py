"""Metrics on judged segments: correlation with people's scores, language pair by language pair.

All judged segments of a language pair are one sample, whatever system they are from (WMT's "no grouping"). The official
tasks, which also look at systems and at each segment's competitors, are `assay meta`.
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
    return "" if judged.scores else "scores by people"


@requires("judged", _lacks)
def tables(
    judged: Judged, measured: Sequence[Measured], *, seed: int = 12345, samples: int = 1000, correction: str = "none"
) -> list[Table]:
    """The table `summary` (Pearson by language pair) and `agreement` (Pearson and Kendall with the number of segments)."""
    if not judged.scores:
        raise InputError("the judged set has no scores by people to agree with.")
    people = next(iter(judged.scores.values()))
    pairs = np.array(judged.batch.langpairs if judged.batch.langpairs is not None else [""] * len(judged.batch))
    rows: list[dict[str, Any]] = []
    notes = list(contamination_notes(measured))
    for metric in measured:
        values = _values(metric, len(people))
        scored = ~np.isnan(people) & ~np.isnan(values)
        if missing := int((~np.isnan(people) & np.isnan(values)).sum()):
            notes.append(f"{metric.name}: {count(missing, 'segment')} unscored and left out")
        for pair in sorted(set(pairs.tolist())):
            rows.append(
                {**metric_cells(metric), "langpair": pair, **_agreement(people, values, scored & (pairs == pair))}
            )
        mine = [row["pearson"] for row in rows if row["metric"] == metric.name]
        if mine and max(mine) < INVERTED_BELOW:
            what = f"its correlation with human judgements is {max(mine):.2f} or lower"
            notes.append(inverted_note(metric.name, what, higher_is_better=metric.card.higher_is_better))
    columns = [
        METRIC,
        TableColumn("langpair", "langpair"),
        TableColumn("pearson", "Pearson", "number", 3),
    ]
    long = [*columns, TableColumn("kendall", "Kendall", "number", 3), TableColumn("n", "segments", "count")]
    return [
        Table("summary", columns, rows, "segment-level Pearson", notes, Pivot("metric", "langpair", "pearson")),
        Table("agreement", long, rows, "agreement with people, all segments of a language pair at once", notes),
    ]


def _values(metric: Measured, size: int) -> Floats:
    if metric.values is None or len(metric.values) != size:
        scored = 0 if metric.values is None else len(metric.values)
        raise InputError(f"{metric.name} has {count(scored, 'score')}, the judged set has {count(size, 'segment')}.")
    return metric.values if metric.card.higher_is_better else -metric.values


def _agreement(people: Floats, values: Floats, chosen: Any) -> dict[str, Any]:
    n = int(chosen.sum())
    if n < 2:
        return {"pearson": float("nan"), "kendall": float("nan"), "n": n}
    gold, metric = people[chosen], values[chosen]
    return {"pearson": float(pearson(gold, metric).value), "kendall": float(kendall(gold, metric).value), "n": n}
