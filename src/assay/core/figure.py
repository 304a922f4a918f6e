"""Figures as a table names them: what to draw and how, in words that `report` knows; nothing is drawn here."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

FigureKind = Literal["heatmap", "dots", "levels", "boxes", "cases", "rates", "shares", "reliability", "ranking"]


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of the table that carries it: the file's stem, the kind of drawing and that drawing's parameters.

    `family` is who draws it (``aces``): it keeps figures of one name apart where several stand on a page.
    """

    name: str
    kind: FigureKind
    parameters: Mapping[str, Any] = field(default_factory=dict)
    family: str = ""
