"""Single segments that a comparison turns on: a system's worst, and those that changed most from the baseline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.metric import Metric
from assay.core.table import Table, TableColumn

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Floats

TEXTS = ("sources", "reference", "hypotheses", "ids", "documents")
"""Columns of a run that the tables show."""
Values = Mapping[str, Mapping[str, "Floats"]]
"""System to metric to the values of its segments, which are the same for every system."""
Texts = Mapping[tuple[str, int], Mapping[str, Any]]
"""(System, segment from 0) to what is known of it, by the names of `TEXTS`."""


def worst(values: Values, system: str, metric: str, many: int, *, higher_is_better: bool) -> list[int]:
    """The segments on which a system scores worst, worst first; those without a score take no part."""
    column = values[system][metric]
    return _first(column if higher_is_better else -column, many)


def changed(values: Values, system: str, metric: str, many: int) -> list[int]:
    """The segments whose score lies furthest from the baseline's, whichever way."""
    baseline = next(iter(values))
    gap = np.abs(values[system][metric] - values[baseline][metric])
    return [i for i in _first(-gap, many) if gap[i] > 0]


def _first(column: NDArray[np.float64], many: int) -> list[int]:
    order = np.argsort(column, kind="stable")[:many]
    return [i for i in order.tolist() if not np.isnan(column[i])]


def table(
    name: str,
    chosen: Mapping[str, Sequence[int]],
    values: Values,
    texts: Texts,
    metrics: Mapping[str, Metric],
    metric: str,
) -> Table:
    """The table `worst` or `changed`: a line for every chosen segment, its texts below it."""
    baseline = next(iter(values))
    card, several, alone = metrics[metric].card, len(chosen) > 1, len(values) == 1
    rows: list[dict[str, Any]] = []
    for system, segments in chosen.items():
        for i in segments:
            mine, other = texts[system, i], texts[baseline, i]
            scores = {each: float(values[system][each][i]) for each in metrics}
            rows.append(
                {
                    "system": system,
                    "segment": i + 1,
                    "id": mine.get("ids"),
                    "doc": mine.get("documents"),
                    **scores,
                    "baseline score": float(values[baseline][metric][i]),
                    "difference": scores[metric] - float(values[baseline][metric][i]),
                    "source": mine.get("sources"),
                    "reference": mine.get("reference"),
                    "baseline": other.get("hypotheses"),
                    "translation": mine.get("hypotheses"),
                    "flags": ", ".join(mine.get("flags", ())),
                }
            )
    (first, *_) = chosen
    there = {key for row in rows for key, value in row.items() if value not in (None, "")}
    columns = [
        TableColumn("system", hidden=not several),
        TableColumn("segment", kind="count"),
        TableColumn("id", hidden="id" not in there),
        TableColumn("doc", hidden="doc" not in there),
        TableColumn(metric, card.label, "number", card.decimals, lower_is_better=not card.higher_is_better),
        TableColumn("baseline score", baseline, "number", card.decimals, hidden=alone),
        TableColumn("difference", kind="change", decimals=card.decimals, hidden=alone),
        *(
            TableColumn(
                other, each.card.label, "number", each.card.decimals, lower_is_better=not each.card.higher_is_better
            )
            for other, each in metrics.items()
            if other != metric
        ),
        TableColumn("source", hidden="source" not in there),
        TableColumn("reference", hidden="reference" not in there),
        TableColumn("baseline", baseline, hidden=alone),
        TableColumn("translation", "translation" if several else first),
        TableColumn("flags", hidden="flags" not in there),
    ]
    whose = "each system" if several else first
    caption = (
        f"worst segments of {whose} by {card.label}"
        if name == "worst"
        else f"segments of {whose} that changed most from {baseline} by {card.label}"
    )
    stacked = [column.key for column in columns[-5:] if not column.hidden]
    return Table(name, columns, rows, caption, stacked=stacked)
