"""The page in a real browser, from the server and as one file."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest

import assay
from tests.viewer.browser import ENTER, ESCAPE, TAB, Browser, needs_axe, until, whole
from tests.viewer.conftest import HOSTILE, keep

pytestmark = pytest.mark.xdist_group("browser")
VECTORS = json.loads((Path(__file__).parents[1] / "core" / "expression" / "vectors.json").read_text())


class Page:
    """The page of some runs, however it is served."""

    def __init__(self, browser: Browser, base: str, keys: dict[str, str]) -> None:
        self.browser, self.base, self.keys = browser, base, keys

    def open(self, screen: str, run: str = "", wait: str = "h1", **at: Any) -> Browser:
        query = "&".join(f"{name}={quote(str(value))}" for name, value in {"run": self.keys.get(run, ""), **at}.items())
        self.browser.open(f"{self.base}#/{screen}?{query}")
        until(lambda: self.browser.texts(wait))
        return self.browser

    def total(self) -> int:
        """How many rows the list says it has."""
        until(lambda: self.browser.text(".total") not in ("", "…"))
        return int(self.browser.text(".total").split()[0].replace(",", ""))


@pytest.fixture(scope="module", params=["server", "file"])
def page(
    request: pytest.FixtureRequest, browser: Browser, runs: Path, shown: Any, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Page]:
    browser.size(1280, 800)
    browser.scheme("light")
    keys = {run.name: run.key for run in shown.server.answers.runs}
    if request.param == "server":
        yield Page(browser, shown.url, keys)
    else:
        out = tmp_path_factory.mktemp("page") / "page.html"
        assay.view(runs, out=out)
        yield Page(browser, out.as_uri(), keys)
    assert browser.complaints() == []


def test_runs_are_listed_and_searched(page: Page) -> None:
    browser = page.open("runs")
    assert sorted(browser.texts(".runlink")) == ["demo", "embedded", "hostile"]
    browser.type("input[type=search]", "compare")
    until(lambda: browser.texts(".runlink") == ["demo"])
    browser.click(".runlink")
    until(lambda: browser.text("h1") == "Segments")


def test_segments_are_sorted_filtered_and_kept_in_the_address(page: Page) -> None:
    browser = page.open("segments", "demo", wait=".rows td.score")
    assert page.total() == 40
    browser.type("#where", 'chrf < 60 and system == "baseline"' + ENTER)
    until(lambda: 0 < page.total() < 40)
    kept = page.total()
    until(lambda: len(browser.texts(".rows td.score:nth-of-type(6)")) == kept)
    scores = [float(text) for text in browser.texts(".rows td.score:nth-of-type(6)")]
    assert scores != sorted(scores)
    browser.click("th.score button")
    until(lambda: "sort=chrf" in browser.url)
    until(lambda: [float(text) for text in browser.texts(".rows td.score:nth-of-type(6)")] == sorted(scores))
    address = browser.url
    browser.open(address)
    until(lambda: browser.texts(".rows td.score"))
    assert page.total() == kept and browser.run("return document.querySelector('#where').value").startswith("chrf < 60")
    browser.type("#where", "chfr < 3" + ENTER)
    until(lambda: "chfr" in browser.text("#refused"))
    assert "chrf" in browser.text("#refused")
    browser.open(address)
    browser.type("#find", "Museum" + ENTER)
    until(lambda: page.total() <= 1)


def test_keys_walk_through_rows_and_systems_stand_side_by_side(page: Page) -> None:
    browser = page.open("segments", "demo", wait=".rows td.score")
    browser.press("jj")
    until(lambda: "row=1" in browser.url)
    until(lambda: browser.text(".detail h2") == "Segment 2")
    until(lambda: browser.texts(".detail h3") == ["baseline", "ours"])
    browser.press("k")
    until(lambda: browser.text(".detail h2") == "Segment 1")
    assert "leaves" in " ".join(browser.texts(".detail ins, .detail del"))
    browser.press("/")
    assert browser.run("return document.activeElement.id") == "where"
    browser.run("document.activeElement.blur()")
    browser.press("?")
    assert "Next or previous row" in until(lambda: browser.text("dialog"))
    assert browser.run(
        "return document.activeElement.closest('dialog') !== null"
    )  # the keys are its own while it is open
    browser.press(ESCAPE)
    until(lambda: not browser.texts("dialog"))
    assert browser.texts(".detail")
    browser.press(ESCAPE)
    until(lambda: not browser.texts(".detail"))


def test_keys_alone_go_to_every_control_and_back(page: Page) -> None:
    browser = page.open("segments", "demo", wait=".rows td.score")
    reached = []
    for _ in range(24):
        browser.press(TAB)
        tag, label, ring = browser.run(
            "const e = document.activeElement, s = getComputedStyle(e);"
            "return [e.tagName, e.getAttribute('aria-label') ?? e.innerText,"
            " s.outlineStyle !== 'none' && parseFloat(s.outlineWidth) >= 2]"
        )
        if tag == "BODY":
            break
        reached.append(label.strip())
        assert ring, f"no ring around {label}"
    wanted = ["assay", "Runs", "Systems", "Segments", "Tables", "Switch between light and dark", "Keyboard shortcuts",
              "Filter expression", "Find text", "Filter", "3 metrics", "Export", "Rows"]  # fmt: skip
    assert reached[: len(wanted)] == wanted
    browser.run("document.querySelector('.export summary').focus()")
    browser.press(ENTER)
    until(lambda: browser.texts(".export button")[0] == "CSV")
    browser.press("j")
    until(lambda: browser.texts(".detail"))
    browser.press(ESCAPE)
    until(lambda: browser.texts(".export button")[0] == "")
    assert browser.texts(".detail") and browser.run("return document.activeElement.innerText") == "Export"


def test_the_row_of_an_address_is_in_sight_and_covers_a_phone(page: Page) -> None:
    browser = page.open("segments", "demo", wait=".detail h2", row=33)
    seen = (
        "const row = document.querySelector('tr.chosen'); if (!row) return false; const r = row.getBoundingClientRect(),"
        " l = document.querySelector('.list').getBoundingClientRect(); return r.top >= l.top && r.bottom <= l.bottom"
    )
    until(lambda: browser.run(seen))
    browser.click(".detail button[aria-label='Next row']")
    until(lambda: "row=34" in browser.url and browser.text(".detail h2") == "Segment 15")
    browser.size(390, 844)
    try:
        browser.open(browser.url)
        until(lambda: browser.texts(".detail h2"))
        box = (
            "const b = document.querySelector('.detail').getBoundingClientRect(); return [b.x, b.y, b.width, b.height]"
        )
        assert browser.run(box) == [0, 0, 390, 844]
        browser.click(".detail button[aria-label=Close]")
        until(lambda: not browser.texts(".detail") and browser.texts(".rows td.score"))
    finally:
        browser.size(1280, 800)


def test_tables_are_pivoted_and_changes_have_their_sign_as_on_a_terminal(page: Page) -> None:
    browser = page.open("tables", "embedded", wait=".plain")
    heads = browser.run(
        "return [...document.querySelectorAll('section.card')].map((one) => [one.querySelector('h2')?.innerText ?? '',"
        " ...[...one.querySelectorAll('thead th')].map((th) => th.innerText)])"
    )
    assert any({"chrf", "ter"} <= set(head) for head in heads), heads
    browser = page.open("tables", "demo", wait=".plain")
    row = next(row for row in browser.texts(".plain tbody tr") if row.startswith("ours") and "TER" in row)
    assert "-6.2" in row  # -6.25 exactly, and the terminal rounds to even
    assert any("+5.7" in row for row in browser.texts(".plain tbody tr"))


def test_a_cell_of_the_heat_map_leads_to_the_items_that_failed(page: Page) -> None:
    browser = page.open("phenomena", "embedded", wait=".heat .cell")
    failed = browser.run(
        "const b = document.querySelector('.heat button[data-metric=chrf]:not(:disabled)'); b.id = 'chosen';"
        "return b.dataset.failed"
    )
    browser.click("#chosen")
    until(lambda: browser.text("h1") == "Items")
    assert page.total() == int(failed)
    browser.press("j")
    until(lambda: browser.texts(".detail del"))
    verdicts = browser.texts(".detail tbody tr")
    assert verdicts[0].startswith("chrF") and "✗" in verdicts[0]


def test_a_box_over_points_selects_their_rows(page: Page) -> None:
    browser = page.open("systems", "demo", wait=".scatter circle")
    assert len(browser.texts(".scatter circle")) == 40
    browser.drag(".scatter", (0.5, 0.02), (0.99, 0.5))
    button = until(lambda: next((text for text in browser.texts(".card .bar button") if text.startswith("Show")), None))
    count = int(button.split()[1])
    assert 0 < count < 40
    browser.choose(".card .bar button", "Show")
    until(lambda: browser.text("h1") == "Segments")
    assert page.total() == count


def test_a_selection_goes_out_and_is_read_again(page: Page) -> None:
    for left in page.browser.downloads.iterdir():
        left.unlink()
    browser = page.open("segments", "demo", wait=".rows td.score", where='system == "ours"', sort="chrf")
    browser.click(".export summary")
    browser.choose(".export button", "JSONL")
    path = browser.downloads / "demo.jsonl"
    until(lambda: whole(path))
    rows = [json.loads(line) for line in path.read_text().splitlines()]
    found = [row.get("scores", row)["chrf"] for row in rows]  # a page in one file has them beside the others
    assert len(rows) == 20 and found == sorted(found)
    assert assay.filter_rows("chrf < 50", path).kept == sum(score < 50 for score in found)
    browser.choose(".export button", "CSV")
    until(lambda: whole(browser.downloads / "demo.csv"))
    table = list(csv.DictReader((browser.downloads / "demo.csv").open(newline="")))
    assert [row["mt"] for row in table] == [row["mt"] for row in rows]


def test_hostile_texts_are_shown_and_run_nothing(page: Page) -> None:
    for screen in ("runs", "segments", "systems", "tables"):
        browser = page.open(screen, "hostile")
        if screen == "segments":
            until(lambda browser=browser: browser.texts(".rows td.score"))
        assert browser.run("return document.title") == "assay view"
        assert browser.run("return document.querySelectorAll('img, #app script, #app svg[onload]').length") == 0
    page.open("segments", "hostile", wait=".rows td.score", against="plain")
    shown = " ".join(browser.texts(".rows td.text"))
    assert HOSTILE[0] in shown and "RLO" in shown and "U+0000" in shown
    assert "\u202e" not in browser.run("return document.querySelector('.rows').textContent")
    for row in range(len(HOSTILE)):
        page.open("segments", "hostile", wait=".detail h2", row=row, against="spans")
        assert browser.run("return document.title") == "assay view"
    whole = browser.run("return document.querySelector('.detail').innerText.length")
    page.open("segments", "hostile", wait=".detail h2", row=8)
    assert browser.run("return document.querySelector('.detail').innerText.length") > 1_000_000 > whole


def test_right_to_left_and_languages_are_said(page: Page) -> None:
    browser = page.open("segments", "hostile", wait=".detail h2", row=6, against="plain")
    found = browser.run(
        "const t = document.querySelector('.translation p bdi'); return [t.lang, t.dir, getComputedStyle(t).direction]"
    )
    assert found == ["ar", "auto", "rtl"]


def test_light_or_dark_is_the_systems_until_somebody_says_otherwise(page: Page) -> None:
    browser = page.browser
    script = "return getComputedStyle(document.body).backgroundColor"
    try:
        grounds = []
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            page.open("runs")
            grounds.append(browser.run(script))
        assert grounds[0] != grounds[1]
        browser.press("t")
        assert browser.run(script) == grounds[0]
    finally:
        browser.run("localStorage.clear()")
        browser.scheme("light")


@needs_axe
@pytest.mark.parametrize("page", ["server"], indirect=True)
def test_axe_and_a_phone_find_no_fault(page: Page) -> None:
    browser = page.browser
    for screen, run, wait, at in (
        ("runs", "", ".runlink", {}), ("segments", "demo", ".detail h2", {"row": 3}),
        ("segments", "demo", "#refused:not(:empty)", {"where": "chfr < 30"}), ("segments", "demo", ".empty", {"where": "chrf < 0"}),
        ("systems", "demo", ".scatter circle", {}), ("phenomena", "embedded", ".cell", {}),
        ("segments", "embedded", ".detail h2", {"row": 3}), ("tables", "demo", ".plain", {}),
    ):  # fmt: skip
        page.open(screen, run, wait=wait, **at).sound(f"{screen} {at}")
    page.open("segments", "demo", wait=".rows td.score")
    browser.click(".export summary")
    browser.press("?")
    until(lambda: browser.texts("dialog"))
    browser.sound("a menu and the keys")


def test_a_page_in_one_file_filters_as_assay_does(browser: Browser, tmp_path: Path) -> None:
    columns = VECTORS["columns"]
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    keep(tmp_path / "run", rows)
    assay.view(tmp_path / "run", out=tmp_path / "page.html")
    page = Page(browser, (tmp_path / "page.html").as_uri(), {"run": "r0"})
    page.open("segments", "run", wait=".rows td.score")
    script = (
        "location.hash = '#/segments?run=r0&where=' + encodeURIComponent(arguments[0]);"
        "return new Promise((done) => setTimeout(() => done([...document.querySelectorAll('.rows tbody tr:not(.space)')]"
        ".map((row) => Number(row.getAttribute('data-row'))).concat([document.querySelector('#refused').innerText])), 120))"
    )
    for expression, _, holds in VECTORS["holds"]:
        found = browser.run(script, expression)
        assert found == [*holds, ""], expression
    for expression, _ in VECTORS["refused"]:
        if expression:
            assert browser.run(script, expression)[-1], expression
    assert browser.complaints() == []


def test_many_rows_scroll_to_the_last(browser: Browser, tmp_path: Path) -> None:
    keep(tmp_path / "run", [{"segment": i, "mt": f"text {i}", "chrf": float(i % 101)} for i in range(1, 110_001)])
    with assay.view(tmp_path / "run", browser=False) as viewing:
        page = Page(browser, viewing.url, {"run": "r0"})
        page.open("segments", "run", wait=".rows td.score")
        assert page.total() == 110_000
        browser.run("const l = document.querySelector('.list'); l.scrollTop = l.scrollHeight")
        until(lambda: "text 110000" in browser.texts(".rows td.text"))
        browser.type("#where", "chrf == 100 and segment > 109900" + ENTER)
        until(lambda: page.total() == 1)


def test_a_server_that_went_away_is_said(browser: Browser, runs: Path) -> None:
    with assay.view(runs, browser=False) as viewing:
        browser.open(viewing.url)
        until(lambda: browser.texts(".runlink"))
    browser.click(".runlink")
    until(lambda: "does not respond" in browser.text(".problem"))
    browser.complaints()
