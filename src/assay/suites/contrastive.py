"""Any contrastive file by path: a good translation beside an incorrect one in each row.

ACES's column names and near variants are understood; other names are mapped (``good=better,incorrect=worse``).
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
    missing="{file} has no column for the {roles}; its columns are {listing}. Name it: --columns {pairs}.",
    shared=False,
)

Place = Callable[[str], tuple[str, Mapping[str, Any]]]
"""A phenomenon's category, and what else is known about it."""


class Contrastive(Suite):
    """A TSV, CSV, JSON-lines or Parquet file with a good and an incorrect translation in each row.

    Only `good` and `incorrect` are required. Rows without an id are numbered from 1 in file order; without a phenomenon
    they are all ``all``. After loading, `problems` says in sentences what a reader of the tables should know: headers
    that came again, rows left out (`skip_bad`), items whose two translations are equal. Such items are kept, as ACES keeps
    its own: no metric can tell them apart, so they count as ties. `notes` says how doubtful quotation marks were read.
    """

    card = SuiteCard(
        name="contrastive",
        title="your own contrastive file",
        kind="contrastive",
        analysis="contrastive",
        origin="a file of yours",
        licence="yours",
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
        """All items of the file. The folder is not used: the suite is its path."""
        return list(self.stream())

    def stream(self) -> Iterator[Item]:
        """The items one by one, for files too large to hold; `problems` is complete when the last one is out."""
        return self.read(place_by_name)

    def read(self, place: Place) -> Iterator[Item]:
        """The items, their categories and facts filled in by `place` where the file has none."""
        bad = BadRows(self.skip_bad)
        placed = functools.cache(place)
        self.problems = []
        with open_table(self.path, bad, quoting=self.quoting) as table:
            layout = lay_out(table, WANTED, self.columns)
            reader = ItemReader(self.path, layout, self.langpair, bad)
            for line, row in table.rows():
                item = reader.item(line, row, self.quoting == "auto" and not table.quoted, placed)
                if item is not None:
                    yield item
            if table.repeated_headers:
                self.problems.append(f"{count(table.repeated_headers, 'repeated header row')} skipped.")
            if table.stray_fields:
                self.problems.append(
                    f"{count(table.stray_fields, 'row')} had empty fields beyond the last column; they were dropped."
                )
            if table.unquoted_rows < reader.number:
                reader.unwrapped += table.unquoted_rows
            self.notes = table.notes
        self.problems += reader.problems() + bad.sentences()


class ItemReader:
    """Turns rows into items and keeps count of what is odd about them."""

    def __init__(self, path: str | Path, layout: Layout, langpair: str | None, bad: BadRows) -> None:
        self.path, self.langpair, self.bad = path, langpair, bad
        self.where = dict(layout.places)
        reference = layout.references[0] if layout.references else layout.references_list
        if reference is not None:
            self.where["reference"] = reference
        self.seen: dict[str, int] = {}
        self.equal: list[str] = []
        self.number = self.without_reference = self.unwrapped = 0

    def item(self, line: int, row: Sequence[Any], clean: bool, placed: Place) -> Item | None:
        """The item of one row; a row that cannot be one is reported, and nothing comes back."""
        self.number += 1
        texts = {role: row[index] for role, index in self.where.items() if row[index] is not None}
        if isinstance(texts.get("reference"), list):
            texts["reference"] = next((text for text in texts["reference"] if text), "")
        made = texts.pop("meta", None)
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
        category, meta = placed(phenomenon)
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
            {**meta, "spans": places} if (places := _error_places(made, texts["incorrect"])) else meta,
        )

    def _fault(self, texts: Mapping[str, Any], identity: str) -> str:
        """Why a row cannot be an item; empty when it can."""
        for role in ("source", "good", "incorrect", "reference", "langpair"):
            if not isinstance(texts.get(role, ""), str):
                return f"the {role} must be text, not {type(texts[role]).__name__}."
        if not texts.get("good", "").strip():
            return "the good translation is missing."
        if "incorrect" not in texts:
            return "the incorrect translation is missing."
        return f"id {identity!r} was already on line {self.seen[identity]}." if identity in self.seen else ""

    def problems(self) -> list[str]:
        """Sentences about the items that were read."""
        said = []
        if self.unwrapped:
            said.append(f"{count(self.unwrapped, 'row')} still carried one level of CSV quoting; it was undone.")
        if self.equal:
            said.append(
                f"{count(len(self.equal), 'item')} with equal good and incorrect translations, counted as ties: "
                f"{listing(self.equal, 6)}."
            )
        if self.without_reference:
            said.append(f"{count(self.without_reference, 'item')} without a reference.")
        return said


def _error_places(made: Any, text: str) -> list[tuple[int, int]]:
    """Where in the incorrect translation the error of an item stands that ``assay make`` made; none where it does not say."""
    told = made.get("spans") if isinstance(made, dict) else None
    found = []
    for place in told if isinstance(told, list) else ():
        if isinstance(place, list) and len(place) == 2 and all(type(end) is int for end in place):
            start, end = place
            if 0 <= start <= end <= len(text):
                found.append((start, end))
    return found


def place_by_name(phenomenon: str) -> tuple[str, Mapping[str, Any]]:
    """ACES's category for a phenomenon that goes by one of ACES's names; none for others."""
    known = phenomena().get(phenomenon)
    return (known.category, {}) if known else ("", {})
