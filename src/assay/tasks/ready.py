"""Translations made elsewhere, looked up in a file."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from assay.core.errors import InputError
from assay.io.table.forms import open_table
from assay.io.table.vocabulary import Wanted, assign

WANTED = Wanted(
    {"source": ("source", "source sentence"), "translation": ("hypothesis",), "langpair": ("langpair",)},
    required=("source", "translation"),
    missing="{file} has no column {role!r}, only {listing}.",
    once=("translation",),
)


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
        found: dict[tuple[str, str], str] = {}
        with open_table(self.path) as table:
            places = assign(table.names, WANTED, None, table.name).places
            source, translation, pair = places["source"], places["translation"], places.get("langpair")
            for _, row in table.rows():
                if row[source] is not None and row[translation]:
                    key = ("" if pair is None else str(row[pair]), _key(str(row[source])))
                    found.setdefault(key, str(row[translation]))
        return found


def _key(text: str) -> str:
    """Texts are the same when they differ only in white space: a table's cell cannot hold a line's end."""
    return " ".join(text.split())
