"""People, Breakdown and decisions, and Systems by group, in a real browser, from the server and as one file."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.viewer.runs import find_runs
from assay.viewer.summary import grouped
from tests.viewer.browser import Browser, needs_axe, until
from tests.viewer.conftest import keep
from tests.viewer.judged_runs import ARABIC, campaign_run, decision_runs, meta_run
from tests.viewer.test_page import Page

pytestmark = pytest.mark.xdist_group("browser")
RIGHT = "\ue014"


@pytest.fixture(scope="module")
def judged(tmp_path_factory: pytest.TempPathFactory) -> Path:
    work = tmp_path_factory.mktemp("judged")
    meta_run(work / "runs" / "meta", work)
    campaign_run(work / "runs" / "campaign", work)
    decision_runs(work / "runs")
    return work / "runs"


@pytest.fixture(scope="module", params=["server", "file"])
def page(request: pytest.FixtureRequest, browser: Browser, judged: Path) -> Iterator[Page]:
    browser.size(1280, 800)
    browser.scheme("light")
    keys = {run.name: run.key for run in find_runs([judged])}
    if request.param == "server":
        with assay.view(judged, browser=False) as viewing:
            yield Page(browser, viewing.url, keys)
    else:
        assay.view(judged, out=judged.parent / "page.html")
        yield Page(browser, (judged.parent / "page.html").as_uri(), keys)
    assert browser.complaints() == []


def tables(judged: Path, run: str) -> dict[str, list[dict[str, Any]]]:
    found: dict[str, list[dict[str, Any]]] = json.loads((judged / run / "tables.json").read_text())["tables"]
    return found


def choose(browser: Browser, label: str, value: str) -> None:
    """Choose from a list, by the word before it."""
    browser.run(
        "const label = [...document.querySelectorAll('label')].find((one) => one.innerText.trim().startsWith(arguments[0]));"
        "const list = label.querySelector('select'); list.value = arguments[1];"
        "list.dispatchEvent(new Event('change', {bubbles: true}))",
        label,
        value,
    )


def ranked(browser: Browser) -> list[str]:
    return list(
        browser.run("return [...document.querySelectorAll('.ranking tbody tr')].map((row) => row.dataset.name)")
    )


def test_the_ranking_and_every_two_metrics(page: Page, judged: Path) -> None:
    browser = page.open("people", "meta", wait=".ranking tbody tr")
    overall = tables(judged, "meta")["overall"]
    assert ranked(browser) == [row["metric"] for row in overall]
    assert browser.texts(".ranking tbody td.cluster") == [str(row["cluster"]) for row in overall]
    # The fixture's tests: what view.json keeps says who is told apart.
    kept = json.loads((judged / "meta" / "view.json").read_text())["people"]["comparisons"]
    tests = next(one for one in kept if one["task"] == 0)
    marks = browser.texts(".matrix tbody tr:first-child td")
    n = len(overall)
    expected = ["***" if p <= 0.001 else "**" if p <= 0.01 else "*" if p <= 0.05 else "·" for p in tests["p"][: n - 1]]
    assert marks == ["", *expected]
    choose(browser, "with", overall[-1]["metric"])
    sentence = until(lambda: (s := browser.text(".said")) and overall[-1]["metric"] in s and s)
    assert f"is {tests['difference'][n - 2]:.3f} better" in sentence
    choose(browser, "Task", "task 2")
    until(lambda: "ranking=task" in browser.url)
    second = sorted((row for row in tables(judged, "meta")["tasks"] if row["task"] == 2), key=lambda row: row["rank"])
    until(lambda: ranked(browser) == [row["metric"] for row in second])


def test_a_metric_against_people_has_the_correlation_of_the_task(page: Page, judged: Path) -> None:
    """The systems of a pair as drawn give the Pearson correlation that the official task has."""
    wanted = {"langpair": "en-de", "level": "sys", "statistic": "pearson", "metric": "BLEU"}
    task = next(row for row in tables(judged, "meta")["tasks"] if wanted.items() <= row.items())
    browser = page.open("people", "meta", wait=".against circle", pair="en-de", metric="BLEU")
    assert browser.run("return Number(document.querySelector('[data-r]').dataset.r)") == pytest.approx(task["value"])
    assert len(browser.texts(".against .point circle")) == 5
    choose(browser, "Points", "segments")
    until(
        lambda: len(browser.texts(".against > circle")) == 37 * 6
    )  # five systems and a human one, three segments unjudged
    browser.click(".card p a")
    until(lambda: browser.text("h1") == "Segments")
    assert page.total() == 37 * 6


def test_what_a_point_is_worth(page: Page, judged: Path) -> None:
    worth = next(row for row in tables(judged, "meta")["point_worth"] if row["metric"] == "BLEU")
    browser = page.open("people", "meta", wait=".narrow td", worth="BLEU")
    shown = browser.texts(".narrow td")
    assert shown == [
        "never here" if worth[key] is None else f"{float(f'{worth[key]:.3g}'):g}" for key in ("d80", "d90", "d95")
    ]
    browser.type("input[type=number]", "0")
    until(lambda: "differ by 0 " in " ".join(browser.texts(".said")))


def test_systems_as_people_rank_them(page: Page, judged: Path) -> None:
    browser = page.open("people", "campaign", wait=".ranking tbody tr")
    assert browser.texts(".ranking tbody th") == ["good", ARABIC, "<b>bad</b>"]
    duels = tables(judged, "campaign")["duels"]
    assert "***" in browser.texts(".matrix td") or min(row["p"] for row in duels) > 0.001
    assert browser.run("return document.querySelectorAll('.ranking b').length") == 0
    found = browser.run(
        "const t = [...document.querySelectorAll('.ranking th bdi')][1]; return [t.dir, getComputedStyle(t).direction]"
    )
    assert found == ["auto", "rtl"]


def test_a_limit_moves_by_keys_and_its_rows_are_those_that_it_counts(page: Page) -> None:
    """The slider by arrow keys; what is used, reviewed and rejected leads to exactly so many rows, above and below."""
    script = (
        "return [...document.querySelectorAll('.parts li:has([data-part])')].map((one) => "
        "[Number(one.querySelector('b').innerText.replace(',', '')), one.querySelector('a')?.hash ?? ''])"
    )
    for run in ("rule", "lower", "applied"):
        browser = page.open("decisions", run, wait="#limit")
        found, before = browser.run(script), browser.text("output")
        browser.run("document.querySelector('#limit').focus()")
        browser.press(RIGHT * 3)
        until(lambda browser=browser, before=before: browser.text("output") != before)
        moved = browser.run(script)
        assert moved[0][0] < found[0][0] and sum(n for n, _ in moved) == sum(n for n, _ in found)
        followed = 0
        for count, place in [*found, *moved]:
            if place:
                browser.run("location.hash = ''")
                until(lambda browser=browser: browser.text("h1") == "Runs")
                browser.run("location.hash = arguments[0]", place)
                until(lambda browser=browser: browser.text("h1") == "Segments")
                assert page.total() == count, (run, place)
                followed += 1
        assert followed >= 4


def test_promised_and_observed_risk_stand_side_by_side(page: Page, judged: Path) -> None:
    rule = tables(judged, "rule")["rule"][0]
    browser = page.open("decisions", "rule", wait="[data-risk=caught]")
    promised, _, observed = browser.texts("[data-risk=caught] td")
    assert float(promised.strip("≥ %")) >= 80.0
    # One limit for both languages is the rule's group `all`; the card counts by it where no language is said.
    decided = json.loads((judged / "rule" / "view.json").read_text())["deciding"]["sweeps"]
    every = next(one for one in decided if one["language"] == "")
    stop = every["limits"].index(every["limit"])
    assert observed.startswith(f"{100 * every['figures']['caught']['observed'][stop]:.1f}%")
    assert every["limit"] == rule["limit"] and rule["language"] == "all"
    choose(browser, "Language", "es")
    until(lambda: "language=es" in browser.url)
    assert "Select a language" not in browser.text(".limits")
    browser = page.open("decisions", "applied", wait="#limit")
    assert "are unknown" in browser.text(".limits .note")


def test_a_cell_of_errors_and_tasks_leads_to_what_broke_down(page: Page) -> None:
    browser = page.open("decisions", "breakdown", wait=".heat .cell")
    count = browser.run(
        "const b = document.querySelector('.heat button'); b.id = 'chosen'; return b.dataset.breakdowns"
    )
    browser.click("#chosen")
    until(lambda: browser.text("h1") == "Segments")
    assert page.total() == int(count) > 0


def test_systems_by_group(page: Page, judged: Path) -> None:
    """The same table from the server and from the file: means by hand of the rows, and an interval by Student's t."""
    (run,) = find_runs([judged / "meta"])
    for by in ("domain", "length(mt)", "langpair"):
        browser = page.open("systems", "meta", wait=".groups tbody td", by=by, of="BLEU")
        made = grouped(run.rows, by, "BLEU")
        assert browser.texts(".groups tbody th") == [group["name"] for group in made["groups"]]
        shown = browser.texts(".groups tbody tr:first-child td")
        for text, system in zip(shown, made["systems"], strict=True):
            if system not in made["groups"][0]["cells"]:
                assert text == "–"
                continue
            n, mean, _ = made["groups"][0]["cells"][system]
            assert text.split()[0] == f"{mean:.3f}" and text.endswith(f"n {n}"), by
        browser.click(".groups tbody th a")
        until(lambda browser=browser: browser.text("h1") == "Segments")
        assert page.total() == sum(cell[0] for cell in made["groups"][0]["cells"].values())


