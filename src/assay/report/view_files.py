"""Writer for the run directory files of `assay view`: view.json and rows.jsonl.gz.

Rows are gzipped JSON Lines, which every installation, `assay filter` and shell tools can read (Parquet needs an extra). They
are written one at a time, so memory use is constant. gzip's fastest level halves the writing time and takes a fifth more
space.
"""

from __future__ import annotations

import gzip
import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from assay._version import __version__
from assay.core.columns import plain
from assay.core.rows import SPANS, is_score, nested_row
from assay.core.table import Table
from assay.core.view_data import ABOUT, FORMAT, ROWS, ColumnTypes, ViewData
from assay.io.files.atomic import atomic_write
from assay.report.rows import json_line


def write_view_files(
    folder: Path, viewed: ViewData | None, tables: Sequence[Table], *, title: str = "", lead: str = ""
) -> None:
    """Write the page's files next to tables.json and manifest.json; the rows first, so that view.json never lists missing
    rows."""
    about: dict[str, Any] = {"format": FORMAT, "version": __version__, "title": title, "lead": lead}
    if viewed is not None:
        about |= {"kind": viewed.kind, **_write_rows(folder / ROWS, viewed)}
        about["metrics"] = {
            name: {"label": card.label, "decimals": card.decimals, "higher_is_better": card.higher_is_better}
            for name, card in viewed.metrics.items()
        }
        about |= {name: asdict(part) for name in ("people", "deciding") if (part := getattr(viewed, name)) is not None}
    about["tables"] = [table_description(table) for table in tables]
    with atomic_write(folder / ABOUT, "w") as stream:
        json.dump(plain(about), stream, ensure_ascii=False, allow_nan=False)
        stream.write("\n")


def _write_rows(path: Path, viewed: ViewData) -> dict[str, Any]:
    columns: dict[str, None] = {}
    systems: dict[str, None] = {}
    marking: dict[str, None] = {}
    types, rows, sound = ColumnTypes(), 0, True
    with (
        atomic_write(path, "wb") as file,
        gzip.GzipFile(filename="", mode="wb", fileobj=file, compresslevel=1, mtime=0) as packed,
        io.BufferedWriter(packed, 1 << 18) as buffered,
    ):
        for row in viewed.rows:
            columns |= dict.fromkeys(row)
            rows += 1
            if system := row.get("system"):
                systems[system] = None
            types.note(row)
            if isinstance(spans := row.get(SPANS), Mapping):
                marking |= dict.fromkeys(spans)
            line = json_line(nested_row(row, viewed.metrics))
            try:
                buffered.write(line.encode())
            except UnicodeEncodeError:  # a lone surrogate, which JSON readers treat differently
                buffered.write(line.encode("utf-8", "backslashreplace"))
                sound = False
    return {
        "rows": rows,
        "columns": list(columns),
        "systems": list(systems),
        "scores": [name for name in columns if is_score(name, viewed.metrics)],
        "spans": list(marking),
        **({"types": types.named()} if sound else {}),
    }


def table_description(table: Table) -> dict[str, Any]:
    """Return a table's display settings without its rows, which are in tables.json."""
    columns = [asdict(column) | {"label": column.title} for column in table.columns]
    return {
        "name": table.name,
        "caption": table.caption,
        "reading": table.reading,
        "notes": list(table.notes),
        "columns": columns,
        "pivot": None if table.pivot is None else asdict(table.pivot),
    }
