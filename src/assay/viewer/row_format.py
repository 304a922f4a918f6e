"""Conversion between rows of files (`assay.core.rows`) and rows of the page, with validation.

The page needs spans as one list, each with its metric. Spans in the source are a separate list, because their offsets do not
apply to the translation. Columns of a table are named after their roles. Files may come from anyone, so invalid values are
converted to text or left out.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.rows import SPAN, SPANS, flat_row, renamed_inputs
from assay.core.view_data import TEXTS
from assay.io.table.role_columns import SHOWN
from assay.io.table.tables import WANTED
from assay.io.table.vocabulary import assign

SOURCE_SPANS = "source_spans"
"""The column of spans in the source."""
_NUMBERS = ("start", "end")
LABELS = (
    "system", "segment", "id", "doc", "langpair", "src", "mt", "ref", "good", "incorrect", "phenomenon", "category", "severity",
    "flags", "spans", "source_spans", "metric", "line", "row", "domain", "language", "task", "split", "outcome", "grade",
    "error_type", "controlled", "label", "breakdown_probability", "reason", "score", "z", "judgements",
)  # fmt: skip
"""Columns that are not scores of a metric."""
LISTS = ("flags", "spans")
_LARGEST = 1 << 53
"""Largest integer that JavaScript represents exactly."""
_PLAIN = {str, float, bool, type(None)}


def page_spans(value: Any) -> tuple[list[dict[str, Any]] | None, list[dict[str, Any]]]:
    """Return the spans of a row for the page: in the translation (None if there is no list of spans) and in the source.

    Invalid spans are left out.
    """
    if isinstance(value, str) and value[:1] in ("{", "["):
        try:
            value = json.loads(value)
        except ValueError:
            return None, []
    if isinstance(value, Mapping):
        marked = [(metric, span) for metric, spans in value.items() for span in _with_offsets(spans)]
    elif isinstance(value, list):
        marked = [(str(span.get("metric") or ""), span) for span in _with_offsets(value)]
    else:
        return None, []
    by_side: tuple[list[dict[str, Any]], list[dict[str, Any]]] = ([], [])
    for metric, span in marked:
        source = bool(span.get("side") == "source" or span.get("is_source_error"))
        by_side[source].append({"metric": metric, **{name: span[name] for name in SPAN if name in span}})
    return by_side


def _with_offsets(value: Any) -> list[Mapping[str, Any]]:
    spans = value if isinstance(value, list) else []
    return [s for s in spans if isinstance(s, Mapping) and all(type(s.get(name)) is int for name in _NUMBERS)]


def page_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return the columns of a file as columns of the page."""
    if SPANS not in columns:
        return dict(columns)
    spans = [page_spans(value) for value in columns[SPANS]]
    converted = {name: [one[0] for one in spans] if name == SPANS else column for name, column in columns.items()}
    return converted | ({SOURCE_SPANS: [one[1] for one in spans]} if any(one[1] for one in spans) else {})


def page_row(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return a row of a file as a row of the page."""
    shown = dict(flat_row(row))
    if SPANS in shown:
        shown[SPANS], source = page_spans(shown[SPANS])
        shown |= {SOURCE_SPANS: source} if source else {}
    return shown


def marking(columns: Mapping[str, Sequence[Any]]) -> list[str]:
    """Return the metrics that mark spans in rows of the page."""
    metrics: dict[str, None] = {}
    for name in (SPANS, SOURCE_SPANS):
        for spans in columns.get(name, ()):
            metrics |= dict.fromkeys(str(span.get("metric") or "") for span in spans or ())
    return list(metrics)


def file_row(row: Mapping[str, Any], metrics: Sequence[str]) -> dict[str, Any]:
    """Return a row of the page as a row of a file, with one list of spans per metric."""
    converted = {name: value for name, value in row.items() if name != SOURCE_SPANS}
    if isinstance(row.get(SPANS), list):
        by_metric: dict[str, list[dict[str, Any]]] = {metric: [] for metric in metrics}
        for span in [*row[SPANS], *(row.get(SOURCE_SPANS) or ())]:
            by_metric.setdefault(str(span.get("metric") or ""), []).append({name: span.get(name) for name in SPAN})
        converted[SPANS] = by_metric
    return converted


def names_by_role(names: Sequence[str], columns: Mapping[str, Any] | None, file: str) -> dict[str, str]:
    """Return the columns of a table that have a different name on the page, with that name; `columns` are the user's choices."""
    wanted = replace(
        WANTED, roles={**WANTED.roles, "segment": ("segment", "segment id")}, required=(), once=(), shared=False
    )
    layout = assign(names, wanted, columns, file)
    shown = {"hypothesis": "mt", "segment": "segment", **SHOWN}
    places = {shown[role]: place for role, place in layout.places.items() if role in shown}
    places |= {f"ref{i if i > 1 else ''}": place for i, place in enumerate(layout.references, 1)}
    roles = {names[place]: name for name, place in places.items()}
    others = renamed_inputs([name for name in names if name not in roles], set(roles.values()))
    return {old: new for old, new in (roles | others).items() if old != new}


def sound(name: str, column: Sequence[Any]) -> Sequence[Any]:
    """Return a column with invalid values converted to text, or left out of a list."""
    kinds = set(map(type, column))
    if name in ("spans", "source_spans"):
        return [None if value is None else _spans(value) for value in column]
    if name == "flags":
        return [
            [item for item in value if isinstance(item, str)] if isinstance(value, list) else [] for value in column
        ]
    if kinds <= _PLAIN:
        return column
    nested = name in LABELS or name in TEXTS or (name.startswith("ref") and name[3:].isdigit())
    large = int in kinds and any(type(value) is int and abs(value) > _LARGEST for value in column)
    if not large and not (nested and kinds & {list, dict}):
        return column
    return [
        _text(value) if _beyond(value) or (nested and isinstance(value, list | dict)) else value for value in column
    ]


def sound_columns(columns: Mapping[str, Sequence[Any]]) -> dict[str, Sequence[Any]]:
    """Return all columns by name after validation with `sound`."""
    return {name: sound(name, column) for name, column in columns.items()}


def _beyond(value: Any) -> bool:
    return type(value) is int and abs(value) > _LARGEST


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _spans(value: Any) -> list[Any]:
    return [span for span in value if _is_span(span)] if isinstance(value, list) else []


def _is_span(value: Any) -> bool:
    """Return whether a value is a valid span; extra fields are allowed."""
    if not isinstance(value, Mapping):
        return False
    start, end = value.get("start"), value.get("end")
    places = all(type(place) is int and 0 <= place <= _LARGEST for place in (start, end) if place is not None)
    confidence = value.get("confidence")
    words = all(
        value.get(key) is None or isinstance(value[key], str)
        for key in SPAN
        if key not in ("start", "end", "confidence")
    )
    return places and words and (confidence is None or isinstance(confidence, int | float)) and not _beyond(confidence)
