"""Detection of tables among files specified as plain text, from their names or first lines."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import islice

from assay.core.errors import InputError
from assay.io.documents import decode
from assay.io.files.text import open_utf8
from assay.io.table.delimited import delimiter_of
from assay.io.table.formats import FORMATS, format_named
from assay.io.table.vocabulary import plain, spellings

LINES, LONGEST = 20, 1 << 16
"""Lines, and bytes of each, that are examined."""
_TRANSLATIONS = spellings("hypothesis", "target")
_MARKUP = (b"<?xml", b"<tmx", b"<xliff", b"<dataset")


def is_table(path: str) -> bool:
    """Return whether a file is a table, judging by its extension or its first lines.

    If the extension is .tsv or .csv, the first line must also contain a delimiter or a known column name, since text files
    with one segment per line have such names too. SGML counts as text with one segment per line. Only regular files are
    opened, because reading a pipe would consume it.

    Raises:
        InputError: All lines have the same number of tabs, but no line names the columns.
    """
    if not os.path.isfile(path):
        return False
    lines = _first_lines(path)
    first = lines[0] if lines else b""
    form = format_named(path)
    if any(first.startswith(format.marks) for format in FORMATS.values()):
        return True
    if form == "sgml":
        return False
    if form in ("tsv", "csv"):
        cells = _cells(first, "\t" if form == "tsv" else delimiter_of(_decoded(first)))
        return len(cells) > 1 or plain(cells[0]) in _TRANSLATIONS
    if form is not None or path.lower().endswith(".json") or first.lstrip().startswith(_MARKUP) or _is_object(first):
        return True
    if has_header(_decoded(first)):
        return True
    refuse_missing_header(path, [_decoded(line) for line in lines])
    return False


def has_header(line: str) -> bool:
    """Return whether a line names the columns of a TSV, including a translation column."""
    cells = [plain(cell) for cell in line.split("\t")]
    return len(cells) > 1 and any(cell in _TRANSLATIONS for cell in cells)


def refuse_missing_header(path: str, lines: Sequence[str]) -> None:
    """Reject text whose first lines all have the same number of tabs: it is a table without a header line."""
    tabs = {line.count("\t") for line in lines[:LINES] if line.strip()}
    if len(tabs) != 1 or tabs == {0}:
        return
    columns = tabs.pop() + 1
    raise InputError(
        f"{path} looks like a table of {columns} columns without a header line. Choose its columns by number (--data "
        f"{path} --columns mt=1,ref=2). If it is plain text, replace the tabs."
    )


def _first_lines(path: str) -> list[bytes]:
    """Return the first non-blank lines; a binary file counts as one line."""
    with open_utf8(path) as file:
        lines = (file.readline(LONGEST).removeprefix(b"\xef\xbb\xbf").rstrip(b"\r\n") for _ in range(4 * LINES))
        return list(islice((line for line in lines if line.strip()), LINES))


def _cells(line: bytes, delimiter: str) -> list[str]:
    return _decoded(line).split(delimiter)


def _decoded(line: bytes) -> str:
    return line.decode(errors="replace")


def _is_object(line: bytes) -> bool:
    """Return whether a line is a JSON object, as in JSON lines."""
    if not line.lstrip().startswith(b"{"):
        return False
    try:
        return isinstance(decode(_decoded(line)), dict)
    except ValueError:
        return False
