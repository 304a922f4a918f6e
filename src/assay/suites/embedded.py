"""Built-in suite: the challenge set bundled with the package, used by ``assay run`` by default.

The folder ``assay/data/embedded`` contains two types of files. ``base.jsonl`` contains segments with a source, a reference and
a second good translation, tagged with their contents. Every other ``.jsonl`` file contains items, either written by hand
(idioms, entailment, common sense, ambiguity) or made from the base segments by a perturbation.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any

from assay.core.item import Item
from assay.core.suite import Suite, SuiteCard

BASE = "base.jsonl"


@dataclass(frozen=True, slots=True)
class BaseSegment:
    """A source with two differently worded good translations; a perturbation edits the second one."""

    id: str
    langpair: str
    source: str
    reference: str
    good: str
    domain: str
    """Domain of the text: news, manual, dialogue, legal, medical, travel, commerce, science, sport or culture."""
    tags: tuple[str, ...]
    """Contents that a perturbation may require: numbers, dates, names, modals, idioms …"""


class Embedded(Suite):
    """Minimal pairs written for assay, with the phenomenon names of ACES and DEMETR.

    In every item, the good translation is a second correct one, worded differently from the reference, and the incorrect one
    differs from it only in the phenomenon. Some ACES phenomena build the incorrect translation from the reference (levels 2 and
    3 of numbers and names, lexical overlap, entailment pairs) or use another text (copied source, similar language). The items
    for these phenomena do the same.
    """

    card = SuiteCard(
        name="embedded",
        title="the embedded suite",
        kind="contrastive",
        analysis="contrastive",
        origin="written for assay",
        licence="Apache-2.0",
        citation="",
        languages="19 language pairs: ar, de, es, fr, ja, ru, zh with en, en into ca, gl, nl, pt, uk, and fr-de",
        folders=(),
        how_to_get="It is part of assay.",
    )

    def load(self, folder: Path | None = None) -> list[Item]:
        """Load the bundled items, file by file in order of file name; the folder is ignored."""
        names = sorted(
            entry.name for entry in _folder().iterdir() if entry.name.endswith(".jsonl") and entry.name != BASE
        )
        return [item for name in names for item in items_of(name)]


def items_of(name: str) -> list[Item]:
    """Return the items in one file: ``hand.jsonl``, ``generated.jsonl`` …"""
    return [Item(**row) for row in _rows(name)]


def base_segments() -> list[BaseSegment]:
    """Return the segments from which the generated items are made."""
    return [BaseSegment(**row | {"tags": tuple(row["tags"])}) for row in _rows(BASE)]


def _folder() -> Traversable:
    return files("assay") / "data" / "embedded"


def _rows(name: str) -> Iterator[dict[str, Any]]:
    for line in (_folder() / name).read_text(encoding="utf-8").split("\n"):
        if line:
            yield json.loads(line)
