"""Interfaces for a downstream task, its model, and its translators.

A `Task` provides parallel examples. A `Translator` translates the input into the task's language, a `TaskModel` (a parser,
an answerer, a tracker) answers, and `Task.succeeds` checks whether the answer is correct. An example counts only if the
model succeeds on the human text in the task language. Whether it also succeeds on the translation is the outcome; a failure
is a breakdown.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

ControlledError = Callable[[str, Any], tuple[str, str] | None]
"""``(text, rng) -> (text with one error, type of the error)``, or None if the error does not fit the text."""

Judge = Callable[[Sequence[Mapping[str, Any]]], Sequence[Any]]
"""Rows of a table in, one outcome per row out: success, breakdown, a grade from 0 to 1, or ``skip``; None if the judge failed."""


def error(function: ControlledError) -> ControlledError:
    """Mark a function as a controlled error; ``--error module:function`` calls only marked functions.

    Args:
        function: Takes a text and a random generator; returns the text with one error and the type of the error, or None.

    Returns:
        The same function.

    Example:
        >>> from assay import error
        >>> @error
        ... def lowercase(text, rng):
        ...     return text.lower(), "capitals"
    """
    vars(function)["controlled_error"] = True
    return function


def is_controlled_error(function: object) -> bool:
    """Return whether a function is marked with `error`."""
    return getattr(function, "controlled_error", False) is True


@dataclass(frozen=True, slots=True)
class Example:
    """One task example: its input in the task language and in other languages, and the expected answer.

    `inputs` has one or more named texts (``utterance``; ``question`` and ``context``) in the task language. `translations` maps
    a language to the same names in that language, translated by people. A name that is in `inputs` but not in a language's
    translations (a dialogue's oracle history) is not translated: the model gets it unchanged. `split` is ``dev``, ``test``,
    or ``dev+test`` for an example in both splits.
    """

    id: str
    inputs: Mapping[str, str]
    translations: Mapping[str, Mapping[str, str]]
    expected: Any
    split: str = "test"
    meta: Mapping[str, Any] = field(default_factory=dict)
    absent: Mapping[str, str] = field(default_factory=dict)
    """Why a language is missing from the translations, for languages with a known reason."""


@runtime_checkable
class Translator(Protocol):
    """Interface of anything that translates: a program, a model, or a file with existing translations."""

    name: str

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        """Return one translation per text; None if it failed (a crash or a time-out must not end the run)."""


class TaskModel(Protocol):
    """Interface of anything that answers a task's input in the task language."""

    name: str

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[Any]:
        """Return one answer per input."""


class Task(ABC):
    """Downstream task with its examples and success criterion."""

    name: str
    language: str = "en"
    """The task language: the language that the model understands."""

    @abstractmethod
    def examples(self) -> Sequence[Example]:
        """Return all examples in the development and test splits."""

    def omitted(self) -> Mapping[str, int]:
        """Return the number of examples in the data that `examples` leaves out in every language, by reason."""
        return {}

    @abstractmethod
    def model(self) -> TaskModel:
        """Return the task's default model, ready to answer."""

    @abstractmethod
    def succeeds(self, example: Example, answer: Any) -> bool:
        """Return whether an answer is correct for an example."""