def test_students_interval(browser: Browser, tmp_path: Path) -> None:
    """1, 2, 3, 4, 5: the mean is 3, s = sqrt(2.5), t(4, 0.975) = 2.7764, so 3.0 ± 2.0 (1.963)."""
    keep(
        tmp_path / "five",
        [{"segment": i, "mt": "a" * i, "kind": k, "chrf": float(i)} for k in "xy" for i in range(1, 6)],
    )
    assay.view(tmp_path / "five", out=tmp_path / "five.html")
    page = Page(browser, (tmp_path / "five.html").as_uri(), {"five": "r0"})
    page.open("systems", "five", wait=".groups tbody td", by="kind")
    assert browser.texts(".groups tbody td")[0].split()[:2] == ["3.0", "±2.0"]
    assert browser.texts("#by option") == ["kind (2)", "length of the translation (4)"]


SCREENS = [
    ("people", "meta", ".against circle", {}), ("people", "meta", ".against > circle", {"level": "segments"}),
    ("people", "campaign", ".ranking", {}), ("decisions", "rule", "#limit", {}), ("decisions", "applied", "#limit", {}),
    ("decisions", "breakdown", ".heat .cell", {}), ("systems", "meta", ".groups tbody td", {"by": "domain"}),
]  # fmt: skip


@needs_axe
@pytest.mark.parametrize("page", ["server"], indirect=True)
def test_axe_and_a_phone_in_light_and_dark(page: Page) -> None:
    for screen, run, wait, at in SCREENS:
        page.open(screen, run, wait=wait, **at).sound(f"{screen} of {run}")
