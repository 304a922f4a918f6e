"""docs/papers.md names tables that the analyses make, and options that the commands have."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from assay.analyses import analyse
from assay.data.aces import phenomena
from assay.data.demetr import perturbations
from assay.receipts.published import names
from tests.analyses.helpers import item, measured

PAGE = (Path(__file__).resolve().parents[1] / "docs" / "papers.md").read_text(encoding="utf-8")
PAIRS = ("de-en", "en-fr", "ko-en", "fr-ja")


def made(suite: str) -> set[str]:
    """The tables of a suite's analysis on items of every phenomenon, for three metrics of three kinds."""
    labels = {
        "aces": [(one.name, one.category) for one in phenomena().values()],
        "demetr": [(one.phenomenon, one.category) for one in perturbations()],
        "dfki": [("Gapping", "Ellipsis"), ("Negation", "Negation")],
    }[suite]
    items = [
        item(i, phenomenon, category=category, langpair=pair, severity="minor")
        for i, (phenomenon, category, pair) in enumerate((*label, pair) for label in labels for pair in PAIRS * 2)
    ]
    unseen = [
        item(len(items) + i, one.name, langpair=pair)
        for i, (one, pair) in enumerate(
            (one, pair) for one in phenomena().values() for pair in (*one.wmt_pairs, *one.unseen_pairs)
        )
    ]
    items += unseen if suite == "aces" else []
    good = [i % 3 for i in range(len(items))]
    kinds = ({"kind": "string"}, {"kind": "learned"}, {"kind": "learned", "needs": "source"})
    metrics = [measured(name, good, [1] * len(items), **kind) for name, kind in zip("abc", kinds, strict=True)]
    return {table.name for table in analyse(suite, items, metrics, samples=2)}


@pytest.mark.parametrize("suite", ["aces", "demetr", "dfki"])
def test_every_table_that_is_named_is_made(suite: str) -> None:
    lines = re.findall(rf"`assay run {suite} [^`]*`", PAGE)
    named = {table for line in lines for table in re.findall(r"--table (\w+)", line)}
    assert named and named <= made(suite), named - made(suite)


def test_every_set_of_receipts_is_named() -> None:
    named = set(re.findall(r"assay reproduce (\w+)", PAGE))
    assert {"hallucinations", "wmt23"} <= named <= {*names(), "SET"}


def test_every_item_of_results_has_a_line() -> None:
    """The tables and figures of results in the five papers, by their numbers."""
    parts = re.split(r"\| \*\*(\w+)\*\* \(", PAGE)
    found = dict(zip(parts[1::2], parts[2::2], strict=True))
    wanted = {
        "xCOMET": {"Table": "1 2 3 4 5 6 8", "Figure": "3a 3b 4 5"},
        "ACES": {"Table": "1 2 3 4 5 6 7 8 9 10 11", "Figure": "1 2 3"},
        "DEMETR": {"Table": "1 3 4 A1 A2 A3", "Figure": "1 2"},
        "DFKI": {"Table": "1 2 3 4 5 6"},
        "Extrinsic": {"Table": "1 2 3 4 7 8 9 10 11", "Figure": "2 3"},
    }
    for paper, kinds in wanted.items():
        firsts = [line.split("|")[1] for line in found[paper].splitlines() if line.count("|") == 4]
        for kind, numbers in kinds.items():
            mine = {word for first in firsts if kind in first for word in re.findall(r"\b(A?\d+[ab]?)\b", first)}
            assert set(numbers.split()) <= mine, (paper, kind)
