"""Tables and figures: the results of every analysis.

A `Table` contains rows of plain values under named, typed columns. All output formats are rendered from the same Table, so
JSON and the terminal always agree. Intervals and marks are separate keys in a row, which their column names.
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
    """A column of a table: its key in the rows, its label and format, and related keys.

    `percent` columns hold fractions from 0 to 1 and are shown as percentages; `change` columns are shown with a sign.
    `digits` is the key for each row's number of decimals, if it varies. `interval` holds the keys of the lower and upper
    bounds. `mark` is the key of a short text (``*``) that follows the value. `hidden` columns appear in data formats only.
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
        """The heading, with an arrow if lower is better."""
        return (self.label or self.key) + (" ↓" if self.lower_is_better else "")


@dataclass(frozen=True, slots=True)
class Pivot:
    """Wide layout for a long table: one line per value of `index`, one column per value of `columns`."""

    index: str
    columns: str
    value: str


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a table: file stem, kind of drawing and its parameters. `assay.report` draws it.

    `family` is the analysis that it belongs to (``aces``); it distinguishes figures with the same name on a page.
    """

    name: str
    kind: FigureKind
    parameters: Mapping[str, Any] = field(default_factory=dict)
    family: str = ""


@dataclass(frozen=True, slots=True)
class Table:
    """Rows under typed columns, with a caption above and notes below.

    Example:
        ```python
        table = result.tables["comparison"]
        table.to_polars()
        ```
    """

    name: str
    columns: Sequence[TableColumn]
    rows: Sequence[Mapping[str, Any]]
    caption: str = ""
    notes: Sequence[str] = field(default_factory=tuple)
    pivot: Pivot | None = None
    reading: str = ""
    """One or two sentences that explain the table to readers who do not know the paper."""
    figures: Sequence[Figure] = ()
    """Figures that `assay.report` can draw from it."""
    stacked: Sequence[str] = ()
    """Keys of long texts that a terminal shows below their row, one line per key."""

    def column(self, key: str) -> TableColumn:
        """Return the column with this key."""
        return next(column for column in self.columns if column.key == key)

    def to_polars(self) -> polars.DataFrame:
        """Return the rows as a polars frame, one column per key."""
        return polars_frame(self.by_column())

    def by_column(self) -> dict[str, list[Any]]:
        """Return the rows as columns, with None if a row lacks a key."""
        return by_column(self.rows)

    def _repr_html_(self) -> str | None:
        return None if _html_renderer is None else _html_renderer(self)


_html_renderer: Callable[[Table], str] | None = None


def set_html_renderer(renderer: Callable[[Table], str]) -> None:
    """Set the function that renders tables in notebooks. `assay.verbs` sets it to the one in `assay.report`."""
    global _html_renderer  # noqa: PLW0603
    _html_renderer = renderer
