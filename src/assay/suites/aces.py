"""ACES (Amrhein, Moghe and Guillou 2022): 68 phenomena of translation accuracy in 146 language pairs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any

from assay.core.errors import InputError, count, listing
from assay.core.item import Item
from assay.core.suite import Suite, SuiteCard
from assay.data import checksums
from assay.data.aces import phenomena
from assay.suites.contrastive import Contrastive

OTHER = "other names"
"""Category of phenomena whose names are none of the 68: kept, shown apart, and in no ACES-Score."""

_NAMES = ("challenge_set", "aces", "ACES", "aces_full", "train", "test")
_ENDINGS = tuple(f"{kind}{packed}" for kind in (".tsv", ".jsonl", ".csv") for packed in ("", ".gz", ".xz", ".zst"))


def place(name: str) -> tuple[str, Mapping[str, Any]]:
    """A phenomenon's category and its facts; `OTHER` for names outside the 68."""
    one = phenomena().get(name)
    if one is None:
        return OTHER, MappingProxyType({"sub_level": "", "known": False})
    return one.category, MappingProxyType({"sub_level": one.sub_level, "known": True})


class Aces(Suite):
    """The official TSV and the Hugging Face JSON lines or Parquet alike; ``meta["sub_level"]`` is Table 2's.

    One level of leftover CSV quoting is undone in every field: the published numbers were made that way. Items whose two
    translations are equal stay in, as in the paper. `problems` says after loading what was skipped or odd.
    """

    card = SuiteCard(
        name="aces",
        title="ACES",
        kind="contrastive",
        analysis="aces",
        origin="https://huggingface.co/datasets/nikitam/ACES",
        licence="CC BY-NC-SA 4.0",
        citation="Amrhein, Moghe and Guillou 2022, ACES: Translation Accuracy Challenge Sets for Evaluating Machine "
        "Translation Metrics (WMT)",
        languages="146 language pairs",
        folders=("aces", "aces_subset", "ACES"),
        how_to_get="Download challenge_set.jsonl from https://huggingface.co/datasets/nikitam/ACES into a folder called aces",
        checksums=checksums("aces"),
        downloads={
            "challenge_set.jsonl": "https://huggingface.co/datasets/nikitam/ACES/resolve/main/challenge_set.jsonl"
        },
    )

    def __init__(self, *, skip_bad: bool = False) -> None:
        self.skip_bad = skip_bad
        self.problems: list[str] = []

    def load(self, folder: Path | None) -> list[Item]:
        """The items of the one ACES file in `folder` (or of `folder` itself, when it is a file)."""
        if folder is None:
            raise InputError("ACES is read from a folder, and none was given.")
        reader = Contrastive(find(folder), skip_bad=self.skip_bad)
        items = list(reader.read(place))
        self.problems = reader.problems
        others = Counter(item.phenomenon for item in items if item.category == OTHER)
        if others:
            named = listing(f"{name} ({n:,})" for name, n in others.most_common())
            self.problems.append(
                f"{count(others.total(), 'item')} with names outside the 68 phenomena, shown apart: {named}."
            )
        return items


def find(folder: Path) -> Path:
    """The file with ACES's rows: a known name first, else the only table file in the folder."""
    if folder.is_file():
        return folder
    for name in _NAMES:
        for ending in (*_ENDINGS, ".parquet"):
            if (path := folder / f"{name}{ending}").is_file():
                return path
    tables = [
        path
        for path in sorted(folder.glob("*"))
        if path.name.endswith((*_ENDINGS, ".parquet")) and not path.name.startswith(("span_aces", "aces_rows"))
    ]
    if len(tables) == 1:
        return tables[0]
    what = f"several ({listing(path.name for path in tables)})" if tables else "none"
    raise InputError(f"{folder} should hold one ACES file such as challenge_set.jsonl or aces.tsv; it has {what}.")
