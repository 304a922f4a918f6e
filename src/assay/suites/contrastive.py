"""Users' contrastive files: a good and an incorrect translation in each row.

ACES column names and similar names are recognised; other names can be mapped (``good=better,incorrect=worse``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.core.errors import count, listing
from assay.core.item import Item
from assay.core.suite import Suite, SuiteCard
from assay.data.aces import phenomena
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import open_table
from assay.io.table.open_table import Quoting
from assay.io.table.quoting import strip_leftover_quotes
from assay.io.table.role_columns import lay_out
from assay.io.table.vocabulary import ColumnChoice, Layout, Wanted

WANTED = Wanted(
    {
        "source": ("source", "source sentence"),
        "good": ("good translation", "good", "correct"),
        "incorrect": ("incorrect translation", "incorrect", "wrong"),
        "reference": ("reference", "reference translation"),
        "phenomenon": ("phenomenon", "error type", "perturbation"),
        "category": ("category",),
        "severity": ("severity",),
        "langpair": ("langpair",),
        "id": ("id", "segment id"),
        "meta": ("meta",),
    },
    required=("good", "incorrect"),
    missing="{file} has no column for the {roles}; its columns are {listing}. Map it with --columns {pairs}.",
    shared=False,
)

Place = Callable[[str], tuple[str, Mapping[str, Any]]]
"""Function from a phenomenon to its category and other attributes."""


class Contrastive(Suite):
    """A TSV, CSV, JSON lines or Parquet file with a good and an incorrect translation in each row.

    Only `good` and `incorrect` are required. Rows without an id are numbered from 1 in file order, and rows without a
    phenomenon belong to ``all``. After loading, `problems` describes repeated headers, rows left out (`skip_bad`), and items
    with two identical translations. Such items are kept, as ACES does: no metric can tell the translations apart, so they count
    as ties. `notes` describes how ambiguous quotation marks were read.
    """

    card = SuiteCard(
        name="contrastive",
        title="a contrastive file",
        kind="contrastive",
        analysis="contrastive",
        origin="user file",
        licence="that of the file",
        citation="",
        languages="any",
        folders=(),
        how_to_get="Give the path of a TSV, CSV, JSONL or Parquet file.",
        by_language=True,
    )

    def __init__(
        self,
        path: str | Path,
        columns: ColumnChoice | None = None,
        langpair: str | None = None,
        skip_bad: bool = False,
        quoting: Quoting = "auto",
    ) -> None:
        self.path = Path(path)
        self.columns, self.langpair, self.skip_bad = dict(columns or {}), langpair, skip_bad
        self.quoting: Quoting = quoting
        self.problems: list[str] = []
        self.notes: list[str] = []

    def load(self, folder: Path | None = None) -> list[Item]:
        """Load all items of the file. The folder is ignored."""
        return list(self.stream())

    def stream(self) -> Iterator[Item]:
        """Yield the items one by one, for files that do not fit into memory; `problems` is complete after the last one."""
        return self.read(place_by_name)

    def read(self, place: Place) -> Iterator[Item]:
        """Yield the items; `place` provides categories and attributes that are missing from the file."""
        bad = BadRows(self.skip_bad)
        cached_place = functools.cache(place)
        self.problems = []
        with open_table(self.path, bad, quoting=self.quoting) as table:
            layout = lay_out(table, WANTED, self.columns)
            reader = ItemReader(self.path, layout, self.langpair, bad)
            for line, row in table.rows():
                item = reader.item(line, row, self.quoting == "auto" and not table.quoted, cached_place)
                if item is not None:
                    yield item
            if table.repeated_headers:
                self.problems.append(f"{count(table.repeated_headers, 'repeated header row')} skipped.")
            if table.stray_fields:
                self.problems.append(
                    f"{count(table.stray_fields, 'row')} had empty fields beyond the last column, which were dropped."
                )
            if table.unquoted_rows < reader.number:
                reader.unwrapped += table.unquoted_rows
            self.notes = table.notes
        self.problems += reader.problems() + bad.sentences()


class ItemReader:
    """Converts rows to items and counts oddities."""

    def __init__(self, path: str | Path, layout: Layout, langpair: str | None, bad: BadRows) -> None:
        self.path, self.langpair, self.bad = path, langpair, bad
        self.where = dict(layout.places)
        reference = layout.references[0] if layout.references else layout.references_list
        if reference is not None:
            self.where["reference"] = reference
        self.seen: dict[str, int] = {}
        self.equal: list[str] = []
        self.number = self.without_reference = self.unwrapped = 0

    def item(self, line: int, row: Sequence[Any], clean: bool, place: Place) -> Item | None:
        """Return the item of one row; report an invalid row and return None."""
        self.number += 1
        texts = {role: row[index] for role, index in self.where.items() if row[index] is not None}
        if isinstance(texts.get("reference"), list):
            texts["reference"] = next((text for text in texts["reference"] if text), "")
        meta_field = texts.pop("meta", None)
        identity = str(texts.get("id", "")) or str(self.number)
        if reason := self._fault(texts, identity):
            self.bad(self.path, line, reason)
            return None
        self.seen[identity] = line
        if clean:
            before, texts = texts, {role: strip_leftover_quotes(str(value)) for role, value in texts.items()}
            self.unwrapped += any(texts[role] != value for role, value in before.items() if isinstance(value, str))
        if texts["good"] == texts["incorrect"]:
            self.equal.append(identity)
        self.without_reference += "reference" in self.where and not texts.get("reference")
        phenomenon = str(texts.get("phenomenon") or "all")
        category, meta = place(phenomenon)
        return Item(
            identity,
            texts.get("source") or None,
            texts.get("reference") or None,
            texts["good"],
            texts["incorrect"],
            phenomenon,
            str(texts.get("category") or category),
            str(texts.get("severity", "")),
            texts.get("langpair") or self.langpair or "",
            {**meta, "spans": positions} if (positions := _error_places(meta_field, texts["incorrect"])) else meta,
        )

    def _fault(self, texts: Mapping[str, Any], identity: str) -> str:
        """Return the reason a row is not a valid item, or an empty string."""
        for role in ("source", "good", "incorrect", "reference", "langpair"):
            if not isinstance(texts.get(role, ""), str):
                return f"the {role} must be text, not {type(texts[role]).__name__}."
        if not texts.get("good", "").strip():
            return "the good translation is missing."
        if "incorrect" not in texts:
            return "the incorrect translation is missing."
        return f"id {identity!r} was already on line {self.seen[identity]}." if identity in self.seen else ""

    def problems(self) -> list[str]:
        """Describe unusual features of the items that were read."""
        notes = []
        if self.unwrapped:
            notes.append(f"{count(self.unwrapped, 'row')} had one level of leftover CSV quoting, which was removed.")
        if self.equal:
            notes.append(
                f"{count(len(self.equal), 'item')} with equal good and incorrect translations, counted as ties: "
                f"{listing(self.equal, 6)}."
            )
        if self.without_reference:
            notes.append(f"{count(self.without_reference, 'item')} without a reference.")
        return notes


def _error_places(meta: Any, text: str) -> list[tuple[int, int]]:
    """Return the positions of the error in the incorrect translation, for an item made by ``assay make``; empty if unknown."""
    spans = meta.get("spans") if isinstance(meta, dict) else None
    positions = []
    for span in spans if isinstance(spans, list) else ():
        if isinstance(span, list) and len(span) == 2 and all(type(end) is int for end in span):
            start, end = span
            if 0 <= start <= end <= len(text):
                positions.append((start, end))
    return positions


def place_by_name(phenomenon: str) -> tuple[str, Mapping[str, Any]]:
    """Return the ACES category for an ACES phenomenon; none for other names."""
    match = phenomena().get(phenomenon)
    return (match.category, {}) if match else ("", {})
