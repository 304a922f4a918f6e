"""The table of metrics in the documentation equals the registry."""

from __future__ import annotations

import sys
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def script(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    monkeypatch.setattr(sys, "path", [str(ROOT), *sys.path])
    from scripts.site import metrics_table

    return metrics_table


def test_every_metric_has_a_row_with_what_its_card_says(script: ModuleType) -> None:
    from assay.metrics import METRICS

    lines = [line for line in script.table().splitlines() if line.startswith("| `")]
    assert len(lines) == len(METRICS.entries)
    (row,) = [line for line in lines if line.startswith("| `xcomet-xl` |")]
    assert "`assay fetch xcomet-xl` (13.9 GB)" in row and "CC BY-NC-SA 4.0" in row and "| either |" in row


def test_a_new_metric_needs_no_change_of_the_page(script: ModuleType, monkeypatch: pytest.MonkeyPatch) -> None:
    from assay.metrics import METRICS

    monkeypatch.setitem(METRICS.entries, "made-up", "assay.metrics.chrf:Chrf")
    page = script.page((ROOT / "docs" / "metrics.md").read_text(encoding="utf-8"))
    row = "| `made-up` | Popović 2015, chrF: character n-gram F-score for automatic MT evaluation | ready | reference | any |"
    assert row in page and script.MARKER not in page
    assert page.index("# All metrics") < page.index(row) < page.index("\n## BLEURT\n")
    with pytest.raises(ValueError, match="has no line"):
        script.page("a page without the marker")


def test_weights_say_what_a_person_must_know() -> None:
    """Cards of networks say where their weights come from; a size is that of a download, in gigabytes."""
    from assay.metrics import METRICS

    for name in METRICS.entries:
        card = METRICS.resolve(name).card
        if card.extra == "neural":
            assert card.weights is not None, name
        if card.weights is not None:
            assert card.weights.get and not card.weights.get.endswith("."), name
            least = 0.001 if card.weights.what == "weights" else 0  # prompts are kilobytes
            assert card.weights.gigabytes is None or least < card.weights.gigabytes < 200, name
            assert card.licence, name
