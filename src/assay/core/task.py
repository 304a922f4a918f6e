"""The contract of a downstream task: what reads the translation, and whether it still succeeds.

A `Task` brings parallel examples; a `Translator` turns foreign input into the task's language; a `TaskModel` (a parser, an
answerer, a tracker) answers, and `Task.succeeds` says whether the answer is right. An example counts only when the model
succeeds on the human text in the task language; whether it also succeeds on the translation is the outcome (a breakdown when it
does not).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

ControlledError = Callable[[str, Any], tuple[str, str] | None]
"""``(text, rng) -> (text with one error, type of the error)``, or None where the error does not fit the text."""

Judge = Callable[[Sequence[Mapping[str, Any]]], Sequence[Any]]
"""Rows of a table in, an outcome for each out: success, breakdown, a grade from 0 to 1, or ``skip``; None where it failed."""


def error(function: ControlledError) -> ControlledError:
    """Mark a function as a controlled error, so that ``--error module:function`` may call it."""
    vars(function)["controlled_error"] = True
    return function


def is_error(function: object) -> bool:
    """Whether `error` stands above a function."""
    return getattr(function, "controlled_error", False) is True


@dataclass(frozen=True, slots=True)
class Example:
    """One task example: its input in the task language and in others, and what is expected.

    `inputs` has one or more named texts (``utterance``; ``question`` and ``context``) in the task language;
    `translations` maps a language to the same names in that language (written by people). A name that stands in `inputs`
    but not in a language's translations (a dialogue's oracle history) is not translated: the model gets it as it is.
    `split` is ``dev``, ``test``, or ``dev+test`` for an example that takes part in both.
    """

    id: str
    inputs: Mapping[str, str]
    translations: Mapping[str, Mapping[str, str]]
    expected: Any
    split: str = "test"
    meta: Mapping[str, Any] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    """Why a language is not among the translations, for languages whose reason is known."""


@runtime_checkable
class Translator(Protocol):
    """Anything that translates: a program, a model, a file of ready translations."""

    name: str

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """One translation a text; None where it failed (a crash or a time-out must not end the run)."""


class TaskModel(Protocol):
    """Anything that answers a task's input in the task language."""

    name: str

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[Any]:
        """One answer an input."""


class Task(ABC):
    """A downstream task with its examples and its own measure of success."""

    name: str
    language: str = "en"
    """The task language: what the model understands."""

    @abstractmethod
    def examples(self) -> Sequence[Example]:
        """All examples, development and test parts together."""

    def omitted(self) -> Mapping[str, int]:
        """How many examples of the data `examples` leaves out in every language, by reason."""
        return {}

    @abstractmethod
    def model(self) -> TaskModel:
        """The task's own model, ready to answer."""

    @abstractmethod
    def succeeds(self, example: Example, answer: Any) -> bool:
        """Whether an answer is right for an example."""
