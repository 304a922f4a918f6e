"""JSON tables: one object per line, or an array of objects that is decoded item by item."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterator
from itertools import chain, islice
from typing import Any

from assay.core.errors import InputError, count, listing
from assay.core.rows import SCORES, SIDES
from assay.io.documents import check_depth, decode
from assay.io.files.text import BLOCK, LONGEST_LINE, file_name, read_blocks, split_lines
from assay.io.table.open_table import MappingTable, Numbered, Opened, OpenTable

AHEAD, AHEAD_CHARACTERS = 1_000, 4_000_000
"""Objects, and characters of text in them, that are read ahead to learn the columns."""
_BLANK = " \t\r\n"
_NEAR_END = 16
"""Characters. An error so close to the end of the buffer may only be an incomplete value."""


class JsonTable(MappingTable):
    """Objects as rows. The columns are the keys of the first `AHEAD` objects; a missing key is null.

    A key that first appears in a later object is rejected, because it would be silently ignored.
    """

    nested = True

    def __init__(self, opened: Opened) -> None:
        self.name, self.file = file_name(opened.path), opened.file
        rows = numbered_objects(opened)
        self.ahead = _read_ahead(rows)
        refusal = (
            f"the key {{key}} is not in the first {count(len(self.ahead), 'row')}. Add it to the first row (null if it has no "
            "value)."
        )
        super().__init__(chain(self.ahead, rows), dict.fromkeys(key for _, row in self.ahead for key in row), refusal)

    def objects(self) -> Iterator[Numbered]:
        """Return the objects unchanged, each with the line on which it begins."""
        return self._rows


def look_at_scores(table: OpenTable, metric: str = "") -> dict[str, str]:
    """Add the scores of `metric` (default: the only one) as columns to a table of JSON rows with nested scores.

    Returns:
        The columns by content: ``score``, or ``good`` and ``incorrect`` for minimal pairs; empty for other tables.
    """
    if not isinstance(table, JsonTable) or SCORES not in table.names or "score" in table.names:
        return {}
    inside = [row[SCORES] for _, row in table.ahead if isinstance(row.get(SCORES), dict)]
    names = dict.fromkeys(name for scores in inside for name in scores)
    metrics = dict.fromkeys(
        name.removesuffix(f" {side}") for name in names for side in SIDES if name.endswith(f" {side}")
    )
    available = metrics or names
    chosen = metric if metric in available else next(iter(available), None)
    if chosen is None:
        return {}
    if len(available) > 1 and metric not in available:
        raise InputError(
            f"{table.name} has scores for {listing(available)}. Rename the file after one of them, such as {chosen}.jsonl."
        )
    columns = (
        {side: (f"{side} score", f"{chosen} {side}") for side in SIDES} if metrics else {"score": ("score", chosen)}
    )
    for column, name in columns.values():
        table.look_inside(column, (SCORES, name))
    return {held: column for held, (column, _) in columns.items()}


def _read_ahead(objects: Iterator[Numbered]) -> list[Numbered]:
    """Return the first objects: at most `AHEAD` objects, or fewer once `AHEAD_CHARACTERS` of text were read."""
    taken, size = list[Numbered](), 0
    for numbered in islice(objects, AHEAD):
        taken.append(numbered)
        size += sum(len(value) for value in numbered[1].values() if isinstance(value, str))
        if size > AHEAD_CHARACTERS:
            break
    return taken


def numbered_objects(opened: Opened) -> Iterator[Numbered]:
    """Yield the objects in a file, each with the line on which it begins; other values are bad rows."""
    array = opened.head.removeprefix(codecs.BOM_UTF8).lstrip().startswith(b"[")
    for number, value in _items(opened) if array else _lines(opened):
        if isinstance(value, dict):
            yield number, value
        else:
            opened.bad(opened.path, number, f"expected a JSON object, not {type(value).__name__}.")


def _lines(opened: Opened) -> Iterator[tuple[int, Any]]:
    def spoiled(line: int, byte: int) -> None:
        opened.bad(opened.path, line, f"not UTF-8 at byte {byte} of the line.")

    blocks = read_blocks(opened.file, opened.path, opened.head, spoiled if opened.bad.skip else None)
    for number, line in enumerate(chain.from_iterable(split_lines(blocks)), 1):
        if not line or line.isspace():
            continue
        try:
            value = decode(line)
        except ValueError as error:
            opened.bad(opened.path, number, f"not JSON: {error}.")
            continue
        yield number, value


def _items(opened: Opened) -> Iterator[tuple[int, Any]]:
    """Yield the items in an array; stop at a malformed one, since the start of the next is unknown."""
    text = _Text(opened)
    text.skip("[")
    if text.peek() == "]":
        return
    while True:
        text.peek()
        number = text.line
        yield number, text.value()
        if text.peek() == "]":
            return
        text.skip(",")


class _Text:
    """Buffer over an array's text that holds only the item being decoded."""

    def __init__(self, opened: Opened) -> None:
        self._name, self._blocks = file_name(opened.path), _decode_blocks(opened)
        self._decode = json.JSONDecoder().raw_decode
        self._text, self._at, self._ended = "", 0, False
        self.line, self._column = 1, 1

    def peek(self) -> str:
        """Return the next non-whitespace character; empty at the end."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._advance(self._at + 1)
            if not self._more():
                return ""

    def skip(self, wanted: str) -> None:
        """Skip a required character."""
        if self.peek() != wanted:
            raise self._error(f"Expecting '{wanted}' delimiter", self._at)
        self._advance(self._at + 1)

    def value(self) -> Any:
        """Return the next value, reading more text until it is complete."""
        while True:
            try:
                value, end = self._decode(self._text, self._at)
            except json.JSONDecodeError as error:
                whole = not error.msg.startswith("Unterminated") and error.pos < len(self._text) - _NEAR_END
                past = error.pos - self._at
                if whole or not self._more():
                    raise self._error(error.msg, self._at + past) from error
                continue
            except (RecursionError, ValueError) as error:
                raise self._error(self._reason(error), self._at) from error
            if end < len(self._text) or not self._more():
                self._check(value, end)
                self._advance(end)
                return value

    def _reason(self, error: Exception) -> str:
        return "nested too deeply" if isinstance(error, RecursionError) else str(error)

    def _check(self, value: Any, end: int) -> None:
        brackets = self._text.count("[", self._at, end) + self._text.count("{", self._at, end)
        try:
            check_depth(value, brackets)
        except ValueError as error:
            raise self._error(str(error), self._at) from error

    def _more(self) -> bool:
        """Double the buffered text, so that a long value is not decoded again after every block."""
        parts = [self._text[self._at :]]
        if len(parts[0]) > LONGEST_LINE:
            raise self._error(f"an item longer than {LONGEST_LINE >> 20} million characters", self._at)
        size = 0
        for block in self._blocks:
            parts.append(block)
            size += len(block)
            if size >= len(parts[0]):
                break
        self._text, self._at = "".join(parts), 0
        return size > 0

    def _advance(self, end: int) -> None:
        lines = self._text.count("\n", self._at, end)
        if lines:
            self.line += lines
            self._column = end - self._text.rfind("\n", self._at, end)
        else:
            self._column += end - self._at
        self._at = end

    def _error(self, reason: str, position: int) -> InputError:
        self._advance(position)
        return InputError(f"{self._name} is not JSON: {reason}: line {self.line} column {self._column}.")


def _decode_blocks(opened: Opened) -> Iterator[str]:
    """Yield the text in blocks that may end within a line, since an array may be on a single line."""
    decoder, offset = codecs.getincrementaldecoder("utf-8")(), 0
    for data in chain([opened.head.removeprefix(codecs.BOM_UTF8)], iter(lambda: opened.file.read(BLOCK), b""), [b""]):
        try:
            yield decoder.decode(data, final=not data)
        except UnicodeDecodeError as error:
            raise InputError(f"{file_name(opened.path)} is not UTF-8 near byte {offset + error.start:,}.") from error
        offset += len(data)
