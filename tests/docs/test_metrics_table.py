"""The table of metrics in the documentation is the registry's."""

from __future__ import annotations

import importlib.util
from pathlib import Path
from types import ModuleType

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(scope="module")
def script() -> ModuleType:
    spec = importlib.util.spec_from_file_location("metrics_table", ROOT / "scripts" / "metrics_table.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_cards_say(script: ModuleType) -> None:
    assert script.page() == script.PAGE.read_text(encoding="utf-8"), "run: python scripts/metrics_table.py"


def test_every_metric_has_a_row_with_what_its_card_says(script: ModuleType) -> None:
    from assay.metrics import METRICS

    lines = [line for line in script.PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| `")]
    assert len(lines) == len(METRICS.entries)
    (row,) = [line for line in lines if line.startswith("| `xcomet-xl` |")]
    assert "`assay fetch xcomet-xl` (13.9 GB)" in row and "CC BY-NC-SA 4.0" in row and "| either |" in row


def test_weights_say_what_a_person_must_know() -> None:
    """A network without weights in its extra must say where they come from; a size is that of a download, in gigabytes."""
    from assay.metrics import METRICS

    for name in METRICS.entries:
        card = METRICS.resolve(name).card
        if card.extra == "neural":
            assert card.weights is not None, name
        if card.weights is not None:
            assert card.weights.get and not card.weights.get.endswith("."), name
            least = 0.001 if card.weights.what == "weights" else 0  # prompts have kilobytes
            assert card.weights.gigabytes is None or least < card.weights.gigabytes < 200, name
            assert card.licence, name
