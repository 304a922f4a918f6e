"""Error spans out of a language model's answer, in the forms that such prompts ask for.

- GEMBA-MQM and GEMBA-ESA (Kocmi and Federmann 2023): a heading for each severity, below it ``accuracy/omission - "quote"``.
- AutoMQM (Fernandes et al. 2023): ``'quote' - major/accuracy; 'quote' - minor/fluency``.
- JSON, fenced or not: a list of objects with a quote, a severity and perhaps a category; such a list under ``errors``; or lists
  by severity.

A model quotes the erroneous words instead of counting characters: each quote is looked for in the translation, an omission in
the source first. Whatever else the model says is passed over.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice
from re import _casefix as casefix  # type: ignore[attr-defined]
from typing import Any

from assay.core.errors import InputError
from assay.core.schema import shorten
from assay.core.spans import SEVERITIES, ErrorSpan, Side
from assay.io.documents import decode

MOST_ANSWER = 100_000
"""Characters of an answer that are read; a model that says more has lost its way."""
MOST_ELIDED = 300
"""Characters that an ellipsis in a quote may leave out."""
MOST_READINGS = 20
"""Closing quotation marks of a line that are tried as the end of its quote."""
MOST_PARTS = 20
"""Parts of a line between semicolons that are joined to find an error in them."""
MOST_ERRORS = 2_000
"""Errors of an answer; a model that names more has lost its way."""
_THOUGHTS = r"think|thinking|thoughts?|reasoning"
_THOUGHT = re.compile(
    rf"\A\s*<({_THOUGHTS})>.*?</\1>|\A.*?^[ \t]*</(?:{_THOUGHTS})>[ \t]*$", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
"""What a reasoning model writes to itself first; where its opening tag stands in the prompt's template, the closing one alone."""
_UNCLOSED = re.compile(rf"\A\s*<(?:{_THOUGHTS})>", re.IGNORECASE)
_LEVEL = "|".join(SEVERITIES)
_HEADING = re.compile(rf"[\W_]*+({_LEVEL})(?: errors?)?+[\s*_]*+(?::[\s*_]*+(.*)|[\W_]*+)", re.IGNORECASE)
_WORD = re.compile(rf"\b({_LEVEL})\b", re.IGNORECASE)
_CLEAN = re.compile(r"\bno[- ]?errors?\b|\bno (?:critical|major|minor)\b|\berror[- ]free\b", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:none|nothing|n/?a|no)\W*", re.IGNORECASE)
_OPEN, _CLOSE = "\"“„”«»「'‘’`", "\"”“»«」'’‘`"
_FENCE = re.compile(r"```[a-zA-Z]*\n?|```")
_QUOTES = ("quote", "span", "text", "error_span", "error span", "target_span", "marked_text", "error")
_CATEGORIES = ("category", "error_category", "type", "error_type", "class")


@dataclass(frozen=True, slots=True)
class NamedError:
    """One error as an answer names it: how bad, of which kind, and the words that are quoted (the likeliest reading first)."""

    severity: str
    category: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerSpans:
    """The errors of an answer as spans; `unlocated` are quotes that stand in neither text."""

    spans: tuple[ErrorSpan, ...] = ()
    unlocated: tuple[str, ...] = field(default=())


def read_answer(answer: str, translation: str, source: str = "") -> AnswerSpans:
    """The error spans that an answer names; one that neither names errors nor says that there are none is an InputError."""
    spans: list[ErrorSpan] = []
    unlocated = []
    texts: dict[Side, Searched] = {"target": Searched(translation), "source": Searched(source)}
    for error in named_errors(answer):
        span = _located(error, texts)
        if span is None:
            unlocated.append(error.quotes[0] if error.quotes else "")
        else:
            texts[span.side].taken.add((span.start, span.end))
            spans.append(span)
    return AnswerSpans(tuple(spans), tuple(unlocated))


def without_thoughts(answer: str) -> str:
    """What a model says, without what it thought aloud before it (``<think> … </think>``); nothing where that never ends."""
    said = _THOUGHT.sub("", answer, count=1)
    return "" if _UNCLOSED.match(said) else said


