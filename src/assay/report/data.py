"""Tables as data: JSON, JSON lines, CSV and TSV of the raw rows, nothing rounded. NaN becomes null or an empty field."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.columns import plain
from assay.core.table import Table

FORMULA = r"^ *[=+@\t\r\n＝＋－＠-]"
"""How a text begins that a spreadsheet takes for a formula."""


def rows(table: Table) -> list[dict[str, Any]]:
    """The table's rows as JSON will show them."""
    return [{key: plain(value) for key, value in row.items()} for row in table.rows]


def digest(table: Table) -> str:
    """BLAKE2b-128 of the table's rows: equal for equal rows, whatever the caption, the notes and the order of the keys."""
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
