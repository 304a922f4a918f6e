"""Reader for Excel workbooks (.xlsx): the first visible sheet, row by row, as cell text.

A workbook is XML in a zip file, so assay's safe XML parser reads it without another package. Rows are streamed, and only the
workbook's string table is held in memory. Numbers become text as in a CSV; a date becomes Excel's serial number.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from posixpath import join, normpath

from assay.core.errors import InputError, count, listing
from assay.io.files.text import LONGEST_LINE, file_name
from assay.io.table.delimited import MOST_COLUMNS, Chunk, DelimitedTable, Fields
from assay.io.table.open_table import Opened, OpenTable
from assay.io.table.xml_parser import SafeParser, events

MARK = b"PK\x03\x04"
MOST_PART = 1 << 30
"""Bytes of a sheet."""
MOST_STRINGS = 1 << 29
"""Bytes of the table of strings, which is held in memory."""
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")
_RELATION = "http://schemas.openxmlformats.org/officeDocument/2006/relationships id"
_STRICT = "http://purl.oclc.org/ooxml/officeDocument/relationships id"


_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)
"""Errors of zipfile over a damaged archive; UnicodeDecodeError, a ValueError, over a name."""


def _lzma_error() -> type[Exception]:
    """Return the LZMA error class, if this Python has LZMA support."""
    try:
        from lzma import LZMAError
    except ImportError:
        return zlib.error
    return LZMAError


class Workbook:
    """Reader for the parts of a workbook."""

    def __init__(self, opened: Opened) -> None:
        self._opened, self.name = opened, file_name(opened.path)
        if not opened.head.startswith(MARK):
            reason = "its first bytes are something else" if opened.head else "it is empty"
            raise InputError(
                f"{self.name} is not a workbook, despite its name: {reason}. Export it again, or rename it."
            )
        if not opened.file.seekable():
            raise InputError(f"{self.name} is a compressed workbook or a pipe. Specify an uncompressed .xlsx file.")
        with self.reporting_errors():
            self._zip = zipfile.ZipFile(opened.file)

    def sheet(self) -> tuple[str, list[str]]:
        """Return the part that contains the first visible sheet, and the names of all visible sheets."""
        if "mimetype" in self._zip.namelist() or "xl/workbook.bin" in self._zip.namelist():
            raise InputError(f"{self.name} is a workbook in another format. Save it as .xlsx or CSV.")
        if "xl/workbook.xml" not in self._zip.namelist():
            raise InputError(f"{self.name} is a zip file, not a workbook. Unpack it and specify the table inside it.")
        elements = self._elements("xl/workbook.xml", "sheet")
        sheets = [attributes for attributes in elements if attributes.get("state", "visible") == "visible"]
        if not sheets:
            raise InputError(
                f"{self.name} has no visible sheet. Unhide one in a spreadsheet program and save the file."
            )
        relation_id = sheets[0].get(_RELATION, sheets[0].get(_STRICT, ""))
        relations = self._elements("xl/_rels/workbook.xml.rels", "Relationship")
        target = next(
            (attributes.get("Target", "") for attributes in relations if attributes.get("Id") == relation_id), ""
        )
        return normpath(join("xl", target)).lstrip("/"), [attributes.get("name", "") for attributes in sheets]

    def _elements(self, part: str, name: str) -> list[Mapping[str, str]]:
        """Return the attributes of all elements with this name in a part."""
        with self.reporting_errors():
            stream = events(self.part(part, MOST_STRINGS))
            return [event.attributes for event in stream if event.kind == "start" and event.name == name]

    def strings(self) -> list[str]:
        """Return the workbook's string table."""
        if "xl/sharedStrings.xml" not in self._zip.namelist():
            return []
        parser = _Strings(self.part("xl/sharedStrings.xml", MOST_STRINGS))
        with self.reporting_errors():
            for _ in parser.blocks():
                pass
        return parser.found

    def part(self, name: str, most: int = MOST_PART) -> Opened:
        """Open a part for the parser."""
        with self.reporting_errors():
            info = self._zip.getinfo(name)
            if info.file_size > most:
                raise InputError(f"{self.name}: {name} has more than {most >> 20} MiB. Save the sheet as CSV.")
            return self._opened._replace(file=self._zip.open(info), head=b"", path=f"{self.name} ({name})")

    @contextmanager
    def reporting_errors(self) -> Iterator[None]:
        """Turn archive errors into an error with one sentence."""
        try:
            yield
        except KeyError:
            raise InputError(f"{self.name} is incomplete: a part of the workbook is missing. Save it again.") from None
        except InputError:
            raise
        except (*_DAMAGED, _lzma_error()) as error:
            reason = "it has a password" if "encrypted" in str(error) else "its content is damaged"
            raise InputError(
                f"{self.name} cannot be read as a workbook: {reason}. Save it again as .xlsx or CSV."
            ) from None