def named_errors(answer: str) -> list[NamedError]:
    """The errors that an answer names, in its order."""
    text = _FENCE.sub("", without_thoughts(answer)[:MOST_ANSWER]).strip()
    found = _of_json(text)
    if found is None:
        found = list(_of_lines(text))
        if not found and not (_CLEAN.search(text) or _NOTHING.fullmatch(text) or _empty_headings(text)):
            raise InputError(f"the answer {shorten(text)} names no error and does not say that there is none.")
    if len(found) > MOST_ERRORS:
        raise InputError(f"the answer {shorten(text)} names {len(found):,} errors, more than {MOST_ERRORS:,}.")
    return found


def _empty_headings(text: str) -> bool:
    """Whether an answer has the headings, down to the last, and nothing below any."""
    headings = [_HEADING.fullmatch(line) for line in text.splitlines() if line.strip()]
    named = {heading[1].lower() for heading in headings if heading and not heading[2]}
    return None not in headings and {"major", "minor"} <= named


def _of_json(text: str) -> list[NamedError] | None:
    """The errors of a JSON answer; None where it is none."""
    start = min((at for at in (text.find("["), text.find("{")) if at >= 0), default=-1)
    if start < 0:
        return None
    try:
        value = decode(text[start : max(text.rfind("]"), text.rfind("}")) + 1])
    except ValueError:
        return None
    objects = isinstance(value, dict) or (isinstance(value, list) and all(isinstance(one, dict) for one in value))
    return list(_of_value(value, None)) if objects and (value or start == 0) else None


def _of_value(value: Any, severity: str | None) -> Iterator[NamedError]:
    """Errors in a value of JSON: lists, lists by severity, objects, or plain quotes under a severity."""
    if isinstance(value, list):
        for one in value:
            yield from _of_value(one, severity)
    elif isinstance(value, str) and severity is not None:
        yield from _of_lines(f"{severity}:\n{value}")
    elif isinstance(value, dict):
        keys = {str(key).lower(): one for key, one in value.items()}
        level = str(keys.get("severity") or severity or "").lower()
        quote = next((keys[key] for key in _QUOTES if isinstance(keys.get(key), str)), None)
        if level in SEVERITIES and (quote is not None or "severity" in keys):
            category = next((str(keys[key]) for key in _CATEGORIES if keys.get(key)), "")
            yield NamedError(level, category.lower(), (quote,) if quote else ())
        elif "severity" in keys and level not in ("", "no-error", "none"):
            raise InputError(f"severity {shorten(keys['severity'])} is none of {', '.join(SEVERITIES)}.")
        else:
            for key, one in keys.items():
                if key in SEVERITIES or isinstance(one, list | dict):
                    yield from _of_value(one, key if key in SEVERITIES else severity)


def _of_lines(text: str) -> Iterator[NamedError]:
    """Errors of a plain answer: below headings of severities (GEMBA), or each with its own severity (AutoMQM)."""
    section: str | None = None
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            section = heading[1].lower()
            line = heading[2] or ""
        waiting: deque[str] = deque(maxlen=MOST_PARTS)
        for piece in line.split(";") if section is None else [line]:
            waiting.append(piece)
            error = _of_line(";".join(waiting).strip(" \t*•"), section)
            if error is not None:
                yield error
                waiting.clear()


def _of_line(line: str, section: str | None) -> NamedError | None:
    """``category - "quote"`` in a section, ``"quote" - severity/category`` without one; None for anything else."""
    line = re.sub(r"^(?:[-–•*]|\(?\d{1,3}[.)])\s+", "", line)
    if not line or _CLEAN.search(line) or _NOTHING.fullmatch(line):
        return None
    quotes, before, after = _quoted(line)
    if not quotes:
        left, dash, right = (part.strip() for part in _parted(line))
        if not dash and section is None:
            return None
        (before, quotes) = (left, (right,) if right else ()) if section is not None else ("", (left,))
        after = "" if section is not None else right
    rest = before or after if section is not None else after if _WORD.search(after) else before
    said = _WORD.search(rest)
    severity = section or (said[1].lower() if said else None)
    if severity is None:
        return None
    category = _WORD.sub("", rest) if section is None else rest
    category = re.sub(r"(?<!\s)\s*+/\s*+", "/", re.sub(r"\(\s*\)", "", category)).strip(" -–—/:,.;").lower()
    return NamedError(severity, category, quotes)


def _parted(line: str) -> tuple[str, str, str]:
    """A line before and after its dash: the last one that stands between blanks."""
    match = re.search(r"^(.*)\s[-–—]\s(.*)$", line)
    return (match[1], "-", match[2]) if match else (line, "", "")


