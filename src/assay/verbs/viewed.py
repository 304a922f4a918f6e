"""What the verbs keep of their rows for `assay view`: see `assay.core.viewed`. Every row of a run has the same keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.spans import ErrorSpan
from assay.core.suite import Measured
from assay.core.viewed import Viewed

_ITEM = {
    "id": "id", "phenomenon": "phenomenon", "category": "category", "severity": "severity", "langpair": "langpair",
    "src": "source", "ref": "reference", "good": "good", "incorrect": "incorrect",
}  # fmt: skip


def viewed_items(items: Sequence[Item], measured: Sequence[Measured]) -> Viewed:
    """The pairs of a challenge set, with two scores of every metric."""

    def rows() -> Iterator[Mapping[str, Any]]:
        scores = {
            f"{metric.name} {side}": values.tolist()
            for metric in measured
            for side, values in (("good", metric.good), ("incorrect", metric.incorrect))
            if values is not None
        }
        for i, item in enumerate(items):
            row = {shown: getattr(item, name) for shown, name in _ITEM.items()}
            yield row | {name: values[i] for name, values in scores.items()}

    return Viewed("items", {metric.name: metric.card for metric in measured}, rows())


def viewed_judged(judged: Judged, measured: Sequence[Measured]) -> Viewed:
    """The translations of a judged set, with every metric's score and what people said."""
    batch = judged.batch
    n = len(batch)
    columns: dict[str, Sequence[Any]] = {
        "system": batch.systems or (),
        "segment": _segments(batch.systems, n),
        "id": batch.ids or (),
        "doc": batch.documents or (),
        "langpair": batch.langpairs or (),
        "src": batch.sources or (),
        "mt": batch.hypotheses,
    }
    for number, column in enumerate(batch.references or (), 1):
        columns[f"ref{number if number > 1 else ''}"] = column
    for metric in measured:
        if metric.values is not None:
            columns[metric.name] = metric.values.tolist()
    columns |= {name: values.tolist() for name, values in judged.scores.items() if name not in columns}
    if judged.spans is not None:
        columns["spans"] = [marked({"people": spans}) for spans in judged.spans]
    kept = {name: column for name, column in columns.items() if len(column) == n}
    rows = (dict(zip(kept, row, strict=True)) for row in zip(*kept.values(), strict=True))
    return Viewed("segments", {metric.name: metric.card for metric in measured}, rows)


def _segments(systems: Sequence[str] | None, n: int) -> list[int]:
    """The number of each row within its system."""
    met: dict[str, int] = {}
    found = []
    for system in systems or [""] * n:
        met[system] = met.get(system, 0) + 1
        found.append(met[system])
    return found


def marked(spans: Mapping[str, Sequence[ErrorSpan]]) -> list[dict[str, Any]]:
    """Every metric's error spans in one translation."""
    return [
        {
            "metric": metric,
            "start": span.start,
            "end": span.end,
            "severity": span.severity,
            "category": span.category,
            "confidence": span.confidence,
        }
        for metric, found in spans.items()
        for span in found
        if span.side == "target"
    ]
