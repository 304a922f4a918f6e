"""Contrastive challenge set items: a good and an incorrect translation, and the kind of error."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Item:
    """One minimal pair of a challenge set. A metric passes if it scores `good` above `incorrect`."""

    id: str
    source: str | None
    reference: str | None
    good: str
    incorrect: str
    phenomenon: str
    category: str = ""
    severity: str = ""
    langpair: str = ""
    meta: Mapping[str, Any] = field(default_factory=dict)
