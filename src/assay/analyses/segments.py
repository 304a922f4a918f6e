"""Tables of single segments in a comparison: a system's worst, and those that differ most from the baseline."""

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
"""Columns of a run shown in the tables."""
Values = Mapping[str, Mapping[str, "Floats"]]
"""Segment scores by system and metric; all systems have the same segments."""
Texts = Mapping[tuple[str, int], Mapping[str, Any]]
"""Texts and ids by (system, segment from 0), under the names of `TEXTS`."""


def worst(values: Values, system: str, metric: str, many: int, *, higher_is_better: bool) -> list[int]:
    """Return a system's lowest-scoring segments, worst first; segments without a score are skipped."""
    column = values[system][metric]
    return _first(column if higher_is_better else -column, many)


def changed(values: Values, system: str, metric: str, many: int) -> list[int]:
    """Return the segments with the largest score difference from the baseline, in either direction."""
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
    """Return the table `worst` or `changed`: one row per selected segment, with its texts below."""
    baseline = next(iter(values))
    card, several, alone = metrics[metric].card, len(chosen) > 1, len(values) == 1
    rows: list[dict[str, Any]] = []
    for system, segments in chosen.items():
        for i in segments:
            texts_here, other = texts[system, i], texts[baseline, i]
            scores = {each: float(values[system][each][i]) for each in metrics}
            rows.append(
                {
                    "system": system,
                    "segment": i + 1,
                    "id": texts_here.get("ids"),
                    "doc": texts_here.get("documents"),
                    **scores,
                    "baseline score": float(values[baseline][metric][i]),
                    "difference": scores[metric] - float(values[baseline][metric][i]),
                    "source": texts_here.get("sources"),
                    "reference": texts_here.get("reference"),
                    "baseline": other.get("hypotheses"),
                    "translation": texts_here.get("hypotheses"),
                    "flags": ", ".join(texts_here.get("flags", ())),
                }
            )
    (first, *_) = chosen
    present = {key for row in rows for key, value in row.items() if value not in (None, "")}
    columns = [
        TableColumn("system", hidden=not several),
        TableColumn("segment", kind="count"),
        TableColumn("id", hidden="id" not in present),
        TableColumn("doc", hidden="doc" not in present),
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
        TableColumn("source", hidden="source" not in present),
        TableColumn("reference", hidden="reference" not in present),
        TableColumn("baseline", baseline, hidden=alone),
        TableColumn("translation", "translation" if several else first),
        TableColumn("flags", hidden="flags" not in present),
    ]
    whose = "each system" if several else first
    caption = (
        f"worst segments of {whose} by {card.label}"
        if name == "worst"
        else f"segments of {whose} that changed most from {baseline} by {card.label}"
    )
    stacked = [column.key for column in columns[-5:] if not column.hidden]
    return Table(name, columns, rows, caption, stacked=stacked)
