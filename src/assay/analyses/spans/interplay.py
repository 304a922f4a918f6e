"""Do a metric's score and its error spans say the same? Correlation with the MQM score that the spans imply (xCOMET, Table 4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.rows import estimate_columns, known
from assay.analyses.spans.tables import Resampling, cells
from assay.core.campaign import Cell
from assay.core.metric import Scores
from assay.core.spans import mqm
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.resampling import bootstrap_sums, interval
from assay.stats.spans import grouped

if TYPE_CHECKING:
    from assay.core.metric import Floats

ALL = "all"
SCORE = "score"


def table(scored: Mapping[str, Scores], translations: Sequence[Cell], how: Resampling) -> Table:
    """The table `interplay`: Pearson of each of a metric's scores with its inferred MQM, by language pair and over all of them."""
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
                found = correlated(column[usable], inferred[usable], segments, how)
                line = {"metric": metric, "score": part, "langpair": pair, "n": len(usable)}
                rows.append({**line, "line": f"{metric} {part}", **found})
    columns = [
        TableColumn("line", "score"), TableColumn("langpair"),
        *estimate_columns("pearson", "Pearson", mark=None), TableColumn("n", "translations", "count"),
        TableColumn("metric", hidden=True), TableColumn("score", hidden=True),
    ]  # fmt: skip
    reading = (
        "How closely each score follows the MQM score that the metric's own error spans imply (1, 5 and 10 of 25 points for "
        "a minor, major and critical error). A score that mixes the inferred MQM in correlates with it for that reason alone."
    )
    pivot = Pivot("line", "langpair", "pearson")
    caption = "scores and the MQM score inferred from error spans"
    return Table("interplay", columns, rows, caption, [how.note(False)], pivot, reading)


def correlated(x: Floats, y: Floats, segments: Sequence[object], how: Resampling) -> dict[str, float | None]:
    """Pearson's correlation, and its interval from bootstrap samples of segments; empty where either side never varies."""
    if len(x) < 3:
        return {"pearson": None, "pearson_low": None, "pearson_high": None}
    a, b = x - x.mean(), y - y.mean()
    parts = grouped(np.stack([np.ones_like(a), a, b, a * a, b * b, a * b], axis=1), segments)
    value = float(_pearson(parts.sum(axis=0)))
    drawn = _pearson(bootstrap_sums(parts, how.samples, how.seed))
    drawn = drawn[np.isfinite(drawn)]
    low, high = (interval(drawn).low, interval(drawn).high) if len(drawn) else (np.nan, np.nan)
    return {key: known(found) for key, found in cells("pearson", (value, low, high)).items()}


def _pearson(sums: Floats) -> Floats:
    n, a, b, aa, bb, ab = (sums[..., place] for place in range(6))
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray((n * ab - a * b) / np.sqrt((n * aa - a * a) * (n * bb - b * b)))
