"""Rows in memory as columns: filtering, searching, sorting, and windows of rows.

`frame.py` does the same for many rows if polars is installed.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from threading import Lock
from typing import TYPE_CHECKING, Any, NamedTuple

from assay.core.errors import unknown
from assay.core.expression import parse
from assay.core.view_data import TEXTS

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Order = NDArray[np.int64]

REMEMBERED = 8
"""Number of cached orders; scrolling requests the same one repeatedly."""
SHOWN = 400
"""Characters of a text in a window of rows; a single row has the full text."""

SEGMENT = ("langpair", "segment", "src", "ref")
"""Columns that are equal in rows of several systems for the same segment. The number alone is not enough, because systems may have
translated different segments."""


class Query(NamedTuple):
    """Query that selects and orders rows."""

    where: str = ""
    """A filter expression (`assay.core.expression`); empty for all rows."""
    find: str = ""
    """Text that one of the row's texts must contain, ignoring case."""
    sort: str = ""
    descending: bool = False


def cut(value: Any, most: int | None) -> Any:
    """Return a text shortened to `most` characters; other values are unchanged."""
    return value[:most] + "…" if most is not None and isinstance(value, str) and len(value) > most else value


@dataclass
class Rows:
    """Columns of equal length by name."""

    columns: Mapping[str, Sequence[Any]]
    scores: tuple[str, ...] = ()
    """The columns that the file declares as scores."""
    _orders: dict[Query, Order] = field(default_factory=dict, repr=False)
    _by_column: dict[tuple[str, bool], Order] = field(default_factory=dict, repr=False)
    _lock: Lock = field(default_factory=Lock, repr=False)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()), ()))

    def renamed(self, names: Mapping[str, str]) -> Rows:
        """Return the rows with some columns renamed."""
        return replace(self, columns={names.get(name, name): column for name, column in self.columns.items()})

    @property
    def names(self) -> list[str]:
        return list(self.columns)

    @cached_property
    def texts(self) -> list[str]:
        further = [name for name in self.columns if name.startswith("ref") and name[3:].isdigit()]
        return [name for name in TEXTS if name in self.columns] + further

    def order(self, query: Query) -> Order:
        """Return the row numbers for a query, in its order; the sort is stable."""
        with self._lock:
            order = self._orders.pop(query, None)
            if order is None:
                order = self._sorted(self._selected(query), query)
            self._orders[query] = order
            while len(self._orders) > REMEMBERED:
                self._orders.pop(next(iter(self._orders)))
            return order

    def _selected(self, query: Query) -> Order:
        import numpy as np

        selected = self._where(query.where) if query.where.strip() else np.arange(len(self))
        return self._matching(selected, query.find.casefold()) if query.find else selected

    def _where(self, where: str) -> Order:
        """Return the rows that satisfy an expression."""
        import numpy as np

        checked = parse(where).over(self.names, "these rows")
        columns = {name: list(self.columns[name]) for name in checked.names}
        if not columns:
            columns[""] = [None] * len(self)
        rows: Order = np.flatnonzero(checked.rows(columns, lambda row: f"row {row + 1}"))
        return rows

    def _matching(self, selected: Order, wanted: str) -> Order:
        """Return the rows that contain a text, ignoring case."""
        import numpy as np

        texts = [self.columns[name] for name in self.texts]
        holds = (any(wanted in str(column[i] or "").casefold() for column in texts) for i in selected.tolist())
        matching: Order = selected[np.fromiter(holds, bool, len(selected))]
        return matching

    def _sorted(self, selected: Order, query: Query) -> Order:
        """Sort all rows by a column once, and take the selected rows from that order."""
        if not query.sort:
            return selected[::-1] if query.descending else selected
        import numpy as np

        if query.sort not in self.columns:
            raise unknown("column in these rows", query.sort, self.names)
        key = (query.sort, query.descending)
        if key not in self._by_column:
            while len(self._by_column) >= REMEMBERED:
                self._by_column.pop(next(iter(self._by_column)))
            self._by_column[key] = self._by(*key)
        whole = self._by_column[key]
        wanted = np.zeros(len(self), bool)
        wanted[selected] = True
        selected_rows: Order = whole[wanted[whole]]
        return selected_rows

    def _by(self, name: str, descending: bool) -> Order:
        """Return all rows in the order of a column, rows without a value last."""
        import numpy as np

        if (numbers := self.numbers(name)) is not None:
            return np.argsort(-numbers if descending else numbers, kind="stable")
        column = list(self.columns[name])
        present = [i for i, value in enumerate(column) if value is not None]
        present.sort(key=lambda i: str(column[i]).lower(), reverse=descending)
        return np.array([*present, *(i for i, value in enumerate(column) if value is None)], dtype=np.int64)

    def numbers(self, name: str) -> NDArray[np.float64] | None:
        """Return a column as numbers with NaN for missing values; None if it contains anything else."""
        import numpy as np

        column = self.columns[name]
        kinds = set(map(type, column))
        if not kinds <= {int, float, type(None)} or kinds <= {type(None)}:
            return None
        try:
            return np.array(column, dtype=np.float64)
        except OverflowError:
            return None

    def window(self, order: Order, start: int, count: int) -> list[dict[str, Any]]:
        """Return rows `start` to `start + count` of an order, with long texts shortened."""
        return [self.row(i, SHOWN) for i in order[max(start, 0) : max(start, 0) + count].tolist()]

    def row(self, number: int, most: int | None = None) -> dict[str, Any]:
        """Return a row with its number; texts longer than `most` characters are shortened."""
        shown: dict[str, Any] = {"#": number}
        for name, column in self.columns.items():
            shown[name] = cut(column[number], most)
        return shown

    def _paired(self) -> bool:
        """Return whether rows identify their system and, by number or texts, their segment."""
        return "system" in self.columns and any(name in self.columns for name in ("segment", "src", "ref"))

    @cached_property
    def _partners(self) -> dict[tuple[Any, ...], list[int]]:
        keys = [self.columns[name] for name in SEGMENT if name in self.columns]
        partners: dict[tuple[Any, ...], list[int]] = {}
        for i, key in enumerate(zip(*keys, strict=True)):
            partners.setdefault(key, []).append(i)
        return partners

    def same_segment(self, number: int) -> list[int]:
        """Return the rows of all systems for the same segment, including this one."""
        if not self._paired():
            return [number]
        key = tuple(self.columns[name][number] for name in SEGMENT if name in self.columns)
        return self._partners[key]
