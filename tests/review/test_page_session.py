from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.core.errors import AssayError
from assay.core.review import Choice, Passage, Question, Reviewed, Stale
from assay.review.decisions import DecisionLog
from assay.review.page_session import QuestionSession

CHOICES = (Choice("a", "accept"), Choice("r", "reject"), Choice("e", "edit"))


def session(path: Path, who: str = "anna", names: str = "abc") -> QuestionSession:
    questions = [Question(name, f"question {name}", (Passage("text", name),), CHOICES, f"old {name}") for name in names]
    return QuestionSession(questions, DecisionLog(path, who), "Title")


def said(item: int, choice: str, seen: str = "", **more: Any) -> dict[str, Any]:
    return {"item": item, "choice": choice, "seen": seen, **more}


def test_decisions_are_those_of_the_terminal(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    mine = session(path)
    assert mine.order("undecided") == [0, 1, 2]
    kept = mine.decide(said(0, "accept"))
    assert kept["item"]["mine"] == "accept" and kept["counts"]["undecided"] == 2
    mine.decide(said(1, "skip"))
    mine.decide(said(2, "edit", text="a new text"))
    assert dict(DecisionLog(path)) == {"a": "accept", "b": "skip", "c": "edit:a new text"}
    assert mine.order("undecided") == [] and mine.order("skipped") == [1] and mine.order("mine") == [0, 2]
    assert mine.item(2)["editable"] == "a new text"
    mine.decide(said(0, "undo", "accept"))
    assert "a" not in DecisionLog(path) and mine.summary() == Reviewed(answered=1, skipped=1, left=1)


def test_two_people_are_both_kept_and_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    anna, bob = session(path), session(path, "bob")
    anna.decide(said(0, "accept"))
    before = bob.item(0)
    assert before["others"] == {} and before["waiting"] == 1, "nobody is led by what another said"
    assert bob.order("others") == [0]
    after = bob.decide(said(0, "reject"))["item"]
    assert after["others"] == {"anna": "accept"} and anna.order("disagreeing") == bob.order("disagreeing") == [0]
    assert DecisionLog(path).people("a") == {"anna": "accept", "bob": "reject"} and DecisionLog(path)["a"] == "reject"
    bob.decide(said(0, "undo", "reject"))
    assert DecisionLog(path)["a"] == "accept", "an undo takes back one's own word, not another's"


def test_a_stale_view_is_told_and_writes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "d.jsonl"
    one, two = session(path), session(path)
    one.decide(said(0, "accept"))
    before = path.read_bytes()
    with pytest.raises(Stale, match=r"anna has decided this item in another window \(accept\)"):
        two.decide(said(0, "reject"))
    assert path.read_bytes() == before
    two.decide(said(0, "reject", "accept"))
    assert dict(DecisionLog(path)) == {"a": "reject"}


@pytest.mark.parametrize(
    "wrong",
    [
        [], None, "x", {}, said(3, "accept"), said(0, "pass"), said(0, "edit", text=" "), said(0, "edit", text="old a"),
        said(0, "edit", text="two\nlines"), said(0, "edit:x"), said(0, "undo"), {**said(0, "accept"), "who": "eve"},
        said("0", "accept"), said(-1, "accept"), said(True, "accept"), said(0, "accept", 5),  # type: ignore[arg-type]
    ],
)  # fmt: skip
def test_what_is_no_decision_is_refused_in_a_sentence(tmp_path: Path, wrong: Any) -> None:
    mine = session(tmp_path / "d.jsonl")
    with pytest.raises(AssayError) as caught:
        mine.decide(wrong)
    assert "\n" not in str(caught.value) and not (tmp_path / "d.jsonl").exists()
