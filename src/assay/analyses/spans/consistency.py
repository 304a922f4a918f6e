"""Consistency of a metric's error spans: with its confidence in them, and with its own scores (xCOMET, Table 4).

- `calibration`: confidence against the share of spans that annotators marked too.
- `interplay`: correlation of each score with the MQM score that the spans imply.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.spans.alignment import AlignedSpans, as_tuples
from assay.analyses.spans.tables import Resampling, cells
from assay.analyses.table_parts import estimate_columns, none_if_nan
from assay.core.campaign import Cell
from assay.core.metric import Scores
from assay.core.spans import mqm
from assay.core.table import Figure, Pivot, Table, TableColumn
from assay.stats.proportions import wilson
from assay.stats.resampling import bootstrap_sums, interval
from assay.stats.spans import marks, sum_by_group

if TYPE_CHECKING:
    from assay.core.metric import Floats
    from assay.stats.spans import Bools

BINS = 10
ALL = "all"
SCORE = "score"


def calibration_table(compared: AlignedSpans) -> list[Table]:
    """Return the table `calibration`: ten ranges of confidence; no table if no span has a confidence."""
    rows: list[dict[str, Any]] = []
    notes = []
    for name in compared.predicted:
        sure, right = judged_spans(compared, name)
        if len(sure):
            range_rows, error = ranges(sure, right)
            rows += [{"metric": name, **row} for row in range_rows]
            notes.append(f"{name}: expected calibration error {error:.3f} over {len(sure):,} spans")
    if not rows:
        return []
    columns = [
        TableColumn("metric", "prediction"), TableColumn("from", "from", "number", 1), TableColumn("to", "to", "number", 1),
        TableColumn("confidence", "mean confidence", "number", 3),
        *estimate_columns("right", "right", "percent", 1, mark=None), TableColumn("n", "spans", "count"),
    ]  # fmt: skip
    reading = (
        "A span is right if annotators marked at least half of its characters, whatever the severity. If confidence is "
        "calibrated, it equals the share of right spans; the expected calibration error is the mean difference."
    )
    figure = Figure("span_calibration", "reliability", {}, "spans")
    return [
        Table("calibration", columns, rows, "confidence of predicted spans", notes, reading=reading, figures=[figure])
    ]


def judged_spans(compared: AlignedSpans, name: str) -> tuple[Floats, Bools]:
    """Return the confidence of each predicted span that has one, and whether annotators marked at least half of the span."""
    sure: list[float] = []
    right: list[bool] = []
    for gold, predicted, length in zip(compared.gold, compared.predicted[name], compared.lengths, strict=True):
        with_confidence = [span for span in predicted if span.confidence is not None]
        if not with_confidence:
            continue
        minor, major = marks(as_tuples(gold), length)
        annotated = minor | major
        for span in with_confidence:
            inside = annotated[span.start : max(span.end, span.start + 1)]
            sure.append(float(span.confidence or 0.0))
            right.append(bool(len(inside)) and float(inside.mean()) >= 0.5)
    return np.array(sure), np.array(right, bool)


def ranges(sure: Floats, right: Bools, bins: int = BINS) -> tuple[Sequence[dict[str, Any]], float]:
    """Return the non-empty ranges of confidence (all of the same width), and the expected calibration error (Guo et al. 2017)."""
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


def interplay_table(scored: Mapping[str, Scores], translations: Sequence[Cell], how: Resampling) -> Table:
    """Return the table `interplay`: Pearson's r between each of a metric's scores and its inferred MQM, by language pair and
    overall.
    """
    pairs: dict[str, list[int]] = {}
    for row, cell in enumerate(translations):
        pairs.setdefault(cell.langpair, []).append(row)
    if len(pairs) > 1:
        pairs[ALL] = list(range(len(translations)))
    rows: list[dict[str, Any]] = []
    for metric, scores in scored.items():
        inferred = np.array([mqm(spans) for spans in scores.spans or ()])
        values = {**{part: column for part, column in scores.components.items() if part != "mqm"}, SCORE: scores.values}
        for part, column in values.items():
            for pair, chosen in pairs.items():
                usable = [row for row in chosen if np.isfinite(column[row])]
                segments = [(translations[row].langpair, translations[row].segment) for row in usable]
                pearson_cells = correlation_cells(column[usable], inferred[usable], segments, how)
                line = {"metric": metric, "score": part, "langpair": pair, "n": len(usable)}
                rows.append({**line, "line": f"{metric} {part}", **pearson_cells})
    columns = [
        TableColumn("line", "score"), TableColumn("langpair"),
        *estimate_columns("pearson", "Pearson", mark=None), TableColumn("n", "translations", "count"),
        TableColumn("metric", hidden=True), TableColumn("score", hidden=True),
    ]  # fmt: skip
    reading = (
        "Correlation of each score with the MQM score that the metric's own error spans imply (1, 5 and 10 of 25 points for "
        "a minor, major and critical error). A score that includes the inferred MQM correlates with it by construction."
    )
    pivot = Pivot("line", "langpair", "pearson")
    caption = "scores and the MQM score inferred from error spans"
    return Table("interplay", columns, rows, caption, [how.note(False)], pivot, reading)


def correlation_cells(x: Floats, y: Floats, segments: Sequence[object], how: Resampling) -> dict[str, float | None]:
    """Return Pearson's correlation with its interval from resampled segments; empty if either side is constant."""
    if len(x) < 3:
        return {"pearson": None, "pearson_low": None, "pearson_high": None}
    a, b = x - x.mean(), y - y.mean()
    parts = sum_by_group(np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1), segments)
    value = float(_pearson(parts.sum(axis=0)))
    resampled = _pearson(bootstrap_sums(parts, how.samples, how.seed))
    resampled = resampled[np.isfinite(resampled)]
    low, high = (interval(resampled).low, interval(resampled).high) if len(resampled) else (np.nan, np.nan)
    return {key: none_if_nan(number) for key, number in cells("pearson", (value, low, high)).items()}


def _pearson(sums: Floats) -> Floats:
    n, a, b, aa, bb, ab = (sums[..., column] for column in range(6))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((n * ab - a * b) / np.sqrt((n * aa - a * a) * (n * bb - b * b)))
