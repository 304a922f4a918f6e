"""Table columns by role (translations, references, ids …), checked value by value and joined into batches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.batch import Batch, EmptyReference, apply_empty_reference
from assay.core.columns import plain as plain_json
from assay.core.errors import InputError, count, listing
from assay.core.langpair import plain_pair
from assay.core.rows import InputRows, renamed_inputs
from assay.io.documents import decode
from assay.io.table.open_table import OpenTable, Piece
from assay.io.table.vocabulary import ColumnChoice, Layout, Wanted, assign, columns_chosen, plain, spelled, spellings

SHOWN = {"source": "src", "system": "system", "document": "doc", "langpair": "langpair", "id": "id"}
"""Role to its name in rows of assay."""
_TEXTS = ("hypothesis", "target", "source", "reference", "system", "langpair")


def lay_out(table: OpenTable, wanted: Wanted, chosen: ColumnChoice | None) -> Layout:
    """Assign a role to each column. In a table without a header line, columns are chosen by number."""
    named = columns_chosen(chosen or {})
    numbers = [one for columns in named.values() for one in columns if one.isdecimal() and one not in table.names]
    if numbers and table.names:
        if others := [one for columns in named.values() for one in columns if one not in numbers]:
            raise InputError(
                f"--columns selects {listing(numbers)} by number and {listing(others)} by name. Use names if "
                "the table has a header line, and numbers otherwise."
            )
        _refuse_header(table, wanted, named)
        table.without_header()
    for column in (one for columns in named.values() for one in columns):
        if column not in table.names and column.partition(".")[0] in table.names:
            table.look_inside(column)
    return assign(table.names, wanted, chosen, table.name)


def _refuse_header(table: OpenTable, wanted: Wanted, named: dict[str, list[str]]) -> None:
    """Reject column numbers if the first line is a header: it names two text columns or the chosen one."""
    texts = [index for index, name in enumerate(table.names) if plain(name) in spellings(*_TEXTS)]
    called = {wanted.name_of(role): columns for role, columns in named.items()}
    own = [at for at in texts if str(at + 1) in called.get(wanted.name_of(table.names[at]), ())]
    if len(texts) > 1 or own:
        raise InputError(
            f"{table.name} has a header line ({listing(table.names)}). Choose columns by these names; numbers are "
            "for tables without one."
        )


class RoleColumns:
    """Reader for a table's columns by role that checks every value."""

    def __init__(
        self,
        table: OpenTable,
        layout: Layout,
        further: Sequence[int] = (),
        empty_reference: EmptyReference = "skip",
        *,
        own: int = 0,
    ) -> None:
        """Read the columns in `layout` and the `further` ones; batches keep the first `own` columns unchanged."""
        self._empty_reference = empty_reference
        self._name, self._names, self._layout, self._further = table.name, table.names, layout, further
        self._width: int | None = None
        listed = [] if layout.references_list is None else [layout.references_list]
        self._systems = layout.several.get("hypothesis", ())
        if self._systems and "system" in layout.places:
            raise InputError(
                f"{table.name} has a system column ({table.names[layout.places['system']]!r}), but --columns "
                "selects several translation columns. Use one or the other."
            )
        self._own = range(own)
        self.wanted = list(
            dict.fromkeys([*layout.places.values(), *self._systems, *layout.references, *listed, *further, *self._own])
        )
        """The places of the columns to request from the table."""
        self._at = {index: at for at, index in enumerate(self.wanted)}

    def column(self, piece: Piece, index: int) -> Sequence[Any]:
        """Return the column at a position in the header."""
        return piece.columns[self._at[index]]

    def further(self, piece: Piece) -> list[Sequence[Any]]:
        """Return the additional columns."""
        return [list(self.column(piece, index)) * max(len(self._systems), 1) for index in self._further]

    def batch(self, piece: Piece) -> Batch:
        places = self._layout.places

        def labels(role: str) -> Sequence[str] | None:
            return self._labels(piece, places[role]) if role in places else None

        batch = Batch(
            hypotheses=self._texts(piece, places["hypothesis"]),
            sources=self._texts(piece, places["source"]) if "source" in places else None,
            references=tuple(self.references(piece)) or None,
            langpairs=_plain_pairs(labels("langpair")),
            systems=labels("system"),
            documents=labels("document"),
            ids=labels("id"),
            groups=labels("group"),
            rows=self._rows(piece) if self._own and not self._systems else None,
        )
        return self._by_system(batch, piece) if self._systems else batch

    def _rows(self, piece: Piece) -> InputRows:
        """Return all columns of the piece. With several translation columns, `system` names the column and `mt` is its text."""
        columns = {self._names[index]: json_values(self.column(piece, index)) for index in self._own}
        if self._systems:
            many, n = len(self._systems), len(piece.numbers)
            columns = {name: list(column) * many for name, column in columns.items()}
            added = {
                "system": [self._names[index] for index in self._systems for _ in range(n)],
                "mt": [text for index in self._systems for text in self._texts(piece, index)],
            }
            renamed = renamed_inputs(columns, added)
            columns = {renamed.get(name, name): column for name, column in columns.items()} | added
        return InputRows(columns, self._roles())

    def _roles(self) -> dict[str, str]:
        """Return the names that assay's output rows use for the columns with a role."""
        layout = self._layout
        places = {} if self._systems else {"mt": layout.places["hypothesis"]}
        places |= {shown: layout.places[role] for role, shown in SHOWN.items() if role in layout.places}
        if own := spelled(self._names, "segment", "segment id"):
            places["segment"] = self._names.index(own[0])
        places |= {f"ref{i if i > 1 else ''}": index for i, index in enumerate(layout.references, 1)}
        return {self._names[index]: shown for shown, index in places.items()}

    def _by_system(self, batch: Batch, piece: Piece) -> Batch:
        """Repeat the batch for every translation column, each of which is one system."""
        many, n = len(self._systems), len(batch)

        def again(column: Sequence[Any] | None) -> Sequence[Any] | None:
            return None if column is None else list(column) * many

        return Batch(
            hypotheses=[text for index in self._systems for text in self._texts(piece, index)],
            sources=again(batch.sources),
            references=batch.references and tuple(list(column) * many for column in batch.references),
            langpairs=again(batch.langpairs),
            systems=[self._names[index] for index in self._systems for _ in range(n)],
            documents=again(batch.documents),
            ids=again(batch.ids),
            groups=again(batch.groups),
            rows=self._rows(piece) if self._own else None,
        )

    def references(self, piece: Piece) -> list[Sequence[str | None]]:
        """Return one column per reference; a missing reference or an empty cell is None."""
        if self._layout.references_list is not None:
            columns = self._lists(piece, self._layout.references_list)
        else:
            columns = [self._texts(piece, index, gaps=True) for index in self._layout.references]
        return list(
            apply_empty_reference(columns, self._empty_reference, lambda row: f"{self._name} {piece.where(row)}")
        )

    def _texts(self, piece: Piece, index: int, gaps: bool = False) -> Sequence[Any]:
        values = self.column(piece, index)
        kinds = set(map(type, values))
        if kinds <= ({str, type(None)} if gaps else {str}):
            return values
        for i, value in enumerate(values):
            if not isinstance(value, str) and not is_null(value):
                raise self._type_error(value, index, piece.where(i))
        empty = None if gaps else ""
        return [value if isinstance(value, str) else empty for value in values]

    def _labels(self, piece: Piece, index: int) -> Sequence[str]:
        values = self.column(piece, index)
        if set(map(type, values)) == {str}:
            return values
        for i, value in enumerate(values):
            if isinstance(value, (list, dict)):
                raise self._type_error(value, index, piece.where(i))
        return ["" if value is None else str(value) for value in values]

    def _lists(self, piece: Piece, index: int) -> list[Sequence[str | None]]:
        """Split a list column into one column per reference, with None in gaps; the longest list in the first rows gives
        their number."""
        rows = [reference_list(value) for value in self.column(piece, index)]
        for i, row in enumerate(rows):
            if not isinstance(row, list):
                raise self._type_error(row, index, piece.where(i))
            for text in row:
                if text is not None and not isinstance(text, str):
                    raise self._type_error(text, index, piece.where(i))
        width = self._width = max(1, *map(len, rows)) if self._width is None else self._width
        for i, row in enumerate(rows):
            if len(row) > width:
                raise InputError(
                    f"{self._name} {piece.where(i)} has {count(len(row), 'reference')}, but earlier rows have at "
                    f"most {width}. Move the row with the most references to the top."
                )
        return [[row[k] if k < len(row) else None for row in rows] for k in range(width)]

    def _type_error(self, value: object, index: int, where: str) -> InputError:
        kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
        column = self._names[index]
        what = kinds.get(type(value), type(value).__name__)
        if isinstance(value, dict) and value:
            return InputError(
                f"{self._name} {where}: {column!r} is an object, not text. Choose a value in it: --columns "
                f"NAME={column}.{next(iter(value))}"
            )
        return InputError(
            f"{self._name} {where}: {column!r} is {what} ({str(value)[:40]}), not text. Write it in quotes."
        )


