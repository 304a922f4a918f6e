"""Tables as data (JSON, JSON Lines, CSV, TSV): raw, unrounded rows. NaN becomes null or an empty cell."""

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
    """Return the table's rows as they appear in JSON."""
    return [{key: plain(value) for key, value in row.items()} for row in table.rows]


def digest(table: Table) -> str:
    """Return the BLAKE2b-128 hash of the table's rows, which does not depend on caption, notes or key order."""
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
    """Return each table as CSV with a header line; tables are separated by a blank line and a comment with the table's name.

    With `spreadsheet_safe`, cells that a spreadsheet would evaluate as formulas are quoted; see `inert`.
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
    """Prefix text that begins like a formula with an apostrophe, so a spreadsheet does not evaluate it.

    Numbers, including negative ones, are unchanged.
    """
    return f"'{value}" if isinstance(value, str) and re.match(FORMULA, value) else value
