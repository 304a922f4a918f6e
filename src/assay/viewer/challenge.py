"""The chosen rows as a challenge set: a file of pairs that ``assay run FILE`` reads.

An item goes out as it came in, without its scores. Of a translation, the reference is the good one and the translation the
incorrect one; a second reference, where there is one, is what metrics may look at, for the good translation must not be its own
reference. A translation that equals the reference, or has none, makes no pair.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

NAMES = {"src": "source", "ref": "reference"}
ITEM = ("id", "phenomenon", "category", "severity", "langpair", "src", "ref", "good", "incorrect")
_WORST = ("neutral", "minor", "major", "critical")


def as_item(row: Mapping[str, Any], kind: str) -> dict[str, Any] | None:
    """The pair that a row makes; None for one that makes none."""
    if kind == "items":
        return {NAMES.get(name, name): row[name] for name in ITEM if row.get(name) is not None}
    good, incorrect = row.get("ref"), row.get("mt")
    if not good or not incorrect or good == incorrect:
        return None
    marked = row.get("spans")
    spans: list[Mapping[str, Any]] = marked if isinstance(marked, list) else []
    worst: Mapping[str, Any] = max(spans, key=lambda span: _rank(span.get("severity")), default={})
    named = [str(row[name]) for name in ("system", "langpair", "id", "segment") if row.get(name) not in (None, "")]
    made = {
        "id": "/".join(named),
        "phenomenon": worst.get("category") or worst.get("severity") or "chosen",
        "severity": worst.get("severity"),
        "langpair": row.get("langpair"),
        "source": row.get("src"),
        "reference": row.get("ref2"),
        "good": good,
        "incorrect": incorrect,
    }
    return {name: value for name, value in made.items() if value not in (None, "")}


def _rank(severity: Any) -> int:
    return _WORST.index(severity) if severity in _WORST else 0