def json_values(column: Sequence[Any]) -> Sequence[Any]:
    """Return a column with values that JSON can represent: dates and bytes become text."""
    if set(map(type, column)) <= {str, int, float, bool, type(None)}:
        return column
    return [plain_json(value) for value in column]


def _plain_pairs(pairs: Sequence[str] | None) -> Sequence[str] | None:
    """Return language pairs with a hyphen: ``EN_ZH`` becomes ``en-zh``."""
    if pairs is None:
        return None
    names = {pair: plain_pair(pair) for pair in set(pairs)}
    return [names[pair] for pair in pairs] if any(pair != name for pair, name in names.items()) else pairs


def is_null(value: object) -> bool:
    """Return whether a value is an empty cell: None, or the NaN of pandas."""
    return value is None or (isinstance(value, float) and value != value)


def reference_list(value: Any) -> Any:
    """Return a cell in a reference column as a list: the texts in a JSON list, otherwise a single reference."""
    if not isinstance(value, str):
        return [] if is_null(value) else value
    if value.lstrip()[:1] == "[" and value.rstrip()[-1:] == "]":
        try:
            texts = decode(value)
        except ValueError:
            return [value]
        if isinstance(texts, list) and all(isinstance(text, str | None) for text in texts):
            return texts
    return [value]
