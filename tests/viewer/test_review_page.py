"""Reviews in a real browser: with keys alone, with the mouse, in every script, and with what a hostile text would like."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.cli.main import main
from assay.core.review import Choice, Passage, Question
from assay.io.judgements.campaign import read_campaign
from assay.io.judgements.decisions import latest
from assay.review.decisions import DecisionLog
from assay.verbs.make import annotate, make
from assay.verbs.shared.review_sessions import OnPage, open_review
from tests.viewer.browser import ENTER, TAB, Browser, until
from tests.viewer.conftest import DEMO, HOSTILE
from tests.viewer.test_review_api import served

pytestmark = pytest.mark.xdist_group("browser")
RIGHT, LEFT, SHIFT, CONTROL = "\ue014", "\ue012", "\ue008", "\ue009"


@pytest.fixture(autouse=True)
def _quiet(browser: Browser) -> Iterator[None]:
    browser.size(1280, 860)
    browser.scheme("light")
    browser.complaints()
    yield
    browser.scheme("light")


def hold(browser: Browser, work: Any) -> Any:
    """A review that blocks, in a thread, and its page opened."""
    urls: list[str] = []
    came: list[Any] = []
    thread = threading.Thread(
        target=lambda: came.append(work(OnPage(browser=False, announce=urls.append))), daemon=True
    )
    thread.start()
    browser.open(until(lambda: urls)[0])
    until(lambda: browser.texts(".item h2"))
    return lambda: (finish(browser), thread.join(10), came[0])[2]


def finish(browser: Browser) -> None:
    press_button(browser, "Finish")
    until(lambda: browser.text("h1") == "Finished")


def press_button(browser: Browser, name: str) -> None:
    browser.run(
        "[...document.querySelectorAll('button')].find((one) => one.innerText.trim() === arguments[0]).click()", name
    )


def test_a_made_set_is_reviewed_with_keys_alone(browser: Browser, tmp_path: Path) -> None:
    path = tmp_path / "set.jsonl"
    make(["word-swap"], DEMO, out=path, n=4)
    done = hold(browser, lambda page: annotate(path, page=page, annotator="anna"))
    log = tmp_path / "set.jsonl.anna.decisions.jsonl"
    assert browser.texts(".passages dt") == ["source", "reference", "good", "incorrect"]
    assert browser.texts(".passages del") and browser.texts(".passages ins"), "the change is marked"
    browser.sound("a review")
    first = browser.text(".item h2")
    browser.press("a")
    until(lambda: "Saved: accept · 1 of 4 decided" in browser.text(".said") and browser.text(".item h2") != first)
    assert list(latest(log).values()) == ["accept"]
    browser.press("r")
    until(lambda: "2 of 4" in browser.text(".said"))
    browser.press("u")
    until(lambda: "Undone" in browser.text(".said"))
    assert list(latest(log).values()) == ["accept"]
    until(lambda: browser.texts(".choices button"))
    browser.press("e")
    until(lambda: browser.texts("textarea"))
    browser.type("textarea", "Nothing like it.")
    browser.press(TAB + ENTER)
    until(lambda: "edit:Nothing like it." in latest(log).values())
    until(lambda: "2 of 4" in browser.text(".progress"))
    browser.run(
        "const s = document.querySelector('main select'); s.value = 'mine';"
        "s.dispatchEvent(new Event('change', {bubbles: true}))"
    )
    until(lambda: "show=mine" in browser.url and "You: accept" in browser.text(".item"))
    assert browser.texts(".choices button[aria-pressed=true]") == ["a accept"]
    result = done()
    assert (result.accepted, result.edited, result.left) == (1, 1, 2)
    assert browser.complaints() == []


def test_a_stale_tab_and_a_dead_server_are_told_in_one_line(browser: Browser, tmp_path: Path) -> None:
    questions = [
        Question(
            str(i),
            f"item {i}",
            (Passage("text", text, "ar", ((0, 2),)),),
            (Choice("t", "task model"), Choice("n", "no")),
        )
        for i, text in enumerate(HOSTILE[:8])
    ]
    path = tmp_path / "d.jsonl"

    def ask(page: OnPage) -> Any:
        return open_review(DecisionLog(path, "anna"), HOSTILE[1], stream=None, write=None, page=page)(questions)

    done = hold(browser, ask)
    DecisionLog(path, "bob").record("0", "no")
    browser.press("t")  # a key of the page elsewhere, a choice here
    until(lambda: latest(path).get("0") == "task model")
    assert browser.run("return document.documentElement.dataset.theme ?? ''") == ""
    until(lambda: browser.text(".item h2") == "item 1")
    browser.press("k")
    until(lambda: browser.text(".item h2") == "item 0")
    assert "bob: no" in browser.text(".item .problem") and "1 disagreeing" in browser.text(".progress")
    browser.press("j")
    until(lambda: browser.text(".item h2") == "item 1")
    DecisionLog(path, "anna").record("1", "no")
    browser.press("t")
    until(lambda: "anna has decided this item in another window (no)" in browser.text("p[role=alert]"))
    until(lambda: "You: no" in browser.text(".item"))
    assert latest(path)["1"] == "no"
    for i in range(8):
        browser.run("location.hash = '#/review?show=all&item=' + arguments[0]", i)
        until(lambda i=i: browser.text(".item h2") == f"item {i}")
        assert browser.run("return document.title") == "assay view"
        assert browser.run("return document.querySelectorAll('img, #app script, #app svg').length") == 0
    assert done().answered == 1
    assert [text for text in browser.complaints() if "409" not in text] == []


def test_a_review_survives_kill_of_the_server(browser: Browser, tmp_path: Path) -> None:
    command = ("view", str(DEMO), "--annotate", "out.jsonl", "--annotator", "anna")
    with served(*command, cwd=tmp_path) as (poster, process):
        browser.open(f"{poster.own}{poster.parts.path}")
        until(lambda: browser.texts(".marking"))
        for n in (1, 2):
            until(lambda n=n: f"segment {n}" in browser.text(".item h2"))  # a key before it is shown decides nothing
            browser.press("n")
            until(lambda n=n: f"{n} of 40 decided" in browser.text(".said"))
        until(lambda: "segment 3" in browser.text(".item h2"))
        process.kill()
        process.wait(10)
        browser.press("n")
        until(lambda: "does not respond. This decision was not saved" in browser.text("p[role=alert]"))
    with served(*command, cwd=tmp_path) as (poster, _):
        browser.open(f"{poster.own}{poster.parts.path}")
        until(lambda: "segment 3" in browser.text(".item h2"))
        assert "2 of 40 decided" in browser.text(".progress")
    browser.complaints()


ODD = "A 👩‍👩‍👧 family, cafe\u0301 culture and a \u202ehidden sign."
ARABIC = "مرحبا بالعالم الجديد"


def test_errors_are_marked_and_read_by_the_real_commands(browser: Browser, tmp_path: Path, capsys: Any) -> None:
    rows = [
        {
            "langpair": "en-de",
            "system": system,
            "segment": i,
            "src": "A source of words.",
            "mt": text,
            "ref": "Ein Text.",
        }
        for system in ("one", "two")
        for i, text in enumerate((ODD, ARABIC, "吾輩は猫である。", HOSTILE[0]), 1)
    ]
    texts, out = tmp_path / "texts.jsonl", tmp_path / "mqm.jsonl"
    texts.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with assay.view(texts, annotate=out, annotator="anna", browser=False) as viewing:
        browser.open(viewing.url)
        until(lambda: browser.texts(".marking"))

        def spans(number: int) -> list[Any]:
            cells = list(read_campaign(out).judgements.values()) if out.exists() else []
            return list(cells[number][0].spans) if len(cells) > number else []

        def focus(side: str) -> None:
            browser.run(f"document.querySelector('[data-side={side}] .marking').focus()")

        # With keys alone: the second word (an emoji of five code points), then one word more, then back by a sign.
        focus("target")
        browser.press(RIGHT + RIGHT + "3")
        until(lambda: len(spans(0)) == 1)
        assert (spans(0)[0].start, spans(0)[0].end, spans(0)[0].text) == (2, 7, "👩‍👩‍👧")
        browser.press(RIGHT * 3)
        until(lambda: "cafe\u0301" in browser.text(".quoted"))
        browser.chord([SHIFT], RIGHT)
        until(lambda: "cafe\u0301 culture" in browser.text(".quoted"))
        browser.chord([CONTROL], LEFT)
        until(lambda: "cafe\u0301 cultur”" in browser.text(".quoted"))
        browser.press(ENTER)
        assert browser.run("return document.activeElement.tagName") == "SELECT"
        browser.press("Gr" + TAB + RIGHT + ENTER)
        until(lambda: len(spans(0)) == 2)
        start = ODD.index("cafe")
        assert (spans(0)[1].start, spans(0)[1].text, spans(0)[1].severity) == (start, "cafe\u0301 cultur", "critical")
        assert spans(0)[1].category == "Fluency/Grammar"
        browser.sound("an annotation")
        # With the mouse: over the named bidi control, which stands for one character.
        browser.select("[data-side=target] .marking", "a ", "hidden")
        until(lambda: browser.texts(".marked-form"))
        press_button(browser, "Add error")
        until(lambda: len(spans(0)) == 3)
        assert spans(0)[2].text == "a \u202ehidden" and ODD[spans(0)[2].start : spans(0)[2].end] == spans(0)[2].text
        # What is missing stands in the source; edit and delete.
        focus("source")
        browser.press(RIGHT * 2 + "2")
        until(lambda: len(spans(0)) == 4)
        assert (spans(0)[3].side, spans(0)[3].text, spans(0)[3].category) == ("source", "source", "Accuracy/Omission")
        browser.click("[aria-label='Edit error 1']")
        browser.click(".levels input[value=neutral]")
        press_button(browser, "Change error")
        until(lambda: spans(0)[0].severity == "neutral")
        browser.click("[aria-label='Delete error 3']")
        until(lambda: len(spans(0)) == 3)
        browser.press("u")
        until(lambda: len(spans(0)) == 4)
        # Arabic: left is forward, and half a word is cut where Python cuts it.
        browser.press("j")
        until(lambda: "segment 2" in browser.text(".item h2"))
        focus("target")
        browser.press(LEFT + LEFT)
        until(lambda: "بالعالم" in browser.text(".quoted"))
        browser.chord([CONTROL], RIGHT)
        until(lambda: "بالعال”" in browser.text(".quoted"))
        browser.press("4")
        until(lambda: len(spans(1)) == 1)
        assert (spans(1)[0].start, spans(1)[0].end) == (6, 12) and ARABIC[6:12] == "بالعال"
        browser.press("j")
        until(lambda: "segment 3" in browser.text(".item h2"))
        browser.run("document.querySelector('[data-side=target] .marking').scrollIntoView({block: 'center'})")
        browser.click("[data-side=target] .marking")
        until(lambda: browser.texts(".marked-form"))
        browser.press("3")
        until(lambda: spans(2))
        assert spans(2)[0].text and len(spans(2)[0].text) < 8, "a click takes a word, also where there are no blanks"
        browser.press("j")
        until(lambda: "segment 4" in browser.text(".item h2"))
        assert HOSTILE[0] in browser.text("[data-side=target]") and browser.run("return document.title") == "assay view"
        browser.press("n")
        until(lambda: "4 of 8 decided" in browser.text(".said"))
        assert browser.complaints() == []
        for item, level in ((4, "1"), (5, "2"), (6, "3"), (7, "4")):
            until(lambda item=item: browser.run("return document.querySelector('.item').dataset.item") == str(item))
            focus("target")
            browser.press(RIGHT + level)
            until(lambda item=item: len(read_campaign(out).judgements) == item + 1)
            browser.press("j")
        until(lambda: "All items are decided" in browser.text("main"))
    # Neutral 0, critical 10, once more critical (the form remembers), minor 1; the file is what the commands read.
    first = next(iter(read_campaign(out).judgements.values()))[0]
    assert first.score == -21 and first.rater == "anna"
    assert main(["campaign", str(out), "--table", "systems", "--format", "json", "--samples", "50"]) == 0
    systems = json.loads(capsys.readouterr().out)["tables"]["systems"]
    assert {row["system"] for row in systems} == {"one", "two"}
    assert (
        main(["spans", str(out), "--predicted", f"self={out}", "--format", "json", "--samples", "50", "--trials", "50"])
        == 0
    )
    summary = json.loads(capsys.readouterr().out)["tables"]["summary"]
    assert summary[0]["f1"] == 1


def test_marks_inside_a_word_keep_arabic_joined(browser: Browser, tmp_path: Path) -> None:
    """A word is as wide with an error in its middle as without: letters that lose their neighbours have other forms."""
    word = "العالم"
    major, minor = {"start": 3, "end": 5, "severity": "major"}, {"start": 1, "end": 3, "severity": "minor"}
    rows = [{"mt": word, "langpair": "en-ar", "chrf": 1.0, "spans": marks} for marks in ([], [major], [minor, major])]
    path = tmp_path / "rows.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    with assay.view(path, browser=False) as viewing:
        browser.open(f"{viewing.url}#/segments?run=r0")
        until(lambda: len(browser.texts(".rows td.text bdi.text")) == 3)
        until(lambda: len(browser.texts(".sup")) == 3)
        time.sleep(0.1)
        wide = browser.run(
            "return [...document.querySelectorAll('.rows td.text bdi.text')].map((one) => {"
            "one.querySelectorAll('.sup').forEach((label) => label.remove()); return one.getBoundingClientRect().width})"
        )
        order = browser.run(
            "return [...document.querySelectorAll('.rows td.text bdi.text')].map((one) => one.textContent)"
        )
    assert max(wide) - min(wide) < 0.6 and order == [word] * 3
