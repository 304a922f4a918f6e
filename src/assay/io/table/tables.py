"""Tables of translations (TSV, CSV, JSON lines, Parquet), read as a stream of batches.

Columns are known by the names people use (`NAMES`), in upper or lower case; others are left alone.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.core.batch import Batch
from assay.core.errors import InputError, count, listing, unknown
from assay.io.files.text import file_name, open_bytes
from assay.io.table.formats import Csv, JsonLines, Parquet, Piece, Source, Tsv, format_of

Format = Literal["tsv", "csv", "jsonl", "parquet"]

NAMES: Mapping[str, tuple[str, ...]] = {
    "hypothesis": ("hypothesis", "mt", "translation", "hyp"),
    "source": ("source", "src"),
    "reference": ("reference", "ref"),
    "references": ("references", "refs"),
    "system": ("system", "sys"),
    "document": ("document", "doc"),
    "langpair": ("langpair", "lp"),
    "id": ("id", "seg_id"),
}
_REFERENCE = re.compile(r"(?:reference|ref)_?(\d*)")
_TEXTS = ("hypothesis", "source", "references")


@dataclass(frozen=True, slots=True)
class _Layout:
    """Which column plays which role."""

    roles: Mapping[str, str]
    references: tuple[str, ...]

    @property
    def wanted(self) -> list[str]:
        return [*self.roles.values(), *self.references]


def read_table(
    path: str | os.PathLike[str],
    columns: Mapping[str, str] | None = None,
    chunk: int = 8192,
    *,
    format: Format | None = None,
    needs: Mapping[str, str] | None = None,
) -> Iterator[Batch]:
    """The rows of a table as batches of `chunk` segments; ``-`` is standard input.

    `columns` names the column of a role where it has another name than those in `NAMES`: ``{"hypothesis": "output"}``.
    References come from ``reference``, ``ref``, ``ref2``, ``ref3`` … or from a list in ``references``; a null says that a
    segment lacks one. Every batch has the same columns. `format` is told from the name or the first bytes when not given.
    `needs` maps a role that must be there (``reference``, ``source``) to the metric that wants it.
    """
    name = os.fspath(path)
    if chunk < 1:
        raise InputError(f"a chunk must hold at least one row, not {chunk}.")
    with open_bytes(name) as file:
        head = file.readline(1 << 20)
        source = open_source(file, name, head, format or format_of(name, head))
        if not source.names and isinstance(source, JsonLines):
            return
        layout = _layout(source.names, columns or {}, file_name(name))
        _check_needs(layout, needs or {}, source.names, file_name(name))
        rows = _Rows(layout, file_name(name))
        for piece in source.pieces(layout.wanted, chunk):
            yield rows.batch(piece)


def _check_needs(layout: _Layout, needs: Mapping[str, str], found: Sequence[str], name: str) -> None:
    for role, metric in needs.items():
        there = bool(layout.references) or "references" in layout.roles if role == "reference" else role in layout.roles
        if not there:
            raise InputError(
                f"{name} has no {role} column, which {metric} needs. It has {listing(map(repr, found))}; "
                f"call the column {' or '.join(NAMES[role])}, or name it with --columns {NAMES[role][-1]}=COLUMN."
            )


def open_source(file: io.BufferedReader, path: str, head: bytes, kind: str) -> Source:
    """The table of format `kind` in an open file whose first line has been read."""
    if kind == "parquet":
        if path == "-" or not _begins_with_mark(Path(path)):
            raise InputError(f"{file_name(path)} is not a Parquet file as it stands. Give a plain .parquet file.")
        return Parquet(path)
    if kind == "jsonl":
        return JsonLines(file, path, head)
    if not head:
        raise InputError(
            f"{file_name(path)} is empty: it needs a header line that names its columns, such as src, mt, ref."
        )
    return Tsv(file, path, head) if kind == "tsv" else Csv(file, path, head)


def _begins_with_mark(path: Path) -> bool:
    if not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(4) == b"PAR1"


def _layout(found: Sequence[str], chosen: Mapping[str, str], name: str) -> _Layout:
    lowered: dict[str, str] = {}
    for column in found:
        if column.strip().lower() in lowered and _known(column):
            raise InputError(f"{name} has two columns called {column!r}: rename one.")
        lowered.setdefault(column.strip().lower(), column)
    roles: dict[str, str] = {}
    for wanted, column in chosen.items():
        role = next((role for role, names in NAMES.items() if wanted.lower() in names), None)
        if role is None:
            raise unknown("role of a column", wanted, NAMES)
        if column.lower() not in lowered:
            raise unknown(f"column in {name}", column, found)
        roles[role] = lowered[column.lower()]
    for role, names in NAMES.items():
        hits = [lowered[option] for option in names if option in lowered]
        if role in roles or not hits or role == "reference":
            continue
        if len(hits) > 1 and role in _TEXTS:
            raise InputError(f"{name} has {len(hits)} columns for the {role} ({', '.join(hits)}): keep or rename one.")
        roles[role] = hits[0]
    if "hypothesis" not in roles:
        raise InputError(
            f"{name} has no column with the translations. It has {listing(map(repr, found))}; "
            f"call the column {', '.join(NAMES['hypothesis'][:-1])} or {NAMES['hypothesis'][-1]}."
        )
    references = (roles.pop("reference"),) if "reference" in roles else _references(lowered, name)
    if references and "references" in roles:
        raise InputError(
            f"{name} has references in {roles['references']!r} and in {references[0]!r}: keep one of them."
        )
    return _Layout(roles, references)


def _known(column: str) -> bool:
    text = column.strip().lower()
    return bool(_REFERENCE.fullmatch(text)) or any(text in names for names in NAMES.values())


def _references(lowered: Mapping[str, str], name: str) -> tuple[str, ...]:
    """The reference columns in the order of their numbers; one without a number is the first."""
    numbered: dict[int, str] = {}
    for text, column in lowered.items():
        if match := _REFERENCE.fullmatch(text):
            number = int(match[1] or 1)
            if number in numbered:
                raise InputError(
                    f"{name} has two columns for reference {number} ({numbered[number]}, {column}): rename one."
                )
            numbered[number] = column
    return tuple(numbered[number] for number in sorted(numbered))


class _Rows:
    """Pieces of a table into batches, every value checked."""

    def __init__(self, layout: _Layout, name: str) -> None:
        self._layout, self._name = layout, name
        self._width: int | None = None

    def batch(self, piece: Piece) -> Batch:
        columns = dict(zip(self._layout.wanted, piece.columns, strict=True))
        by_role: dict[str, Any] = {}
        for role, column in self._layout.roles.items():
            if role == "references":
                continue
            check = self._texts if role in _TEXTS else self._labels
            by_role[role] = check(columns[column], column, piece)
        references = [self._texts(columns[column], column, piece, gaps=True) for column in self._layout.references]
        if "references" in self._layout.roles:
            column = self._layout.roles["references"]
            references = self._lists(columns[column], column, piece)
        return Batch(
            hypotheses=by_role["hypothesis"],
            sources=by_role.get("source"),
            references=tuple(references) or None,
            langpairs=by_role.get("langpair"),
            systems=by_role.get("system"),
            documents=by_role.get("document"),
            ids=by_role.get("id"),
        )

    def _texts(self, values: Sequence[Any], column: str, piece: Piece, gaps: bool = False) -> Sequence[Any]:
        kinds = set(map(type, values))
        if kinds <= ({str, type(None)} if gaps else {str}):
            return values
        for i, value in enumerate(values):
            if not isinstance(value, str) and not (gaps and value is None):
                raise self._wrong(value, column, piece.where(i))
        return values

    def _labels(self, values: Sequence[Any], column: str, piece: Piece) -> Sequence[str]:
        if set(map(type, values)) == {str}:
            return values
        for i, value in enumerate(values):
            if isinstance(value, (list, dict)):
                raise self._wrong(value, column, piece.where(i))
        return ["" if value is None else str(value) for value in values]

    def _lists(self, values: Sequence[Any], column: str, piece: Piece) -> list[Sequence[str | None]]:
        """A column of lists as one column a reference, with gaps; as many as the longest list of the first rows."""
        rows = [[value] if isinstance(value, str) else [] if value is None else value for value in values]
        for i, row in enumerate(rows):
            if not isinstance(row, list):
                raise self._wrong(row, column, piece.where(i))
            for text in row:
                if text is not None and not isinstance(text, str):
                    raise self._wrong(text, column, piece.where(i))
        width = self._width = max(map(len, rows)) if self._width is None else self._width
        for i, row in enumerate(rows):
            if len(row) > width:
                raise InputError(
                    f"{self._name} {piece.where(i)} has {count(len(row), 'reference')}, the rows before have at most "
                    f"{width}: move a row with the most references to the top."
                )
        return [[row[k] if k < len(row) else None for row in rows] for k in range(width)]

    def _wrong(self, value: object, column: str, where: str) -> InputError:
        kinds = {bool: "true or false", int: "a number", float: "a number", list: "a list", dict: "an object"}
        if value is None:
            return InputError(f"{self._name} {where} has no {column!r}: give every row one, empty if need be.")
        what = kinds.get(type(value), type(value).__name__)
        return InputError(
            f"{self._name} {where}: {column!r} is {what} ({str(value)[:40]}), not text. Write it in quotes."
        )
