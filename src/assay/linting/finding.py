"""Finding of a check: the location and description of a problem in a translation, and the name of the check."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

SEVERITY_WEIGHTS: Mapping[str, float] = {"neutral": 0.0, "minor": 1.0, "major": 5.0, "critical": 10.0}
"""Points per finding of the metric ``lint``."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One problem in one translation. Offsets are code points, half open; zero width where something is missing."""

    check: str
    start: int
    end: int
    reason: str
    category: str
    severity: str
    source_start: int | None = None
    source_end: int | None = None
    suggestion: str = ""


@dataclass(frozen=True, slots=True)
class Texts:
    """Input of a check: one translation with its source, and the languages if they are known."""

    source: str
    translation: str
    source_language: str = ""
    target_language: str = ""
    reference: str | None = None


@dataclass(frozen=True, slots=True)
class Description:
    """What a check looks for, printed by ``assay lint --list`` and in the documentation."""

    name: str
    summary: str
    category: str
    default: bool = True
    needs_source: bool = True
    languages: Sequence[str] = field(default_factory=tuple)
    """Languages that the check requires on both sides; empty if it works for any language."""
