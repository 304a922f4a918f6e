"""Tables in XML: the root element says which kind it is, and its reader gives the rows as they come."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any

from assay.core.errors import InputError
from assay.io.files.text import file_name
from assay.io.table import sgml, tmx, wmt_xml, xliff
from assay.io.table.markup import Event, Events, events
from assay.io.table.open_table import Opened, OpenTable, Piece

Row = tuple[int, Mapping[str, Any]]
Reader = Callable[[Event, Events, Opened, list[str]], Iterator[Row]]
"""From the root, the events after it, the file and a list for notes to rows that all have the same keys."""

ROOTS: Mapping[str, Reader] = {
    "tmx": tmx.rows,
    "xliff": xliff.rows,
    "dataset": wmt_xml.rows,
    **dict.fromkeys(("mteval", *sgml.SETS), sgml.rows),
}


class MarkupTable(OpenTable):
    """Rows under the names of the first one; rows are numbered by their lines."""

    def __init__(self, opened: Opened, rows: Iterator[Row], notes: list[str]) -> None:
        self.name, self._file, self._notes = file_name(opened.path), opened.file, notes
        first = next(rows, None)
        self.names = list(first[1]) if first else []
        self._rows = self._checked(chain([first] if first else [], rows))

    def _checked(self, rows: Iterator[Row]) -> Iterator[Row]:
        """Refuse a row with a text that the first one has no column for: it would be lost."""
        known = frozenset(self.names)
        for line, row in rows:
            if not row.keys() <= known:
                key = next(key for key in row if key not in known)
                raise InputError(
                    f"{self.name} line {line}: this row has {key!r}, and the first row does not. Give all documents the "
                    "same parts, or use two files."
                )
            yield line, row

    @property
    def notes(self) -> list[str]:
        return self._notes

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        names = [self.names[place] for place in wanted]
        while taken := list(islice(self._rows, chunk)):
            yield Piece([[row.get(name) for _, row in taken] for name in names], [line for line, _ in taken])

    def close(self) -> None:
        self._file.close()


def read_xml(opened: Opened) -> OpenTable:
    """An XML file of a kind that is known by its root."""
    if not opened.head:
        raise InputError(f"{file_name(opened.path)} is empty.")
    found = events(opened)
    root = next(event for event in found if event.kind == "start")
    if root.name not in ROOTS:
        raise InputError(
            f"{file_name(opened.path)} is XML with the root <{root.name.rpartition(' ')[2][:40]}>: of XML, TMX, XLIFF and WMT's "
            "<dataset> are tables. Make a TSV or JSON lines of it."
        )
    notes: list[str] = []
    return MarkupTable(opened, ROOTS[root.name](root, found, opened, notes), notes)


def read_sgml(opened: Opened) -> OpenTable:
    """A source, reference or test set of old WMT campaigns, which need not be well-formed."""
    found, notes = sgml.tags(opened), list[str]()
    root = next((event for event in found if event.kind == "start"), None)
    if root is None:
        raise InputError(f"{file_name(opened.path)} has no <srcset>, <refset> or <tstset>: it is no SGML of WMT.")
    return MarkupTable(opened, sgml.rows(root, found, opened, notes), notes)
