"""Tables: the one shape in which results leave an analysis.

A `Table` is rows of plain values under named, typed columns. Every output format renders the same Table, so JSON and the
terminal cannot disagree. Intervals and first-place marks are columns of their own; the column they belong to names them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal

from assay.core.columns import by_column, polars_frame

if TYPE_CHECKING:
    import polars

FigureKind = Literal["heatmap", "dots", "levels", "boxes", "cases", "rates", "shares", "reliability", "ranking"]
Kind = Literal["text", "number", "change", "count", "percent", "p"]


@dataclass(frozen=True, slots=True)
class TableColumn:
    """A column: its key in the rows, how a person reads it, and which keys stand beside it.

    `percent` columns hold fractions (0..1) and are shown times 100, a `change` with its sign. `digits` names a key with the
    decimals of each row, where they differ. `interval` names the keys of the lower and upper
    bound; `mark` names a key with a short text (``*``) shown behind the value. `hidden` columns appear in data formats only.
    """

    key: str
    label: str = ""
    kind: Kind = "text"
    decimals: int = 1
    lower_is_better: bool = False
    interval: tuple[str, str] | None = None
    mark: str | None = None
    hidden: bool = False
    digits: str | None = None

    @property
    def title(self) -> str:
        """The heading, with an arrow where lower is better."""
        return (self.label or self.key) + (" ↓" if self.lower_is_better else "")


@dataclass(frozen=True, slots=True)
class Pivot:
    """How people read a long table: one line for each value of `index`, one column for each value of `columns`."""

    index: str
    columns: str
    value: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a table: file stem, kind of drawing and its parameters. `assay.report` draws it.

    `family` is the analysis that it belongs to (``aces``); it distinguishes figures of the same name on a page.
    """

    name: str
    kind: FigureKind
    parameters: Mapping[str, Any] = field(default_factory=dict)
    family: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under columns, with a caption above and notes below."""

    name: str
    columns: Sequence[TableColumn]
    rows: Sequence[Mapping[str, Any]]
    caption: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    pivot: Pivot | None = None
    reading: str = ""
    """How to read it: one or two sentences for people who have not read the paper."""
    figures: Sequence[Figure] = ()
    """What can be drawn of it."""
    stacked: Sequence[str] = ()
    """Keys of long texts that a terminal puts below their row, a line each."""

    def column(self, key: str) -> TableColumn:
        """The column with this key."""
        return next(column for column in self.columns if column.key == key)

    def to_polars(self) -> polars.DataFrame:
        """The rows as they are, one column for each key."""
        return polars_frame(self.by_column())

    def by_column(self) -> dict[str, list[Any]]:
        """The rows as columns, None where a row lacks a key."""
        return by_column(self.rows)

    def _repr_html_(self) -> str | None:
        return None if _html_renderer is None else _html_renderer(self)


_html_renderer: Callable[[Table], str] | None = None


def set_html_renderer(renderer: Callable[[Table], str]) -> None:
    """Set the function that draws tables in notebooks. `assay.report` registers its own when a verb is used."""
    global _html_renderer  # noqa: PLW0603
    _html_renderer = renderer
