"""Translations made elsewhere, looked up in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.core.errors import InputError, listing
from assay.io.table.rows import BadRows, Rows


class Ready:
    """``file:PATH``: a table with the columns ``source`` and ``translation``, and ``langpair`` (``es-en``) where it mixes pairs.

    TSV, CSV, JSON lines or Parquet, plain or compressed. A text that is not in the table has no translation.
    """

    def __init__(self, path: str) -> None:
        self.path = Path(path).expanduser()
        self.name = f"file:{self.path.name}"
        self._table = self._read()

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """The ready translation of each text; None where there is none."""
        pair = f"{source}-{target}"
        return [self._table.get((pair, _key(text)), self._table.get(("", _key(text)))) for text in texts]

    def _read(self) -> dict[tuple[str, str], str]:
        if not self.path.is_file():
            raise InputError(f"there is no file {self.path}.")
        rows = Rows(self.path, BadRows())
        for column in ("source", "translation"):
            if column not in rows.columns:
                raise InputError(f"{self.path} has no column {column!r}, only {listing(rows.columns)}.")
        source, translation = rows.columns.index("source"), rows.columns.index("translation")
        pair = rows.columns.index("langpair") if "langpair" in rows.columns else None
        table: dict[tuple[str, str], str] = {}
        for _, row in rows:
            if row[source] is not None and row[translation]:
                table.setdefault(
                    ("" if pair is None else str(row[pair]), _key(str(row[source]))), str(row[translation])
                )
        return table


def _key(text: str) -> str:
    """Texts are the same when they differ only in white space: a table's cell cannot hold a line's end."""
    return " ".join(text.split())
