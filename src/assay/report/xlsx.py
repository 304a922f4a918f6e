"""Spreadsheet writer (XLSX): one sheet per table, unrounded, written row by row.

A workbook of plain cells is a few XML parts in a zip file, so no package is needed. Text is always written inline, never as
a formula. Text that begins like a formula is marked, so that editing its cell does not turn it into one.
"""

from __future__ import annotations

import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import IO, Any
from xml.sax.saxutils import escape

from assay.core.columns import plain
from assay.core.errors import InputError
from assay.core.table import Table
from assay.report.data import FORMULA

MOST_ROWS = 1_048_576
"""Rows of a sheet, the heading included."""
MOST_CHARACTERS = 32_767
"""Characters of a cell."""
_EXACT = 2**53
"""Larger whole numbers are written as text, because a spreadsheet would round them."""
_ILLEGAL = re.compile(r"[\x00-\x08\x0b-\x1f\ud800-\udfff\ufffe\uffff]|_(?=x[0-9A-Fa-f]{4}_)")
"""Characters that XML cannot contain, and text that would be read as the escape of one."""
_PLAIN, _HEADING, _QUOTED = 0, 1, 2
"""Indices of the cell styles in `_STYLES`."""

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPE = "application/vnd.openxmlformats-officedocument.spreadsheetml"
_XML = '<?xml version="1.0" encoding="UTF-8" standalone="yes"?>\n'
_STYLES = (
    f'{_XML}<styleSheet xmlns="{_MAIN}"><fonts count="2"><font/><font><b/></font></fonts>'
    '<fills count="2"><fill><patternFill patternType="none"/></fill><fill><patternFill patternType="gray125"/></fill></fills>'
    '<borders count="1"><border/></borders><cellStyleXfs count="1"><xf/></cellStyleXfs>'
    '<cellXfs count="3"><xf xfId="0"/><xf xfId="0" fontId="1" applyFont="1"/><xf xfId="0" quotePrefix="1"/></cellXfs>'
    '<cellStyles count="1"><cellStyle name="Normal" xfId="0" builtinId="0"/></cellStyles></styleSheet>'
)


@dataclass(frozen=True, slots=True)
class Sheet:
    """One sheet: its name, the heading, and the rows, which may arrive one by one."""

    name: str
    heading: Sequence[str]
    rows: Iterable[Sequence[Any]]


def sheets(tables: Sequence[Table]) -> list[Sheet]:
    """Return the tables' raw rows, one sheet each."""
    built = []
    for table in tables:
        keys = list(dict.fromkeys(key for row in table.rows for key in row))
        built.append(Sheet(table.name, keys, [[row.get(key) for key in keys] for row in table.rows]))
    return built


def write_workbook(stream: IO[bytes], sheets: Sequence[Sheet]) -> None:
    """Write a workbook of these sheets; the same sheets give the same bytes."""
    names = _names([sheet.name for sheet in sheets])
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in _parts(names).items():
            archive.writestr(_entry(name), text)
        for i, sheet in enumerate(sheets, 1):
            with archive.open(_entry(f"xl/worksheets/sheet{i}.xml"), "w", force_zip64=True) as part:
                for piece in _sheet(sheet):
                    part.write(piece.encode("utf-8"))


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name)  # dated 1980, so the bytes do not depend on the clock
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _parts(names: Sequence[str]) -> dict[str, str]:
    """Return the workbook parts other than the sheets."""
    ids = range(1, len(names) + 1)
    types = "".join(
        f'<Override PartName="/xl/worksheets/sheet{i}.xml" ContentType="{_TYPE}.worksheet+xml"/>' for i in ids
    )
    listed = "".join(
        f'<sheet name="{escape(name, {chr(34): "&quot;"})}" sheetId="{i}" r:id="rId{i}"/>'
        for i, name in zip(ids, names, strict=True)
    )
    related = "".join(
        f'<Relationship Id="rId{i}" Type="{_OFFICE}/worksheet" Target="worksheets/sheet{i}.xml"/>' for i in ids
    )
    styles = f'<Relationship Id="rId{len(names) + 1}" Type="{_OFFICE}/styles" Target="styles.xml"/>'
    return {
        "[Content_Types].xml": f'{_XML}<Types xmlns="{_PACKAGE}/content-types">'
        '<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        '<Default Extension="xml" ContentType="application/xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_TYPE}.sheet.main+xml"/>'
        f'<Override PartName="/xl/styles.xml" ContentType="{_TYPE}.styles+xml"/>{types}</Types>',
        "_rels/.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
        f'<Relationship Id="rId1" Type="{_OFFICE}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'{_XML}<workbook xmlns="{_MAIN}" xmlns:r="{_OFFICE}"><sheets>{listed}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'{_XML}<Relationships xmlns="{_PACKAGE}/relationships">'
        f"{related}{styles}</Relationships>",
        "xl/styles.xml": _STYLES,
    }


def _names(wanted: Sequence[str]) -> list[str]:
    """Return valid sheet names: at most 31 characters, without forbidden ones, unique regardless of case."""
    names: list[str] = []
    for name in wanted:
        base = re.sub(r"[\[\]:*?/\\\x00-\x1f]", " ", name).strip().strip("'")[:31] or "table"
        free, i = base, 1
        while free.lower() in (used.lower() for used in names):
            i += 1
            free = f"{base[: 31 - len(str(i)) - 1]} {i}"
        names.append(free)
    return names


def _sheet(sheet: Sheet) -> Iterator[str]:
    yield (
        f'{_XML}<worksheet xmlns="{_MAIN}"><sheetViews><sheetView workbookViewId="0">'
        '<pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" state="frozen"/></sheetView></sheetViews><sheetData>'
    )
    yield _row([_text(name, _HEADING, sheet.name, 1) for name in sheet.heading])
    for number, row in enumerate(sheet.rows, 2):
        if number > MOST_ROWS:
            raise InputError(
                f"{sheet.name} has more than {MOST_ROWS - 1:,} rows, the maximum for a sheet. Use parquet, jsonl or tsv."
            )
        yield _row([_cell(value, sheet.name, number) for value in row])
    yield "</sheetData></worksheet>"


def _row(cells: Sequence[str]) -> str:
    return f"<row>{''.join(cells)}</row>"


def _cell(value: Any, sheet: str, number: int) -> str:
    value = plain(value)
    if value is None:
        return "<c/>"
    if isinstance(value, bool):
        return f'<c t="b"><v>{int(value)}</v></c>'
    if isinstance(value, float) or (isinstance(value, int) and abs(value) <= _EXACT):
        return f"<c><v>{value!r}</v></c>"
    text = value if isinstance(value, str) else _json_text(value)
    return _text(text, _QUOTED if re.match(FORMULA, text) else _PLAIN, sheet, number)


def _text(text: str, style: int, sheet: str, number: int) -> str:
    if len(text.encode("utf-16-le", "surrogatepass")) > 2 * MOST_CHARACTERS:
        raise InputError(
            f"row {number:,} of {sheet} has a text of more than {MOST_CHARACTERS:,} characters, the maximum for a "
            "cell. Use parquet, jsonl or tsv."
        )
    escaped = escape(_ILLEGAL.sub(lambda match: f"_x{ord(match[0]):04X}_", text))
    styled = f' s="{style}"' if style else ""
    return f'<c{styled} t="inlineStr"><is><t xml:space="preserve">{escaped}</t></is></c>'


def _json_text(value: Any) -> str:
    """Return a value that is neither a number nor a text (a list of spans) as JSON."""
    import json

    return json.dumps(value, ensure_ascii=False) if isinstance(value, (list, dict)) else str(value)
