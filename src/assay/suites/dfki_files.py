"""File readers for the DFKI test suite: sentences with their rules, and MT system outputs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import InputError
from assay.core.schema import Place, typed
from assay.io.documents import read_document
from assay.io.files.text import read_text

LangPair = Literal["de-en", "en-de", "en-ru"]
"""Directions in Avramidis et al. 2023. The en-ru items are not public; they are read if the user has them."""
PUBLIC: tuple[LangPair, ...] = ("de-en", "en-de")


@dataclass(frozen=True, slots=True)
class DfkiItem:
    """One sentence of the test suite with the rules that separate right from wrong translations.

    A regex is searched in the translation. A token is a complete sentence that the translation must equal. Both are
    optional. Each direction has its own ids.
    """

    id: str
    langpair: str
    category: str
    phenomenon: str
    source: str
    positive_regex: str = ""
    negative_regex: str = ""
    positive_tokens: tuple[str, ...] = ()
    negative_tokens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Outputs:
    """System outputs as columns: item id, year of the shared task, system, translation."""

    ids: Sequence[str]
    years: Sequence[str]
    systems: Sequence[str]
    texts: Sequence[str]

    def __len__(self) -> int:
        return len(self.ids)


def load_items(path: Path) -> list[DfkiItem]:
    """Load the items in one upstream file (``{"items": [...]}``, gzipped or not)."""
    problem = 'is not a DFKI item file (JSON, {"items": [...]})'
    read = read_document(path, said=problem)
    if not isinstance(read, dict) or not isinstance(read.get("items"), list):
        raise InputError(f"{path} {problem}: the list 'items' is missing.")
    items = [_item(row, path, number) for number, row in enumerate(read["items"], 1)]
    seen: set[str] = set()
    for item in items:
        if item.id in seen:
            raise InputError(f"{path}: item {item.id} occurs twice; ids must be distinct within a file.")
        seen.add(item.id)
    return items


@dataclass(frozen=True, slots=True)
class _Written:
    """An item as stored in the file; other fields are ignored."""

    id: str
    langpair: str
    category: str
    phenomenon: str
    source_sentence: str
    positive_regex: str | None = None
    negative_regex: str | None = None
    positive_tokens: tuple[str, ...] | None = None
    negative_tokens: tuple[str, ...] | None = None


def _item(row: Any, path: Path, number: int) -> DfkiItem:
    if isinstance(row, dict) and (missing := [name for name in _FIELDS if name not in row]):
        raise InputError(f"{path}: item {number} has no field {missing[0]!r}.")
    read = typed(_Written, row, Place(f"{path}", f"items[{number}]"), strict=False)
    return DfkiItem(
        id=read.id,
        langpair=f"{read.langpair[:2]}-{read.langpair[-2:]}",
        category=read.category,
        phenomenon=read.phenomenon,
        source=read.source_sentence,
        positive_regex=read.positive_regex or "",
        negative_regex=read.negative_regex or "",
        positive_tokens=read.positive_tokens or (),
        negative_tokens=read.negative_tokens or (),
    )


_FIELDS = ("id", "langpair", "category", "phenomenon", "source_sentence")
COLUMNS = ("id", "year", "system", "output")


def load_outputs(path: Path) -> Outputs:
    """Load the outputs in one tab-separated file with a header; quotes are ordinary characters."""
    header, *lines = _text(path).split("\n")
    names = tuple(header.removesuffix("\r").split("\t"))
    if names != COLUMNS:
        raise InputError(f"{path}, line 1: the columns must be {', '.join(COLUMNS)}, not {', '.join(names)}.")
    columns: tuple[list[str], ...] = ([], [], [], [])
    for number, line in enumerate(lines, 2):
        if not line and number == len(lines) + 1:
            break
        fields = line.removesuffix("\r").split("\t")
        if len(fields) != len(COLUMNS):
            raise InputError(f"{path}, line {number}: {len(fields)} columns instead of {len(COLUMNS)}.")
        for column, field in zip(columns, fields, strict=True):
            column.append(field)
    return Outputs(*columns)


def _text(path: Path) -> str:
    try:
        return read_text(path)
    except InputError as error:
        raise InputError(f"cannot read {path}: it {str(error).removeprefix(f'{path} ')}") from error
