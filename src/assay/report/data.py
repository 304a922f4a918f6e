"""Tables as data (JSON, JSON lines, CSV, TSV): raw rows, nothing rounded. NaN becomes null or an empty cell."""

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
"""The beginning of a text that a spreadsheet would run as a formula."""


def rows(table: Table) -> list[dict[str, Any]]:
    """Return the table's rows as JSON shows them."""
    return [{key: plain(value) for key, value in row.items()} for row in table.rows]


def digest(table: Table) -> str:
    """Return BLAKE2b-128 of the table's rows, independent of caption, notes and order of keys."""
    text = json.dumps(rows(table), ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.blake2b(text.encode("ascii"), digest_size=16).hexdigest()


def as_json(tables: Sequence[Table], head: Mapping[str, Any] | None = None) -> str:
    """Return ``{..., "tables": {NAME: [rows...]}}``."""
    whole = {**(head or {}), "tables": {table.name: rows(table) for table in tables}}
    return json.dumps(plain(whole), ensure_ascii=False, indent=1, allow_nan=False) + "\n"


def as_jsonl(tables: Sequence[Table]) -> str:
    """Return one line per row, with the table's name in it."""
    return "".join(
        json.dumps({"table": table.name, **row}, ensure_ascii=False, allow_nan=False) + "\n"
        for table in tables
        for row in rows(table)
    )


def as_csv(tables: Sequence[Table], delimiter: str = ",", *, spreadsheet_safe: bool = False) -> str:
    """Return each table with a header line; several tables are separated by an empty line and a comment line with the name.

    With `spreadsheet_safe`, texts that a spreadsheet would run are quoted; see `inert`.
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
    """Return a text that a spreadsheet does not run: an apostrophe precedes the beginning of a formula.

    Numbers stay numbers, also negative ones.
    """
    return f"'{value}" if isinstance(value, str) and re.match(FORMULA, value) else value
