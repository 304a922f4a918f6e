"""Two runs compared, a selection as a challenge set, and 500 metrics, in a real browser."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from tests.viewer.browser import Browser, until, whole
from tests.viewer.conftest import HOSTILE, keep
from tests.viewer.test_page import Page

pytestmark = pytest.mark.xdist_group("browser")


def texts(better: bool) -> dict[str, list[str]]:
    sources = [f"Satz {i} steht hier" for i in range(14)]
    good = [f"sentence {i} stands here" for i in range(14)]
    return {
        "hypotheses": [text if better and i > 2 else f"word {i} is {HOSTILE[0]}" for i, text in enumerate(good)],
        "references": good,
        "sources": sources,
    }


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("two")
    for name, better in (("first", False), ("second", True)):
        assay.score(**texts(better), metrics=["chrf", "ter"], langpair="de-en", texts=True).write(path / name)
    assay.run("embedded", ["chrf", "ter"], samples=20).write(path / "pairs", figures=())
    metrics = [f"metric-{i}" for i in range(500)]
    rows = [{"segment": i, "mt": f"text {i}", **{name: float(i) for name in metrics}} for i in range(1, 41)]
    keep(path / "wide", rows, metrics=metrics)
    return path


@pytest.fixture(scope="module", params=["server", "file"])
def page(
    request: pytest.FixtureRequest, browser: Browser, folder: Path, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    browser.size(1280, 800)
    browser.scheme("light")
    with assay.view(folder, browser=False) as viewing:
        keys = {run.name: run.key for run in viewing.server.answers.runs}
        if request.param == "server":
            yield Page(browser, viewing.url, keys)
        else:
            out = tmp_path_factory.mktemp("page") / "page.html"
            assay.view(folder, out=out)
            yield Page(browser, out.as_uri(), keys)
    assert browser.complaints() == []


def test_two_runs_are_chosen_and_compared(page: Page) -> None:
    browser = page.open("runs")
    for name in ("second", "first"):
        browser.click(f"input[aria-label='Compare {name}']")
    browser.click("#compare")
    until(lambda: browser.texts(".moved"))
    assert (
        browser.text("h1") == "Comparison of two runs"
        and f"a={page.keys['first']}&b={page.keys['second']}" in browser.url
    )
    rows = browser.texts(".plain tbody tr")
    assert len(rows) == 2 and all("better" in row and "14" in row for row in rows)
    assert len(browser.texts(".moved")) == 11  # three segments did not change
    assert browser.run("return document.title") == "assay view" and HOSTILE[0] in browser.text(".moved")
    address = browser.url
    browser.click(".moved a")
    until(lambda: browser.texts(".detail h2"))
    browser.open(address)
    until(lambda: browser.texts(".moved"))
    browser.run("[...document.querySelectorAll('.bar button')].find((one) => one.innerText === 'Swap').click()")
    until(lambda: "worse" in " ".join(browser.texts(".plain tbody tr")))
    browser.sound("two runs")


def test_runs_of_other_jobs_are_refused_on_the_page(page: Page) -> None:
    browser = page.open("compare", a=page.keys["first"], b=page.keys["pairs"])
    assert "Only runs of the same kind" in until(lambda: browser.text(".problem"))


def test_a_selection_becomes_a_challenge_set_for_assay_run(
    page: Page, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    browser = page.browser
    for left in browser.downloads.iterdir():
        left.unlink()
    chosen = '`chrf good` <= `chrf incorrect` and langpair == "de-en"'
    page.open("segments", "pairs", wait=".rows td.score", where=chosen)
    total = page.total()
    browser.click(".export summary")
    browser.choose(".export button", "Challenge set")
    path = browser.downloads / "pairs.challenge.jsonl"
    until(lambda: whole(path))
    capsys.readouterr()
    assert main(["run", str(path), "-m", "chrf", "--format", "json", "--table", "summary", "--samples", "20"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["tables"]["summary"]
    assert total > 0 and row["accuracy"] == 0 and row["n"] == total  # what the metric failed, it fails again


def test_500_metrics_stay_usable(page: Page) -> None:
    browser = page.open("segments", "wide", wait=".rows td.score")
    assert "8 of 500 metrics" in browser.text(".columns summary")
    assert len(browser.texts(".rows th.score")) == 8
    browser.click(".columns summary")
    browser.type(".columns input[type=search]", "metric-499")
    until(lambda: len(browser.texts(".columns label")) == 1)
    browser.click(".columns label input")
    until(lambda: browser.texts(".rows th.score")[-1].startswith("metric-499"))
    browser.open(browser.url)
    until(lambda: len(browser.texts(".rows th.score")) == 9)
    page.open("segments", "wide", wait=".detail h2", row=3)
    for screen in ("systems", "tables"):
        page.open(screen, "wide")
        assert browser.run("return document.documentElement.scrollWidth") <= 1280


def test_it_prints_light_and_no_wider_than_the_sheet(page: Page) -> None:
    browser = page.browser
    browser.scheme("dark")
    try:
        page.open("segments", "first", wait=".rows td.score")
        printed = browser._ask("POST", "/goog/cdp/execute", {"cmd": "Page.printToPDF", "params": {}})
        assert base64.b64decode(printed["data"]).startswith(b"%PDF")
        browser._cdp(
            "Emulation.setEmulatedMedia",
            {"media": "print", "features": [{"name": "prefers-color-scheme", "value": "dark"}]},
        )
        browser.size(720, 1000)
        found: Any = browser.run(
            "return [getComputedStyle(document.body).backgroundColor, document.documentElement.scrollWidth,"
            " getComputedStyle(document.querySelector('.filter')).display]"
        )
        assert found[0] == "rgb(255, 255, 255)" and found[1] <= 720 and found[2] == "none"
    finally:
        browser._cdp("Emulation.setEmulatedMedia", {"media": "", "features": []})
        browser.size(1280, 800)
        browser.scheme("light")