def _quoted(line: str) -> tuple[tuple[str, ...], str, str]:
    """The readings of what a line quotes, and what stands before and behind the first of them.

    A quote may hold quotation marks, and a remark behind it may quote too: every closing mark is a possible end.
    """
    opening = next(
        (at for at, char in enumerate(line) if char in _OPEN and (at == 0 or line[at - 1] in " \t-–—:(/")), None
    )
    if opening is None:
        return (), "", ""
    closing = (
        at
        for at in range(opening + 1, len(line))
        if line[at] in _CLOSE and (at + 1 == len(line) or not line[at + 1].isalnum())
    )
    ends = list(islice(closing, MOST_READINGS))
    readings = [line[opening + 1 : end] for end in ends if end > opening + 1]
    if not readings:
        return (), "", ""
    return tuple(readings), line[:opening].strip(), line[opening + len(readings[0]) + 2 :].strip()


class Searched:
    """A text in which quotes are searched, whatever their case and whitespace, in time that is linear in both.

    `taken` are the places that errors of the answer have already.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.taken: set[tuple[int, int]] = set()

    @cached_property
    def folded(self) -> str:
        """The text without case, sign by sign."""
        return _folded(self.text)

    @cached_property
    def _words(self) -> tuple[str, list[int]]:
        """The folded text with one blank for each run of whitespace, and where its signs stand in the text."""
        signs, places = list[str](), list[int]()
        for place, sign in enumerate(self.folded):
            blank = self.text[place].isspace()
            if not (blank and signs and signs[-1] == " "):
                signs.append(" " if blank else sign)
                places.append(place)
        return "".join(signs), places

    def whole(self, quote: str) -> list[tuple[int, int]]:
        """Return the places of a quote, one after the other."""
        wanted = " ".join(_folded(quote).split())
        text, places = self._words
        found, at = list[tuple[int, int]](), text.find(wanted) if wanted else -1
        while at >= 0:
            end = at + len(wanted)
            found.append((places[at], places[end - 1] + 1))
            at = text.find(wanted, end)
        return found

    def elided(self, quote: str) -> list[tuple[int, int]]:
        """Return the first place of a quote with an ellipsis, from its first part to its last.

        Each part is searched once, behind the part before it.
        """
        parts = [part.strip() for part in re.split(r"\.\.\.|…|\[\.\.\.\]", _folded(quote)) if part.strip()]
        if len(parts) < 2:
            return []
        start = end = -1
        for part in parts:
            limit = len(self.text) if end < 0 else end + MOST_ELIDED + len(part)
            at = self.folded.find(part, max(end, 0), limit)
            if at < 0:
                return []
            start, end = (at if start < 0 else start), at + len(part)
        return [(start, end)]


def _folded(text: str) -> str:
    """The text without case, each sign one sign: what the `re` module takes for equal under IGNORECASE."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(sign.lower()[0] for sign in text)
    return lower if lower.isascii() else lower.translate(_ALIKE)


_ALIKE = {code: min(code, *others) for code, others in casefix._EXTRA_CASES.items()}
"""Small letters that are one letter under IGNORECASE, such as the two forms of sigma."""


def _located(error: NamedError, texts: Mapping[Side, Searched]) -> ErrorSpan | None:
    """Where the quoted words stand; of several readings the longest that stands somewhere."""
    if not error.quotes:
        whole, text = error.category.startswith("non-translation"), texts["target"].text
        return ErrorSpan.of(text, 0, len(text), error.severity, error.category) if whole else None
    sides: list[Side] = ["target", "source"]
    for side in reversed(sides) if "omission" in error.category else sides:
        for quote in sorted(error.quotes, key=len, reverse=True):
            place = _place(quote, texts[side])
            if place is not None:
                return ErrorSpan.of(texts[side].text, *place, error.severity, error.category, side)
    return None


def _place(quote: str, searched: Searched) -> tuple[int, int] | None:
    """The first place of a quote that no other error of the answer has, else the first: as it stands, else with other
    blanks and case, else from its first to its last part where it leaves words out (``…``)."""
    for search in (searched.whole, searched.elided):
        places = search(quote)
        exact = [place for place in places if searched.text[slice(*place)] == quote]
        if places:
            return next((place for place in exact or places if place not in searched.taken), (exact or places)[0])
    return None
