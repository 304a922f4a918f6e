"""Is a prediction as sure of its spans as it may be? Confidence against the share of spans that people marked too."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.rows import estimate_columns
from assay.analyses.spans.aligned import Compared, plain
from assay.core.table import Figure, Table, TableColumn
from assay.stats.proportions import wilson
from assay.stats.spans import marks

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.stats.spans import Bools

BINS = 10


def table(compared: Compared) -> list[Table]:
    """The table `calibration`: ten ranges of confidence; nothing where no span has one."""
    rows: list[dict[str, Any]] = []
    notes = []
    for name in compared.predicted:
        sure, right = judged_spans(compared, name)
        if len(sure):
            made, error = ranges(sure, right)
            rows += [{"metric": name, **row} for row in made]
            notes.append(f"{name}: expected calibration error {error:.3f} over {len(sure):,} spans")
    if not rows:
        return []
    columns = [
        TableColumn("metric", "prediction"), TableColumn("from", "from", "number", 1), TableColumn("to", "to", "number", 1),
        TableColumn("confidence", "mean confidence", "number", 3),
        *estimate_columns("right", "right", "percent", 1, mark=None), TableColumn("n", "spans", "count"),
    ]  # fmt: skip
    reading = (
        "A span is right when people marked at least half of its characters, whatever the severity. Where confidence is honest, "
        "the share of right spans equals it; the expected calibration error is the mean distance."
    )
    figure = Figure("span_calibration", "reliability", {}, "spans")
    return [
        Table("calibration", columns, rows, "confidence of predicted spans", notes, reading=reading, figures=[figure])
    ]


def judged_spans(compared: Compared, name: str) -> tuple[Floats, Bools]:
    """The confidence of each predicted span that has one, and whether people marked at least half of it."""
    sure: list[float] = []
    right: list[bool] = []
    for gold, found, length in zip(compared.gold, compared.predicted[name], compared.lengths, strict=True):
        with_confidence = [span for span in found if span.confidence is not None]
        if not with_confidence:
            continue
        minor, major = marks(plain(gold), length)
        people = minor | major
        for span in with_confidence:
            inside = people[span.start : max(span.end, span.start + 1)]
            sure.append(float(span.confidence or 0.0))
            right.append(bool(len(inside)) and float(inside.mean()) >= 0.5)
    return np.array(sure), np.array(right, bool)


def ranges(sure: Floats, right: Bools, bins: int = BINS) -> tuple[Sequence[dict[str, Any]], float]:
    """Equal ranges of confidence that hold any span, and the expected calibration error (Guo et al. 2017)."""
    which = np.minimum((sure * bins).astype(int), bins - 1)
    rows: list[dict[str, Any]] = []
    error = 0.0
    for number in range(bins):
        inside = which == number
        n = int(inside.sum())
        if not n:
            continue
        confidence, share = float(sure[inside].mean()), float(right[inside].mean())
        error += n / len(sure) * abs(confidence - share)
        low, high = wilson(int(right[inside].sum()), n)
        row = {"from": number / bins, "to": (number + 1) / bins, "confidence": confidence, "right": share, "n": n}
        rows.append({**row, "right_low": low, "right_high": high})
    return rows, error
