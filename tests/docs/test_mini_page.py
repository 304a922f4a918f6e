"""Figures of other metrics on `docs/mini.md`, recomputed by the page's definition."""

from __future__ import annotations

import tarfile
from pathlib import Path

import numpy as np
import pytest

from assay.suites.wmt import facts, judged_systems, pair_facts, read_pairs
from tests.data import need

PAGE = Path(__file__).resolve().parents[2] / "docs" / "mini.md"
PAIRS = ("en-de", "he-en", "zh-en")


def right_pairs(gold: np.ndarray, metric: np.ndarray) -> float:
    """Return the share of pairs of translations of one source that are ranked as in gold; ties of the metric count half."""
    right, all_pairs = 0.0, 0
    for row in range(1, len(gold)):
        people, found = gold[row] - gold[:row], metric[row] - metric[:row]
        known = ~np.isnan(people) & (people != 0)
        right += float(np.where(found == 0, 0.5, people * found > 0)[known].sum())
        all_pairs += int(known.sum())
    return right / all_pairs


@pytest.mark.real
def test_right_pairs_of_wmt23_are_as_defined(tmp_path: Path) -> None:
    (line,) = (line for line in PAGE.read_text("utf-8").splitlines() if line.startswith("| WMT23, right pairs"))
    found: dict[str, list[str]] = {"COMET": [], "chrF": []}
    for pair in PAIRS:
        with tarfile.open(need("data", "wmt23") / f"{pair}.tar.xz") as packed:
            packed.extractall(tmp_path, filter="data")
        tree = read_pairs(tmp_path / "wmt23", [pair])[pair]
        judged = judged_systems(tree, pair_facts(tree, facts("wmt23")), list(found), {})
        rows = [row for row, system in enumerate(judged.systems) if system != judged.standard_reference]
        for name, values in found.items():
            gold, scores = judged.gold["mqm"].seg, judged.metrics[name].seg
            assert gold is not None and scores is not None
            values.append(f"{right_pairs(gold[rows], scores[rows]):.3f}".removeprefix("0"))
    assert f"COMET-22 {' / '.join(found['COMET'])}, chrF {' / '.join(found['chrF'])}" in line
