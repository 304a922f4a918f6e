"""Columns of a file that anybody may have written, made what the screens count on.

A label or a text is one value, spans are spans, flags are names, and a whole number is one that a page can tell from the next.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.rows import SPAN
from assay.core.view_data import TEXTS

LABELS = (
    "system", "segment", "id", "doc", "langpair", "src", "mt", "ref", "good", "incorrect", "phenomenon", "category", "severity",
    "flags", "spans", "source_spans", "metric", "line", "row", "domain", "language", "task", "split", "outcome", "grade",
    "error_type", "controlled", "label", "breakdown_probability", "reason", "score", "z", "judgements",
)  # fmt: skip
"""Columns that are no metric's scores."""
LISTS = ("flags", "spans")
_LARGEST = 1 << 53
"""Whole numbers that a page can tell apart."""
_PLAIN = {str, float, bool, type(None)}


def sound(name: str, column: Sequence[Any]) -> Sequence[Any]:
    """Return the column, with values that its name or a page does not allow written out as text, or left out of a list."""
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
    """Return all columns by name, each `sound`."""
    return {name: sound(name, column) for name, column in columns.items()}


def _beyond(value: Any) -> bool:
    return type(value) is int and abs(value) > _LARGEST


def _text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _spans(value: Any) -> list[Any]:
    return [span for span in value if _is_span(span)] if isinstance(value, list) else []


def _is_span(value: Any) -> bool:
    """Whether this is a span as `assay.core.view_data` describes it; what it says beyond that is nobody's affair."""
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
