"""Any contrastive file by path: a good translation beside an incorrect one in each row.

ACES's column names and near variants are understood; other names are mapped (``good=better,incorrect=worse``).
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.core.errors import InputError, UnknownName, count, listing, unknown
from assay.core.item import Item
from assay.core.suite import Suite, SuiteCard
from assay.io.table.rows import BadRows, Rows, kind_of, unquoted

ROLES: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "source": ("source", "src", "source text", "source sentence", "src sent"),
        "good": ("good translation", "good", "correct translation", "correct", "mt good", "good mt"),
        "incorrect": (
            "incorrect translation",
            "incorrect",
            "bad translation",
            "bad",
            "wrong translation",
            "wrong",
            "mt bad",
        ),
        "reference": ("reference", "ref", "reference translation", "ref sent"),
        "phenomenon": ("phenomena", "phenomenon", "error type", "perturbation"),
        "category": ("category", "error category"),
        "severity": ("severity", "error severity"),
        "langpair": ("langpair", "lp", "lang pair", "language pair", "langs"),
        "id": ("id", "item id", "idx", "seg id"),
    }
)
"""What a column can be, and the names it goes by; case, hyphens and underscores do not matter."""

Place = Callable[[str], tuple[str, Mapping[str, Any]]]
"""A phenomenon's category, and what else is known about it."""


def parse_columns(text: str) -> dict[str, str]:
    """``good=better,incorrect=worse`` as a mapping from role to column name."""
    columns = {}
    for part in filter(None, text.split(",")):
        role, equals, name = part.partition("=")
        if not equals or not name.strip():
            raise InputError(f"--columns takes ROLE=COLUMN pairs such as good=better,incorrect=worse, not {part!r}.")
        columns[role.strip()] = name.strip()
    return columns


class Contrastive(Suite):
    """A TSV, CSV, JSON-lines or Parquet file with a good and an incorrect translation in each row.

    Only `good` and `incorrect` are required. Rows without an id are numbered from 1 in file order; without a phenomenon
    they are all ``all``. After loading, `problems` says in sentences what a reader of the tables should know: headers
    that came again, rows left out (`skip_bad`), items whose two translations are equal. Such items are kept, as ACES keeps
    its own: no metric can tell them apart, so they count as ties.
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
    )

    def __init__(
        self,
        path: str | Path,
        columns: Mapping[str, str] | None = None,
        langpair: str | None = None,
        skip_bad: bool = False,
    ) -> None:
        self.path = Path(path)
        self.columns, self.langpair, self.skip_bad = dict(columns or {}), langpair, skip_bad
        self.problems: list[str] = []

    def load(self, folder: Path | None = None) -> list[Item]:
        """All items of the file. The folder is not used: the suite is its path."""
        return list(self.stream())

    def stream(self) -> Iterator[Item]:
        """The items one by one, for files too large to hold; `problems` is complete when the last one is out."""
        return self.read(place_by_name)

    def read(self, place: Place) -> Iterator[Item]:
        """The items, their categories and facts filled in by `place` where the file has none."""
        bad = BadRows(self.skip_bad)
        rows = Rows(self.path, bad)
        reader = _RowReader(self.path, assign(self.path, rows.columns, self.columns), self.langpair, bad)
        clean = kind_of(self.path) != "csv" and not rows.quoted
        placed = functools.cache(place)
        self.problems = []
        for line, row in rows:
            item = reader.item(line, row, clean, placed)
            if item is not None:
                yield item
        if rows.repeated_headers:
            self.problems.append(f"{count(rows.repeated_headers, 'repeated header row')} skipped.")
        if rows.stray_fields:
            self.problems.append(
                f"{count(rows.stray_fields, 'row')} had empty fields beyond the last column; they were dropped."
            )
        self.problems += reader.problems() + bad.sentences()


class _RowReader:
    """Turns rows into items and keeps count of what is odd about them."""

    def __init__(self, path: Path, where: Mapping[str, int], langpair: str | None, bad: BadRows) -> None:
        self.path, self.where, self.langpair, self.bad = path, where, langpair, bad
        self.seen: dict[str, int] = {}
        self.equal: list[str] = []
        self.number = self.without_reference = self.unwrapped = 0

    def item(self, line: int, row: Sequence[Any], clean: bool, placed: Place) -> Item | None:
        """The item of one row; a row that cannot be one is reported, and nothing comes back."""
        self.number += 1
        texts = {role: row[index] for role, index in self.where.items() if row[index] is not None}
        identity = str(texts.get("id", "")) or str(self.number)
        if reason := self._fault(texts, identity):
            self.bad(self.path, line, reason)
            return None
        self.seen[identity] = line
        if clean:
            before, texts = texts, {role: unquoted(str(value)) for role, value in texts.items()}
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
            meta,
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


def place_by_name(phenomenon: str) -> tuple[str, Mapping[str, Any]]:
    """ACES's category for a phenomenon that goes by one of ACES's names; none for others."""
    from assay.data.aces import phenomena

    known = phenomena().get(phenomenon)
    return (known.category, {}) if known else ("", {})


def assign(path: Path, names: Sequence[str], columns: Mapping[str, str]) -> dict[str, int]:
    """Which column of the file plays which role; `columns` goes first, then the known names."""
    where: dict[str, int] = {}
    for given, name in columns.items():
        role = _role(given)
        if role is None:
            raise unknown("role for a column", given, ROLES)
        if name not in names:
            raise UnknownName(f"{path} has no column {name!r}; it has {listing(names)}.")
        where[role] = names.index(name)
    plain = [_plain(name) for name in names]
    for role, variants in ROLES.items():
        if role not in where:
            found = next((plain.index(variant) for variant in variants if variant in plain), None)
            if found is not None and found not in where.values():
                where[role] = found
    missing = [role for role in ("good", "incorrect") if role not in where]
    if missing:
        wanted = " and ".join(f"{role} translation" for role in missing)
        raise InputError(
            f"{path} has no column for the {wanted}; its columns are {listing(names)}. "
            f"Name it: --columns {','.join(f'{role}=COLUMN' for role in missing)}."
        )
    return where


def _role(name: str) -> str | None:
    return next((role for role, variants in ROLES.items() if _plain(name) == role or _plain(name) in variants), None)


def _plain(name: str) -> str:
    return " ".join(name.lower().replace("-", " ").replace("_", " ").split())