class _Cells(SafeParser):
    """Base of both parsers: the text of ``t`` and ``v``, without phonetic guides (``rPh``)."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self._parts: list[str] = []
        self._size = self._spoken = 0
        self._taken = False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name in ("t", "v"):
            self._taken = not self._spoken
        elif name == "rPh":
            self._spoken += 1

    def end(self, name: str) -> None:
        if name in ("t", "v"):
            self._taken = False
        elif name == "rPh":
            self._spoken -= 1

    def text(self, text: str) -> None:
        if self._taken:
            self._parts.append(text)
            self._size += len(text)
            if self._size > LONGEST_LINE:
                self.refuse(f"a text is longer than {LONGEST_LINE >> 20} million characters")

    def _take_text(self) -> str:
        whole, self._parts, self._size = "".join(self._parts), [], 0
        return whole


class _Strings(_Cells):
    """Parser for the string table."""

    def __init__(self, opened: Opened) -> None:
        super().__init__(opened)
        self.found: list[str] = []

    def end(self, name: str) -> None:
        super().end(name)
        if name == "si":
            self.found.append(_unescape(self._take_text()))


class _Rows(_Cells):
    """Parser for rows of cells as text, with the number of each row."""

    def __init__(self, opened: Opened, strings: list[str]) -> None:
        super().__init__(opened)
        self.found: list[Fields] = []
        self.never_calculated = 0
        self.errors = 0
        self._strings = strings
        self._row: list[str] = []
        self._number = self._place = 0
        self._kind, self._formula = "", False

    def start(self, name: str, attributes: dict[str, str]) -> None:
        if name == "c":
            letters = attributes.get("r", "").rstrip("0123456789")
            before, self._place = self._place, _place(letters) if letters else self._place + 1
            if not before < self._place < MOST_COLUMNS:
                self.refuse(f"a cell has the impossible name {attributes.get('r', '')[:20]!r}")
            self._kind, self._formula = attributes.get("t", "n"), False
            self._take_text()
        elif name == "row":
            number = attributes.get("r", "")
            self._number = int(number) if number.isdecimal() and len(number) < 10 else self._number + 1
            self._row, self._place = [], -1
        elif name == "f":
            self._formula = True
        else:
            super().start(name, attributes)

    def end(self, name: str) -> None:
        if name == "c":
            text = self._take_text()
            self.never_calculated += self._formula and not text and self._kind != "str"
            if value := self._value(text):
                self._row += [""] * (self._place - len(self._row)) + [value]
        elif name == "row":
            self.found.append((self._number, self._row))
        else:
            super().end(name)

    def _value(self, text: str) -> str:
        if self._kind == "s":
            if not (text.isdecimal() and len(text) < 10 and int(text) < len(self._strings)):
                self.refuse(f"a cell refers to the string {text[:20]!r}, which does not exist")
            return self._strings[int(text)]
        if self._kind == "n":
            return _number(text)
        if self._kind == "e":
            self.errors += 1
            return ""
        if self._kind == "b":
            return {"1": "TRUE", "0": "FALSE"}.get(text, text)
        return _unescape(text)


def _place(letters: str) -> int:
    """Return the index of a column: ``A`` is 0, ``AB`` is 27."""
    index = 0
    for letter in letters[:4]:
        index = index * 26 + (ord(letter.upper()) - 64 if letter.isascii() and letter.isalpha() else MOST_COLUMNS)
    return index - 1


def _number(text: str) -> str:
    """Return the shortest text for a number: Excel stores 0.1 as 0.10000000000000001."""
    if text.isdecimal() or not text:
        return text
    try:
        value = float(text)
    except ValueError:
        return text
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def _unescape(text: str) -> str:
    """Replace escapes such as ``_x000B_``, which represent characters that XML cannot contain."""
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


class SheetCells:
    """Sheet as `Cells`: every row is as wide as the first, and empty rows are skipped."""

    quoted, unquoted_rows = False, 0

    def __init__(self, opened: Opened) -> None:
        book = Workbook(opened)
        part, names = book.sheet()
        self.notes = (
            [] if len(names) < 2 else [f"{book.name} has the sheets {listing(names)}; only {names[0]!r} is read."]
        )
        self._rows = self._read(book, part)
        self._width = 0

    def _read(self, book: Workbook, part: str) -> Iterator[Fields]:
        parser = _Rows(book.part(part), book.strings())
        blocks = parser.blocks()
        while True:
            with book.reporting_errors():
                if next(blocks, "end") == "end":
                    break
            pending, parser.found = parser.found, []
            yield from ((number, row) for number, row in pending if any(cell.strip() for cell in row))
        if parser.errors:
            self.notes.append(
                f"{book.name}: {count(parser.errors, 'cell')} with an error such as #N/A or #REF! read as empty."
            )
        if parser.never_calculated:
            self.notes.append(
                f"{book.name}: {count(parser.never_calculated, 'formula')} without a value read as empty. Open the "
                "workbook in a spreadsheet program and save it."
            )

    def first(self) -> Fields | None:
        first = next(self._rows, None)
        self._width = len(first[1]) if first else 0
        return first

    def chunks(self, size: int) -> Iterator[Chunk]:
        numbers: list[int] = []
        rows: list[list[str]] = []
        for number, row in self._rows:
            numbers.append(number)
            rows.append(row + [""] * (self._width - len(row)))
            if len(rows) == size:
                yield numbers, rows
                numbers, rows = [], []
        if rows:
            yield numbers, rows


def read_xlsx(opened: Opened) -> OpenTable:
    """Open the first sheet of a workbook; its first row is the header."""
    return DelimitedTable(opened, SheetCells(opened))


def refuse_old(opened: Opened) -> OpenTable:
    """Reject encrypted workbooks and those in the format before 2007, neither of which is a zip file."""
    raise InputError(
        f"{file_name(opened.path)} is an old workbook (.xls) or is password-protected. Save it as an unprotected .xlsx, or as "
        "CSV."
    )
