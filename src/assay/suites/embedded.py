"""A small suite of our own, in the package: what ``assay run`` runs when nothing else is said."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from assay.core.item import Item
from assay.core.suite import Suite, SuiteCard


class Embedded(Suite):
    """Minimal pairs written for assay, with ACES's and DEMETR's names for what is wrong.

    In every item the good translation is a second correct one, worded unlike the reference, and the incorrect one is
    the good one with a single edit. Too small for conclusions about a metric; enough to see one at work.
    """

    card = SuiteCard(
        name="embedded",
        title="the embedded suite",
        kind="contrastive",
        analysis="contrastive",
        origin="written for assay",
        licence="Apache-2.0",
        citation="",
        languages="de-en, en-de, es-en, zh-en",
        folders=(),
        how_to_get="It comes with assay.",
    )

    def __init__(self, *, skip_bad: bool = False) -> None:
        self.skip_bad = skip_bad
        """Taken because every suite takes it; there are no bad rows here."""

    def load(self, folder: Path | None = None) -> list[Item]:
        """The items in the package; no folder is needed."""
        text = (files("assay") / "data" / "embedded.jsonl").read_text(encoding="utf-8")
        return [Item(**json.loads(line)) for line in text.split("\n") if line]
