"""Judge prompts: the messages to a language model, and the format of its answer.

A prompt is a TOML file. assay's own are in ``assay/data/prompts``, and ``assay fetch gemba`` downloads GEMBA's
(`assay.io.judgements.gemba`). Placeholders such as ``{source}`` and ``{translation}`` are replaced with texts; other braces,
such as those in a JSON example, stay unchanged.
"""

from __future__ import annotations

import difflib
import hashlib
import json
import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib.resources import files
from pathlib import Path
from typing import Any, Literal

from assay.core.errors import InputError
from assay.core.schema import Place, typed
from assay.io.files.text import read_text

AnswerForm = Literal["number", "stars", "classes", "errors"]
PLACEHOLDERS = {
    "source": "source", "source_seg": "source", "translation": "translation", "target_seg": "translation",
    "reference": "reference", "reference_seg": "reference", "source_lang": "source_lang", "target_lang": "target_lang",
    "error_spans": "first_answer", "first_answer": "first_answer",
}  # fmt: skip
"""Placeholders and the texts that replace them; GEMBA's names are accepted too."""
_PLACE = re.compile(r"\{(" + "|".join(PLACEHOLDERS) + r")\}")
MOST_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Message:
    """One turn in a conversation."""

    content: str
    role: Literal["system", "user", "assistant", "developer"] = "user"


@dataclass(frozen=True, slots=True)
class FirstQuestion:
    """Question asked before the rating; its answer replaces ``{first_answer}`` and is parsed for errors."""

    messages: tuple[Message, ...]
    answer: Literal["errors", "text"] = "errors"
    max_tokens: int | None = None
    usual_tokens: int = 60


@dataclass(frozen=True, slots=True)
class Prompt:
    """Messages to a model, and how to read its answer."""

    messages: tuple[Message, ...]
    answer: AnswerForm
    name: str = "judge"
    version: str = "1"
    label: str = ""
    low: float | None = None
    high: float | None = None
    classes: tuple[str, ...] = ()
    points: dict[str, float] = field(default_factory=lambda: {"critical": 25.0, "major": 5.0, "minor": 1.0})
    """Points that an error of each severity takes off."""
    most_errors: int | None = None
    """The number of errors that count, the worst first."""
    max_tokens: int | None = None
    usual_tokens: int = 60
    """Tokens of a typical answer, for the cost estimate."""
    first: FirstQuestion | None = None
    licence: str = ""
    citation: str = ""
    about: str = ""

    @property
    def reads(self) -> frozenset[str]:
        """Return the texts that the prompt shows to the model: ``source``, ``reference``, ``source_lang`` …"""
        messages = (*self._first_messages, *self.messages)
        return frozenset(name for message in messages for name in _names(message))

    @property
    def _first_messages(self) -> tuple[Message, ...]:
        return self.first.messages if self.first is not None else ()

    @property
    def gives_spans(self) -> bool:
        """Return whether answers name errors."""
        return self.answer == "errors" or (self.first is not None and self.first.answer == "errors")

    @property
    def digest(self) -> str:
        """Return eight hexadecimal digits that depend on the wording and on how answers are read."""
        return hashlib.blake2b(self._content, digest_size=4).hexdigest()

    @property
    def sha256(self) -> str:
        """Return the SHA-256 of the same content, which identifies a third-party prompt."""
        return hashlib.sha256(self._content).hexdigest()

    @property
    def _content(self) -> bytes:
        turns = [[[turn.role, turn.content] for turn in step] for step in (self.messages, self._first_messages)]
        read = [self.answer, self.first and self.first.answer, self.classes, self.points, self.most_errors]
        return json.dumps([turns, read, self.low, self.high], sort_keys=True).encode()


def filled(messages: tuple[Message, ...], texts: Mapping[str, str]) -> list[dict[str, str]]:
    """Return the messages for an endpoint, with placeholders filled in. Placeholders inside the texts are not replaced."""

    def put(match: re.Match[str]) -> str:
        return texts[PLACEHOLDERS[match[1]]]

    return [{"role": message.role, "content": _PLACE.sub(put, message.content)} for message in messages]


def built_in(name: str) -> Prompt:
    """Return a prompt bundled with assay."""
    text = (files("assay") / "data" / "prompts" / f"{name}.toml").read_text(encoding="utf-8")
    return prompt_of(tomllib.loads(text), Place(f"{name}.toml"))


def from_file(path: str) -> Prompt:
    """Return a prompt from the user's file."""
    text = read_text(Path(path).expanduser(), MOST_BYTES)
    try:
        values = tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"{path} is not valid TOML: {' '.join(str(error).split()).rstrip('.')}. (docs/judges.md)"
        ) from None
    return prompt_of(values, Place(path))


def prompt_of(values: Any, place: Place) -> Prompt:
    """Build a prompt from a document; reject an invalid one."""
    prompt = typed(Prompt, values, place)
    problem = _problem(prompt)
    if problem:
        raise InputError(f"{place.file}: {problem} (docs/judges.md)")
    return prompt


def _problem(prompt: Prompt) -> str:
    """Return one sentence that describes the problem with a prompt; empty for a valid prompt."""
    if "translation" not in prompt.reads:
        return "no message contains the translation. Add {translation}."
    if prompt.answer in ("number", "stars") and (prompt.low is None or prompt.high is None):
        return "a rating needs a scale, such as low = 0 and high = 100."
    if prompt.low is not None and prompt.high is not None and prompt.low >= prompt.high:
        return f"its scale goes from low = {prompt.low:g} to high = {prompt.high:g}: high must be above low."
    if (typo := _find_typo(prompt)) is not None:
        return f"{{{typo[0]}}} is not a placeholder. Did you mean {{{typo[1]}}}?"
    if prompt.answer == "classes" and len(prompt.classes) < 2:
        return 'the classes are missing. List them, the worst first: classes = ["bad", "good"].'
    wrong = next((name for name in prompt.points if name not in ("critical", "major", "minor", "neutral")), None)
    if wrong is not None:
        return f"points are for critical, major, minor and neutral errors, not for {wrong!r}."
    later = any("first_answer" in _names(message) for message in prompt.messages)
    if later and prompt.first is None:
        return "{first_answer} is used, but there is no [first] step. Add one."
    return "" if prompt.messages and prompt.messages[-1].role == "user" else "the last message must have the role user."


def _find_typo(prompt: Prompt) -> tuple[str, str] | None:
    """Return a word in braces that resembles a placeholder, and that placeholder; other braces may be intentional."""
    for message in (*prompt._first_messages, *prompt.messages):
        for word in re.findall(r"\{([a-z_]+)\}", message.content):
            near = difflib.get_close_matches(word, PLACEHOLDERS, 1, 0.8)
            if near and word not in PLACEHOLDERS:
                return word, near[0]
    return None


def _names(message: Message) -> set[str]:
    return {PLACEHOLDERS[name] for name in _PLACE.findall(message.content)}
