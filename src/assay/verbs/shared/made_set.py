"""Result of `assay make`: a challenge set with its data card, and the files to which it is written."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from assay.core.columns import Columns, by_column
from assay.core.errors import count
from assay.core.table import Table, TableColumn
from assay.io.files.atomic import atomic_write
from assay.perturb.making.selection import explain_left_out
from assay.verbs.result import Result

SET = "items.jsonl"
"""File name of the items in a run directory."""


@dataclass(repr=False)
class MadeSet(Result):
    """Challenge set made by `assay make`: counts per perturbation, rejected items, and the data card."""

    card: dict[str, Any]
    """Data card: sources, settings and tools; it is written next to the set."""
    path: Path | None = None
    """Location of a written set; None for a set in `lines`."""
    lines: list[str] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    """Rows of the corpus that were skipped, as notes."""

    verb: ClassVar[str] = "make"
    headline: ClassVar[str] = "made"

    def __len__(self) -> int:
        return int(self.card["items"])

    def items(self) -> list[dict[str, Any]]:
        """Return the items as dictionaries with the same columns as the file."""
        lines = self.lines if self.path is None else self.path.read_text(encoding="utf-8").split("\n")
        return [json.loads(line) for line in lines if line]

    def columns(self) -> Columns:
        """Return one row per item, with all columns but ``meta``."""
        return by_column({key: item[key] for key in item if key != "meta"} for item in self.items())

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """Write a run directory: items.jsonl with its data card, tables.json and manifest.json."""
        path = super().write(folder, figures)
        write_lines(path / SET, [json.dumps(item, ensure_ascii=False) for item in self.items()])
        write_card(path / SET, self.card)
        return path


def card_path(path: Path) -> Path:
    """Return the location of a set's data card."""
    return path.with_name(path.name + ".card.json")


def made_table(card: Mapping[str, Any]) -> Table:
    """Return a table with one row per perturbation."""
    rows = [
        {
            "perturbation": name,
            "made": entry["made"],
            "refused": sum(entry["refused"].values()),
            "mostly because": next(iter(entry["refused"]), ""),
            "failed": sum(entry["failed its check"].values()),
        }
        for name, entry in card["perturbations"].items()
    ]
    counts = [TableColumn(key, kind="count") for key in ("made", "refused", "failed")]
    columns = [TableColumn("perturbation"), *counts, TableColumn("mostly because")]
    items, segments = count(card["items"], "item"), count(card["segments"], "segment")
    notes = [f"{items} from {segments} · seed {card['seed']}", *explain_left_out(card["left out"])]
    return Table("made", columns, rows, notes=notes)


def write_card(path: Path, card: Mapping[str, Any]) -> None:
    """Write a set's data card next to the set."""
    write_lines(card_path(path), typed=False, lines=[json.dumps(card, ensure_ascii=False, indent=1)])


def write_lines(path: Path, lines: Iterable[str], *, typed: bool = True) -> None:
    """Write a file of lines atomically."""
    with atomic_write(path, "w", typed=typed) as stream:
        for line in lines:
            stream.write(line + "\n")
