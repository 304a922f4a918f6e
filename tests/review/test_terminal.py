from __future__ import annotations

import io
import os
import pty
import termios
from pathlib import Path

import pytest

from assay.core.review import Choice, Passage, Question, Reviewed
from assay.review.decisions import DecisionLog
from assay.review.terminal import read_keys, review

CHOICES = (Choice("p", "pass"), Choice("f", "fail"))


def ask(
    tmp_path: Path, typed: str, names: str = "abc", *, skipped: bool = False
) -> tuple[Reviewed, dict[str, str], str]:
    questions = [Question(name, f"question {name}", (Passage("", f"body of {name}"),), CHOICES) for name in names]
    decisions, said = DecisionLog(tmp_path / "d.jsonl"), io.StringIO()
    with read_keys(io.StringIO(typed)) as read:
        progress = review(questions, decisions, read, said.write, skipped=skipped)
    return progress, dict(decisions), said.getvalue()


def test_answers_are_kept(tmp_path: Path) -> None:
    progress, decisions, said = ask(tmp_path, "p\nf\ns\n")
    assert progress == Reviewed(answered=2, skipped=1, left=0)
    assert decisions == {"a": "pass", "b": "fail", "c": "skip"}
    assert "[2/3] question b\n  body of b\n" in said
    assert "(p) pass  (f) fail  (s) skip  (u) undo  (q) quit" in said


def test_review_goes_on_where_it_stopped(tmp_path: Path) -> None:
    assert ask(tmp_path, "p\nq\n")[0] == Reviewed(1, 0, 2)
    progress, decisions, said = ask(tmp_path, "fail\n")  # the end of the input stops it too
    assert progress == Reviewed(1, 0, 1)
    assert decisions == {"a": "pass", "b": "fail"}
    assert "question a" not in said
    assert ask(tmp_path, "P")[1] == {"a": "pass", "b": "fail", "c": "pass"}


def test_undo_asks_the_last_question_again(tmp_path: Path) -> None:
    progress, decisions, said = ask(tmp_path, "u\np\nf\nu\nu\nf\nf\np\n")
    assert progress == Reviewed(3, 0, 0)
    assert decisions == {"a": "fail", "b": "fail", "c": "pass"}
    assert "nothing to undo" in said


def test_skipped_questions_come_back_when_asked_for(tmp_path: Path) -> None:
    ask(tmp_path, "s\np\np\n")
    assert ask(tmp_path, "p\n")[0] == Reviewed(0, 0, 0)
    progress, decisions, _ = ask(tmp_path, "f\n", skipped=True)
    assert progress == Reviewed(1, 0, 0)
    assert decisions["a"] == "fail"


def test_wrong_keys_and_blank_lines_decide_nothing(tmp_path: Path) -> None:
    progress, decisions, said = ask(tmp_path, "x\n\n\np\n", "a")
    assert decisions == {"a": "pass"}
    assert "x? Press one of p, f, s, u, q." in said
    assert progress.answered == 1


def test_equal_questions_are_asked_once(tmp_path: Path) -> None:
    assert ask(tmp_path, "p\np\n", "aa")[0] == Reviewed(1, 0, 0)


def test_interrupt_keeps_what_was_decided(tmp_path: Path) -> None:
    pressed = iter("p")

    def read() -> str:
        for key in pressed:
            return key
        raise KeyboardInterrupt

    questions = [Question(name, name, (), CHOICES) for name in "ab"]
    decisions = DecisionLog(tmp_path / "d.jsonl")
    assert review(questions, decisions, read, lambda text: None) == Reviewed(1, 0, 1)
    assert dict(decisions) == {"a": "pass"}


def test_control_characters_of_foreign_text_do_not_reach_the_terminal(tmp_path: Path) -> None:
    said = io.StringIO()
    question = Question("a", "title", (Passage("", "red \x1b[31m text"),), CHOICES)
    with read_keys(io.StringIO("")) as read:
        review([question], DecisionLog(tmp_path / "d.jsonl"), read, said.write)
    assert "\x1b" not in said.getvalue()


@pytest.mark.parametrize("early", [b"", b"p", b"pf\x04"])
def test_terminal_needs_no_return_key_and_is_given_back(early: bytes) -> None:
    """Keys count whether they were typed before key mode began (a line then, for the terminal) or after."""
    controller, terminal = pty.openpty()
    with os.fdopen(terminal, encoding="utf-8") as stream:
        try:
            before = termios.tcgetattr(stream)
            os.write(controller, early)
            with read_keys(stream) as read:
                assert not termios.tcgetattr(stream)[3] & termios.ICANON
                os.write(controller, b"pf\x04"[len(early) :])
                assert [read(), read(), read()] == ["p", "f", None]
            assert termios.tcgetattr(stream) == before
        finally:
            os.close(controller)


def test_a_text_is_typed_in_key_mode(tmp_path: Path) -> None:
    controller, terminal = pty.openpty()
    question = Question("a", "question", (Passage("", "body"),), (*CHOICES, Choice("e", "edit")), "It was.")
    decisions, said = DecisionLog(tmp_path / "d.jsonl"), io.StringIO()
    with os.fdopen(terminal, encoding="utf-8") as stream:
        try:
            with read_keys(stream) as read:
                os.write(controller, "eIt iss\x7f ünlike.\n".encode())
                progress = review([question], decisions, read, said.write)
        finally:
            os.close(controller)
    assert progress == Reviewed(answered=1, skipped=0, left=0)
    assert dict(decisions) == {"a": "edit:It is ünlike."}


def test_an_edit_that_gives_nothing_asks_again(tmp_path: Path) -> None:
    question = Question("a", "question", (Passage("", "body"),), (*CHOICES, Choice("e", "edit")), "It was.")
    decisions, said = DecisionLog(tmp_path / "d.jsonl"), io.StringIO()
    with read_keys(io.StringIO("e\nIt was.\ne\n\np\n")) as read:
        review([question], decisions, read, said.write)
    assert dict(decisions) == {"a": "pass"}
    assert said.getvalue().count("question") == 3
