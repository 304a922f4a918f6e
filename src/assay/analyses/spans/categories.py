"""Detection of error spans by gold category."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.analyses.spans.alignment import AlignedSpans, as_tuples
from assay.analyses.spans.tables import METRIC, Resampling, bounds, cells
from assay.analyses.table_parts import estimate_columns
from assay.core.spans import ErrorSpan
from assay.core.table import Figure, Table, TableColumn
from assay.stats.resampling import bootstrap_sums
from assay.stats.spans import FIELDS, counts, f1, ratio

if TYPE_CHECKING:
    from assay.core.metric import Floats

MOST_CATEGORIES = 20


def table(compared: AlignedSpans, how: Resampling) -> list[Table]:
    """Return the share of each gold category that is detected, and F1 within a category if predictions include categories."""
    size = _category_sizes(compared)
    names = list(size)[:MOST_CATEGORIES]
    named = {
        name: any(s.category for spans in by_segment for s in spans) for name, by_segment in compared.predicted.items()
    }
    rows: list[dict[str, Any]] = []
    for metric in compared.predicted if names else ():
        by_segment, within = _by_category(compared, metric, names, named[metric])
        resampled = bootstrap_sums(by_segment.reshape(len(by_segment), -1), how.samples, how.seed)
        resampled = resampled.reshape(-1, *by_segment.shape[1:])
        for column, category in enumerate(names):
            sums, draws = by_segment[:, column].sum(axis=0), resampled[:, column]
            row: dict[str, Any] = {"metric": metric, "category": category, "gold": int(sums[2])}
            row |= cells("recall", bounds(ratio(sums[0], sums[2]), ratio(draws[:, 0], draws[:, 2], np.nan)))
            row |= cells("located", bounds(ratio(sums[1], sums[2]), ratio(draws[:, 1], draws[:, 2], np.nan)))
            rows.append({**row, "f1": float(f1(within[column])) if named[metric] else None})
    columns = [
        METRIC, TableColumn("category"), *estimate_columns("recall", "recall", mark=None),
        *estimate_columns("located", "found, any severity", mark=None), TableColumn("f1", "F1 in category", "number", 3),
        TableColumn("gold", "gold characters", "count"),
    ]  # fmt: skip
    drawing: dict[str, Any] = {"index": "category", "value": "located", "span": (0, 1), "chance": 0.0}
    drawing["subtitle"] = (
        "share of the category's characters that are marked, whatever the severity · bars: 95% intervals"
    )
    notes = [how.note(False)]
    if len(size) > len(names):
        notes.append(f"the {len(names)} largest of {len(size)} categories")
    reading = "Which kinds of errors are found. F1 in category also requires the right category, if predictions name categories."
    figure = Figure("span_categories", "dots", drawing, "spans")
    caption = "gold errors found, by category"
    categories_table = Table("categories", columns, rows, caption, notes, reading=reading, figures=[figure])
    return [categories_table] if rows else []


def _category_sizes(compared: AlignedSpans) -> dict[str, int]:
    """Return the number of gold characters by category, largest first."""
    sizes: dict[str, int] = {}
    for spans in compared.gold:
        for span in spans:
            if span.severity != "neutral" and span.category:
                name = span.category.lower()
                sizes[name] = sizes.get(name, 0) + max(1, span.end - span.start)
    return dict(sorted(sizes.items(), key=lambda item: -item[1]))


def _by_category(compared: AlignedSpans, metric: str, names: Sequence[str], both: bool) -> tuple[Floats, Floats]:
    """Count detections by segment and category (credit, located, gold characters), and counts if both sides have categories."""
    segments: dict[tuple[str, str], int] = {}
    for cell in compared.cells:
        segments.setdefault((cell.langpair, cell.segment), len(segments))
    by_segment = np.zeros((len(segments), len(names), 3))
    within = np.zeros((len(names), len(FIELDS)))
    columns = {name: column for column, name in enumerate(names)}
    for row, cell in enumerate(compared.cells):
        gold, guesses = (_sorted_by_category(spans) for spans in (compared.gold[row], compared.predicted[metric][row]))
        at = segments[cell.langpair, cell.segment]
        for name in (name for name in {*gold, *guesses} if name in columns):
            length, gold_spans = compared.lengths[row], as_tuples(gold.get(name, ()))
            if gold_spans:
                counted = counts(gold_spans, as_tuples(compared.predicted[metric][row]), length)
                by_segment[at, columns[name]] += counted[[FIELDS.index(key) for key in ("credit", "located", "gold")]]
            if both:
                within[columns[name]] += counts(gold_spans, as_tuples(guesses.get(name, ())), length)
    return by_segment, within


def _sorted_by_category(spans: Sequence[ErrorSpan]) -> dict[str, list[ErrorSpan]]:
    groups: dict[str, list[ErrorSpan]] = {}
    for span in spans:
        groups.setdefault(span.category.lower(), []).append(span)
    return groups
