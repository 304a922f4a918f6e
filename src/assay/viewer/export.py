"""Export of the selected rows as CSV, JSON Lines or a challenge set for ``assay run FILE``.

Items are exported without their scores. For a translation, the reference is the good side and the translation the incorrect side. A
second reference, if any, becomes the reference of the item, because the good side must not be its own reference. A
translation without a reference, or identical to it, is skipped.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from assay.core.columns import plain
from assay.core.errors import unknown
from assay.core.rows import nested_row
from assay.report.rows import CsvRows, json_line
from assay.viewer.row_format import SOURCE_SPANS, file_row, marking
from assay.viewer.rows import Query
from assay.viewer.runs import Run

FORMATS = ("csv", "jsonl", "challenge")
_PART = 1000
NAMES = {"src": "source", "ref": "reference"}
ITEM = ("id", "phenomenon", "category", "severity", "langpair", "src", "ref", "good", "incorrect")
_WORST = ("neutral", "minor", "major", "critical")


def export_rows(run: Run, query: Query, format: str) -> tuple[str, Iterator[str]]:
    """Return the file name and its text in parts. The rows are selected before anything is sent."""
    if format not in FORMATS:
        raise unknown("format", format, FORMATS)
    order = run.rows.order(query).tolist()
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", run.name).strip("-.") or "rows"
    if format == "challenge":
        return f"{stem}.challenge.jsonl", _challenge(run, order)
    return f"{stem}.{format}", _jsonl(run, order) if format == "jsonl" else _csv(run, order)


def _jsonl(run: Run, order: list[int]) -> Iterator[str]:
    metrics = marking(run.rows.columns)
    for number in order:
        row = file_row({name: column[number] for name, column in run.rows.columns.items()}, metrics)
        yield json_line(plain(nested_row(row, run.metrics)))


def _challenge(run: Run, order: list[int]) -> Iterator[str]:
    items = (as_item(run.rows.row(number), run.kind) for number in order)
    return (json.dumps(plain(item), ensure_ascii=False, allow_nan=False) + "\n" for item in items if item is not None)


def _csv(run: Run, order: list[int]) -> Iterator[str]:
    """Yield CSV in which cells that a spreadsheet would evaluate as formulas are quoted."""
    metrics = marking(run.rows.columns)
    names = [name for name in run.rows.names if name != SOURCE_SPANS]
    writer = CsvRows(names, spreadsheet_safe=True)
    yield writer.head
    for at in range(0, len(order), _PART):
        rows = [file_row(run.rows.row(i), metrics) for i in order[at : at + _PART]]
        yield "".join(writer.lines([[row[name] for row in rows] for name in names]))


def as_item(row: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """Return a row as a challenge set item; None if that is impossible."""
    if kind == "items":
        return {NAMES.get(name, name): row[name] for name in ITEM if row.get(name) is not None}
    good, incorrect = row.get("ref"), row.get("mt")
    if not good or not incorrect or good == incorrect:
        return None
    marked = row.get("spans")
    spans: list[Mapping[str, Any]] = marked if isinstance(marked, list) else []
    worst: Mapping[str, Any] = max(spans, key=lambda span: _rank(span.get("severity")), default={})
    labels = [str(row[name]) for name in ("system", "langpair", "id", "segment") if row.get(name) not in (None, "")]
    item = {
        "id": "/".join(labels),
        "phenomenon": worst.get("category") or worst.get("severity") or "chosen",
        "severity": worst.get("severity"),
        "langpair": row.get("langpair"),
        "source": row.get("src"),
        "reference": row.get("ref2"),
        "good": good,
        "incorrect": incorrect,
    }
    return {name: value for name, value in item.items() if value not in (None, "")}


def _rank(severity: Any) -> int:
    return _WORST.index(severity) if severity in _WORST else 0
