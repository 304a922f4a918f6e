"""Tables as data: JSON, JSON lines, CSV and TSV of the raw rows, nothing rounded. NaN becomes null or an empty field."""

from __future__ import annotations

import io
import json
import math
import re
from collections.abc import Collection, Mapping, Sequence
from json.encoder import encode_basestring
from types import NoneType
from typing import Any

from assay.core.columns import Columns, plain, plain_list
from assay.core.rows import SCORES, parted
from assay.core.table import Table

FORMULA = r"^ *[=+@\t\r\n＝＋－＠-]"
"""How a text begins that a spreadsheet takes for a formula."""


def rows(table: Table) -> list[dict[str, Any]]:
    """The table's rows as JSON will show them."""
    return [{key: plain(value) for key, value in row.items()} for row in table.rows]


def digest(table: Table) -> str:
    """BLAKE2b-128 of the table's rows: equal for equal rows, whatever the caption, the notes and the order of the keys."""
    import hashlib

    text = json.dumps(rows(table), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def as_json(tables: Sequence[Table], head: Mapping[str, Any] | None = None) -> str:
    """``{..., "tables": {NAME: [rows...]}}``."""
    whole = {**(head or {}), "tables": {table.name: rows(table) for table in tables}}
    return json.dumps(plain(whole), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_jsonl(tables: Sequence[Table]) -> str:
    """One row a line, with the table's name in it."""
    return "".join(
        json.dumps({"table": table.name, **row}, ensure_ascii=False, allow_nan=False) + "\n"
        for table in tables
        for row in rows(table)
    )


def as_csv(tables: Sequence[Table], delimiter: str = ",", *, spreadsheet_safe: bool = False) -> str:
    """Each table with a heading line; several tables are parted by an empty line and named in a comment line.

    With `spreadsheet_safe`, texts that a spreadsheet would run are quoted: see `inert`.
    """
    import csv

    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    for i, table in enumerate(tables):
        if len(tables) > 1:
            out.write(("\n" if i else "") + f"# {table.name}\n")
        keys = list(dict.fromkeys(key for row in table.rows for key in row))
        rows = [keys, *([plain(row.get(key)) for key in keys] for row in table.rows)]
        if spreadsheet_safe:
            rows = [[inert(value) for value in row] for row in rows]
        writer.writerows([["" if value is None else value for value in row] for row in rows])
    return out.getvalue()


def inert(value: Any) -> Any:
    """A text that a spreadsheet shows instead of running it: an apostrophe stands before one that begins as a formula does.

    Numbers stay numbers, below nought too.
    """
    return f"'{value}" if isinstance(value, str) and re.match(FORMULA, value) else value


def delimited(
    columns: Columns,
    delimiter: str = ",",
    *,
    header: bool = True,
    decimals: int | None = None,
    spreadsheet_safe: bool = False,
) -> str:
    """Columns as CSV or TSV; None and NaN are empty fields, numbers are whole unless `decimals` are asked for."""
    import csv

    out = io.StringIO()
    writer = csv.writer(out, delimiter=delimiter, lineterminator="\n")
    if header:
        writer.writerow(map(inert, columns) if spreadsheet_safe else columns)
    cells = [_cells(column, decimals, spreadsheet_safe) for column in columns.values()]
    writer.writerows(zip(*cells, strict=True))
    return out.getvalue()


def _cells(column: Sequence[Any], decimals: int | None, spreadsheet_safe: bool) -> Sequence[Any]:
    values = plain_list(column)
    kinds = set(map(type, values))
    if float in kinds:
        form = repr if decimals is None else f"{{:.{decimals}f}}".format
        return [("" if value != value else form(value)) if type(value) is float else value for value in values]
    return [inert(value) for value in values] if spreadsheet_safe and str in kinds else values


def json_lines(columns: Columns, scores: Collection[str] = ()) -> str:
    """Columns as JSON lines, those of `scores` in an object of their own (`assay.core.rows`); NaN is null."""
    order, form = _form(list(columns), scores)
    return "".join([form % row for row in zip(*(_json_cells(columns[name]) for name in order), strict=True)])


def _form(names: Sequence[str], scores: Collection[str]) -> tuple[list[str], str]:
    """The order of the columns in a line, and the line with a place for each of them."""

    def members(some: Sequence[str]) -> list[str]:
        return [f"{json.dumps(name, ensure_ascii=False)}: ".replace("%", "%%") + "%s" for name in some]

    before, inside, after = parted(names, scores)
    nested = [f'"{SCORES}": {{{", ".join(members(inside))}}}'] if inside else []
    return [*before, *inside, *after], "{" + ", ".join([*members(before), *nested, *members(after)]) + "}\n"


def _json_cells(column: Sequence[Any]) -> list[str]:
    """Each value as JSON; texts and numbers, of which there are many, by the shortest way."""
    values = plain_list(column)
    kinds = set(map(type, values))
    if kinds == {str}:
        return list(map(encode_basestring, values))
    if kinds <= {str, NoneType}:
        return ["null" if value is None else encode_basestring(value) for value in values]
    if kinds == {int}:
        return list(map(str, values))
    if kinds == {list} and not any(values):
        return ["[]"] * len(values)
    if kinds <= {float, NoneType}:
        return [repr(value) if value is not None and math.isfinite(value) else "null" for value in values]
    return [json.dumps(plain(value), ensure_ascii=False, allow_nan=False) for value in values]
