"""Review in a plain terminal: one question at a time, one key per answer, every answer stored immediately.

It shows any `Question` and stores the chosen word under the question's id. ``s`` skips a question (until a review with
`skipped`), ``u`` undoes the last answer, and ``q`` quits; the next call resumes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, TextIO

from assay.core.review import AskQuestions, Choice, Question, Reviewed
from assay.review.decisions import EDIT, DecisionLog, edit_decision

SKIP, UNDO, QUIT = Choice("s", "skip"), Choice("u", "undo"), Choice("q", "quit")

END_OF_INPUT = ("\x04", "\x00")
"""Ctrl-D in key mode, and as Linux passes it on if it was typed before key mode began."""

Read = Callable[[], str | None]
"""A function that returns the next key, or None at the end of the input."""


def review(
    questions: Sequence[Question],
    decisions: DecisionLog,
    read: Read,
    write: Callable[[str], Any],
    *,
    skipped: bool = False,
) -> Reviewed:
    """Ask every question without a decision and, with `skipped`, those that were skipped before.

    The choice ``edit`` reads a line, and asks again if the line is empty or unchanged.
    """
    open_questions = [
        question
        for question in {question.id: question for question in questions}.values()
        if question.id not in decisions or (skipped and decisions[question.id] == SKIP.name)
    ]
    answers: list[str] = []
    try:
        while len(answers) < len(open_questions):
            question = open_questions[len(answers)]
            write(format_question(question, len(answers) + 1, len(open_questions)))
            choice = _answer(question, read, write)
            if choice is QUIT:
                break
            if choice is not UNDO:
                decided = choice.name
                if choice.name == EDIT:
                    typed = edit_decision(question, _typed("  text: ", read, write))
                    if typed is None:
                        continue
                    decided = typed
                decisions.record(question.id, decided)
                answers.append(choice.name)
            elif answers:
                answers.pop()
                decisions.undo(open_questions[len(answers)].id)
            else:
                write("nothing to undo.\n")
    except KeyboardInterrupt:
        write("\n")
    set_aside = answers.count(SKIP.name)
    return Reviewed(len(answers) - set_aside, set_aside, len(open_questions) - len(answers))


def format_question(question: Question, number: int, total: int) -> str:
    """Return the text of one question, with control characters made visible."""
    lines = [f"[{number:,}/{total:,}] {question.title}", *(f"  {line}" for line in question.body)]
    return "\n" + "\n".join(_printable(line) for line in lines) + "\n"


def _answer(question: Question, read: Read, write: Callable[[str], Any]) -> Choice:
    """Read keys until one is an answer; the end of input means quit."""
    choices = {choice.key: choice for choice in (*question.choices, SKIP, UNDO, QUIT)}
    prompt = "  ".join(f"({key}) {choice.name}" for key, choice in choices.items())
    while True:
        write(f"  {prompt}: ")
        key = read()
        if key is None:
            write("\n")
            return QUIT
        choice = choices.get(key.lower())
        write(f"{choice.name}\n" if choice else f"{_printable(key)}? Press one of {', '.join(choices)}.\n")
        if choice:
            return choice


def _typed(prompt: str, read: Read, write: Callable[[str], Any]) -> str | None:
    """Read a whole line: from a reader with `line`, else key by key with an echo."""
    write(prompt)
    read_line = getattr(read, "line", None)
    if read_line is not None:
        text: str | None = read_line()
        return text
    typed: list[str] = []
    while (key := read()) is not None and key not in ("\n", "\r"):
        if key in ("\x7f", "\b"):
            if typed:
                typed.pop()
                write("\b \b")
        else:
            typed.append(key)
            write(key)
    write("\n")
    return None if key is None else "".join(typed)


def _printable(text: str) -> str:
    return "".join(character if character.isprintable() else "\N{REPLACEMENT CHARACTER}" for character in text)


def terminal_review(
    stream: TextIO, write: Callable[[str], Any], decisions: DecisionLog, *, skipped: bool = False
) -> AskQuestions:
    """Return a function that asks questions with the keys of a terminal, or the lines of a file, from `stream`."""

    def ask(questions: Sequence[Question]) -> Reviewed:
        with read_keys(stream) as read:
            return review(questions, decisions, read, write, skipped=skipped)

    return ask


@contextmanager
def read_keys(stream: TextIO) -> Iterator[Read]:
    """Read keys of a terminal on press; from any other stream, the first character of each line.

    A terminal stays in key mode for the whole review: switching back between questions would lose an end of input.
    """
    try:
        import termios
        import tty
    except ImportError:  # Windows: keys need Enter
        yield _Lines(stream)
        return
    if not stream.isatty():
        yield _Lines(stream)
        return
    before = termios.tcgetattr(stream)
    try:
        tty.setcbreak(stream, termios.TCSADRAIN)
        yield lambda: _press(stream)
    finally:
        termios.tcsetattr(stream, termios.TCSADRAIN, before)


class _Lines:
    """Reader of a stream that is not a terminal."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream

    def __call__(self) -> str | None:
        """Return the first character of the next line that is not empty."""
        while line := self.stream.readline():
            if line.strip():
                return line.strip()[0]
        return None

    def line(self) -> str | None:
        """Return the next line unchanged."""
        line = self.stream.readline()
        return line.rstrip("\r\n") if line else None


def _press(stream: TextIO) -> str | None:
    key = stream.read(1)
    return None if key in ("", *END_OF_INPUT) else key
