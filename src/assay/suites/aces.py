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
"""Category for phenomena outside the 68: retained, shown separately, and not part of any ACES-Score."""

_NAMES = ("challenge_set", "aces", "ACES", "aces_full", "train", "test")
_ENDINGS = tuple(f"{kind}{packed}" for kind in (".tsv", ".jsonl", ".csv") for packed in ("", ".gz", ".xz", ".zst"))


def place(name: str) -> tuple[str, Mapping[str, Any]]:
    """Return a phenomenon's category and attributes; `OTHER` for names outside the 68."""
    one = phenomena().get(name)
    if one is None:
        return OTHER, MappingProxyType({"sub_level": "", "known": False})
    return one.category, MappingProxyType({"sub_level": one.sub_level, "known": True})


class Aces(Suite):
    """ACES, read from the official TSV, or from the JSON lines or Parquet file on Hugging Face.

    ``meta["sub_level"]`` is the sub-level of Table 2. One level of leftover CSV quoting is removed from every field, because
    the published numbers were computed that way. Items with two identical translations are kept, as in the paper. After
    loading, `problems` lists rows that were skipped or unusual.
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
        """Load the items from the one ACES file in `folder`, or from `folder` itself if it is a file."""
        if folder is None:
            raise InputError("ACES requires a folder. Specify it with --data-dir.")
        reader = Contrastive(find(folder), skip_bad=self.skip_bad)
        items = list(reader.read(place))
        self.problems = reader.problems
        others = Counter(item.phenomenon for item in items if item.category == OTHER)
        if others:
            named = listing(f"{name} ({n:,})" for name, n in others.most_common())
            self.problems.append(
                f"{count(others.total(), 'item')} with names outside the 68 phenomena, shown separately: {named}."
            )
        return items


def find(folder: Path) -> Path:
    """Find the file that contains the ACES rows: a known name first, else the only table file in the folder."""
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
    raise InputError(f"{folder} must contain one ACES file, such as challenge_set.jsonl or aces.tsv; it has {what}.")
