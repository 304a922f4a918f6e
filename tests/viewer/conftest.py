"""Runs to look at, and a browser to look with."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.metric import Card
from assay.core.table import Table, TableColumn
from assay.core.view_data import ViewData
from assay.report.view_files import write_view_files
from tests.viewer.browser import Browser

DEMO = Path(assay.__file__).parent / "data" / "demo.tsv"
HOSTILE = (
    "<script>document.title='run'</script>",
    "<img src=x onerror=\"document.title='run'\">",
    "</script></style><svg onload=\"document.title='run'\">",
    "javascript:document.title='run'",
    "abc \u202edef\u202c ghi \u2066jkl",
    "null \x00 bell \x07 end",
    "مرحبا بالعالم 123",
    "吾輩は猫である。名前はまだ無い。",
    "x" * 1_000_000,
    "",
)
"""Texts that want to be run, to deceive, or to be too much."""


def keep(
    folder: Path, rows: Sequence[dict[str, Any]], kind: Any = "segments", metrics: Sequence[str] = ("chrf",)
) -> Path:
    """A run directory with these rows."""
    folder.mkdir(parents=True)
    cards = {name: Card(name, name, "reference", True, (0, 100), "made up") for name in metrics}
    table = Table(
        "systems", [TableColumn("system"), TableColumn("chrf", kind="number")], [{"system": HOSTILE[0], "chrf": 3.14}]
    )
    write_view_files(folder, ViewData(kind, cards, rows), [table], title=HOSTILE[0], lead=HOSTILE[1])
    (folder / "tables.json").write_text(json.dumps({"tables": {"systems": list(table.rows)}}))
    (folder / "manifest.json").write_text(json.dumps({"command": "assay score", "version": assay.__version__}))
    return folder


@pytest.fixture(scope="session")
def runs(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A comparison with spans, a challenge set, and a run of hostile texts."""
    folder = tmp_path_factory.mktemp("view") / "runs"
    assay.compare(data=DEMO, metrics=["chrf", "bleu", "ter"], samples=50, trials=50, texts=True).write(folder / "demo")
    assay.run("embedded", ["chrf", "ter"], samples=50).write(folder / "embedded", figures=())
    rows = [
        {"system": system, "segment": i + 1, "langpair": "en-ar", "src": HOSTILE[-1 - i], "mt": text,
         "ref": "good text", "chrf": 10.0 * i,
         "flags": ["empty_hypothesis"] if not text else [],
         "spans": {"m": [{"side": "target", "start": 0, "end": 3, "text": "", "severity": "major", "category": HOSTILE[0],
                          "confidence": 0.5}]}}
        for system in ("a", HOSTILE[0]) for i, text in enumerate(HOSTILE)
    ]  # fmt: skip
    keep(folder / "hostile", rows)
    return folder


@pytest.fixture(scope="session")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """Chromium, once for all tests."""
    made = Browser(tmp_path_factory.mktemp("browser"))
    yield made
    made.close()


@pytest.fixture(scope="session")
def shown(runs: Path) -> Iterator[Any]:
    """The runs behind a server."""
    with assay.view(runs, browser=False) as viewing:
        yield viewing
