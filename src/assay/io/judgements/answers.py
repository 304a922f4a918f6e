"""Parser of error spans in a language model's answer.

- GEMBA-MQM and GEMBA-ESA (Kocmi and Federmann 2023): a heading per severity, below it ``accuracy/omission - "quote"``.
- AutoMQM (Fernandes et al. 2023): ``'quote' - major/accuracy; 'quote' - minor/fluency``.
- JSON, fenced or not: a list of objects with a quote, a severity and perhaps a category; such a list under ``errors``; or
  lists by severity.

A model quotes the erroneous words instead of counting characters. Each quote is looked up in the translation, or for an
omission in the source first. Below a heading, a line is an error if it quotes something or begins with an MQM category. A
line such as "no issues", "-" or "无" reports no error. Any other line is reported as unread.
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
"""Characters of an answer that are read; a longer answer is out of control."""
MOST_ELIDED = 300
"""Characters that an ellipsis in a quote may omit."""
MOST_READINGS = 20
"""Closing quotation marks of a line that are tried as the end of its quote."""
MOST_PARTS = 20
"""Parts of a line between semicolons that are joined to find an error."""
MOST_ERRORS = 2_000
"""Errors of an answer; a longer list is out of control."""
_THOUGHTS = r"think|thinking|thoughts?|reasoning"
_THOUGHT = re.compile(
    rf"\A\s*<({_THOUGHTS})>.*?</\1>|\A.*?^[ \t]*</(?:{_THOUGHTS})>[ \t]*$", re.DOTALL | re.IGNORECASE | re.MULTILINE
)
"""The reasoning before an answer; if its opening tag is in the prompt's template, only the closing tag appears."""
_UNCLOSED = re.compile(rf"\A\s*<(?:{_THOUGHTS})>", re.IGNORECASE)
_LEVEL = "|".join(SEVERITIES)
_HEADING = re.compile(rf"[\W_]*+({_LEVEL})(?: errors?)?+[\s*_]*+(?::[\s*_]*+(.*)|[\W_]*+)", re.IGNORECASE)
_WORD = re.compile(rf"\b({_LEVEL})\b", re.IGNORECASE)
_CLEAN = re.compile(r"\bno[- ]?errors?\b|\bno (?:critical|major|minor)\b|\berror[- ]free\b", re.IGNORECASE)
_NOTHING = re.compile(r"\W*(?:none|nothing|n/?a|no)\W*", re.IGNORECASE)
_FAULTS = (
    r"errors?|issues?|problems?|mistakes?|fehler|probleme?|erreurs?|problèmes?|errore?s|errori|problemas?|erros|fouten|"
    r"ошибок|ошибки|проблем|błędów|chyby|错误|錯誤|问题|問題|エラー|誤り|오류|문제"
)
_NONE_HERE = re.compile(
    r"\W*+(?:(?:there (?:are|were|is|was) )?+(?:none|nothing|n/?a|nil|null|no|0|zero|keine?"
    r"|nichts|aucune?|néant|rien|ningun[oa]?|ningún|nada|sin|nessun[oa]?"
    r"|nenhum[a]?|geen|нет|не обнаружено|brak|žádné|无|無|没有|沒有|未发现|未發現"
    r"|なし|ない|없음|없습니다|لا يوجد)"
    rf"(?:[\W_]*+(?:critical|major|minor|such|other|obvious|translation"
    rf"|发现|發現|任何|明显|明顯|{_FAULTS}))*+"
    r"(?:\s++(?:were |was |are |is )?(?:found|detected|identified|observed|noted|present|here|gefunden|vorhanden))?+"
    r"(?:\s++in (?:this|the) \w++)?+)?+"
    rf"(?:[\W_]*+(?:{_FAULTS})?+[\W_]*+(?:なし|ない|없음))?+\W*+",
    re.IGNORECASE,
)
"""A line below a heading that reports no such error."""
_TOPICS = (
    r"accuracy|addition|mis-?translation|omission|untranslated(?: text)?|creative reinterpretation|fluency|character encoding|"
    r"grammar|grammatical|inconsisten(?:t|cy)|punctuation|register|spelling|locale(?: convention)?|"
    r"(?:address|currency|date|name|telephone|time) format|style|stylistic|awkward|(?:bad )?sentence structure|terminology|"
    r"inappropriate(?: for context)?|non-?translation!?|source (?:issue|error)|other|hallucination|"
    r"(?:wrong|incorrect) (?:word|term|translation)|word order"
)
_CATEGORY = re.compile(
    rf"[\W_]*+(?:{_TOPICS})(?:\s++(?:errors?|issues?|problems?|use|of|in|for|to)\b|[\s*_]*+(?:[-–—:,;/()\[.]|$))",
    re.IGNORECASE,
)
"""The beginning of a line that names an MQM category."""
_OPEN, _CLOSE = "\"“„”«»「'‘’`", "\"”“»«」'’‘`"
_FENCE = re.compile(r"```[a-zA-Z]*\n?|```")
_QUOTES = ("quote", "span", "text", "error_span", "error span", "target_span", "marked_text", "error")
_CATEGORIES = ("category", "error_category", "type", "error_type", "class")


@dataclass(frozen=True, slots=True)
class NamedError:
    """One error in an answer: severity, category, and the quoted words (the likeliest reading first)."""

    severity: str
    category: str
    quotes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerSpans:
    """Errors in an answer as spans."""

    spans: tuple[ErrorSpan, ...] = ()
    unlocated: tuple[str, ...] = ()
    """Quotes that neither text contains."""
    unread: tuple[str, ...] = ()
    """Lines below a heading that neither name an error nor report that there is none."""


@dataclass
class NamedErrors:
    """Errors in an answer, in order of appearance, and the content below its headings."""

    errors: list[NamedError] = field(default_factory=list)
    unread: list[str] = field(default_factory=list)
    """Lines below a heading that neither name an error nor report that there is none."""
    none: set[str] = field(default_factory=set)
    """Headings that are followed by a report of no error."""
    doubtful: set[str] = field(default_factory=set)
    """Headings that are followed by unread lines."""

    def is_clean(self) -> bool:
        """Return whether the answer reports no error under any heading, including major and minor."""
        return not self.errors and {"major", "minor"} <= self.none and self.doubtful <= self.none


def read_answer(answer: str, translation: str, source: str = "") -> AnswerSpans:
    """Return the error spans in an answer.

    Args:
        answer: The model's text.
        translation: The text in which quotes are searched.
        source: The source, for omissions.

    Raises:
        InputError: The answer neither names errors nor reports that there are none.
    """
    spans: list[ErrorSpan] = []
    unlocated = []
    texts: dict[Side, SearchText] = {"target": SearchText(translation), "source": SearchText(source)}
    named = read_errors(answer)
    for error in named.errors:
        span = _locate(error, texts)
        if span is None:
            unlocated.append(error.quotes[0] if error.quotes else "")
        else:
            texts[span.side].taken.add((span.start, span.end))
            spans.append(span)
    return AnswerSpans(tuple(spans), tuple(unlocated), tuple(named.unread))


def without_thoughts(answer: str) -> str:
    """Return an answer without the reasoning before it (``<think> … </think>``); empty if the reasoning never ends."""
    rest = _THOUGHT.sub("", answer, count=1)
    return "" if _UNCLOSED.match(rest) else rest


def named_errors(answer: str) -> list[NamedError]:
    """Return the errors in an answer, in order of appearance."""
    return read_errors(answer).errors


def read_errors(answer: str) -> NamedErrors:
    """Return the content of an answer; reject one that neither names errors nor reports that there are none."""
    text = _FENCE.sub("", without_thoughts(answer)[:MOST_ANSWER]).strip()
    named = _parse_json(text)
    if named is None:
        named = _parse_lines(text)
        clean = named.is_clean() or _CLEAN.search(text) or _NOTHING.fullmatch(text) or _empty_headings(text)
        if not named.errors and not clean:
            raise InputError(f"the answer {shorten(text)} neither lists an error nor states that there are none.")
    if len(named.errors) > MOST_ERRORS:
        raise InputError(
            f"the answer {shorten(text)} lists {len(named.errors):,} errors, more than the maximum of {MOST_ERRORS:,}."
        )
    return named


def _empty_headings(text: str) -> bool:
    """Return whether an answer consists of all headings and nothing else."""
    headings = [_HEADING.fullmatch(line) for line in text.splitlines() if line.strip()]
    named = {heading[1].lower() for heading in headings if heading and not heading[2]}
    return None not in headings and {"major", "minor"} <= named


def _parse_json(text: str) -> NamedErrors | None:
    """Return the errors in a JSON answer; None if it is not JSON."""
    start = min((at for at in (text.find("["), text.find("{")) if at >= 0), default=-1)
    if start < 0:
        return None
    try:
        value = decode(text[start : max(text.rfind("]"), text.rfind("}")) + 1])
    except ValueError:
        return None
    objects = isinstance(value, dict) or (isinstance(value, list) and all(isinstance(one, dict) for one in value))
    return NamedErrors(list(_errors_in(value, None))) if objects and (value or start == 0) else None


def _errors_in(value: Any, severity: str | None) -> Iterator[NamedError]:
    """Yield the errors in a JSON value: lists, lists by severity, objects, or plain quotes under a severity."""
    if isinstance(value, list):
        for one in value:
            yield from _errors_in(one, severity)
    elif isinstance(value, str) and severity is not None:
        named = _parse_lines(f"{severity}:\n{value}")
        yield from named.errors
        yield from (NamedError(severity, "", (line,)) for line in named.unread)
    elif isinstance(value, dict):
        keys = {str(key).lower(): one for key, one in value.items()}
        level = str(keys.get("severity") or severity or "").lower()
        quote = next((keys[key] for key in _QUOTES if isinstance(keys.get(key), str)), None)
        if level in SEVERITIES and (quote is not None or "severity" in keys):
            category = next((str(keys[key]) for key in _CATEGORIES if keys.get(key)), "")
            yield NamedError(level, category.lower(), (quote,) if quote else ())
        elif "severity" in keys and level not in ("", "no-error", "none"):
            raise InputError(f"severity {shorten(keys['severity'])} is unknown. Use {', '.join(SEVERITIES)}.")
        else:
            for key, one in keys.items():
                if key in SEVERITIES or isinstance(one, list | dict):
                    yield from _errors_in(one, key if key in SEVERITIES else severity)


def _parse_lines(text: str) -> NamedErrors:
    """Return the errors in a plain-text answer: below severity headings (GEMBA), or each with its own severity (AutoMQM)."""
    named = NamedErrors()
    section: str | None = None
    for line in text.splitlines():
        heading = _HEADING.fullmatch(line)
        if heading:
            section = heading[1].lower()
            line = heading[2] or ""
        if section is not None:
            _parse_below_heading(section, line.strip(), named)
            continue
        waiting: deque[str] = deque(maxlen=MOST_PARTS)
        for piece in line.split(";"):
            waiting.append(piece)
            error = _parse_marked_line(";".join(waiting).strip(" \t*•"))
            if error is not None:
                named.errors.append(error)
                waiting.clear()
    return named


def _parse_below_heading(section: str, line: str, named: NamedErrors) -> None:
    """Parse a line below a heading: ``category - "quote"``, a category alone, or a statement that there is no error."""
    if not line:
        return
    line = _without_bullet(line.strip(" \t*•"))
    quotes, before, after = _find_quotes(line)
    if quotes:
        if _CLEAN.search(f"{before} {after}"):
            named.none.add(section)
        else:
            named.errors.append(NamedError(section, _category(before or after), quotes))
        return
    left, _, right = (part.strip() for part in _split_at_dash(line))
    if _CATEGORY.match(right) and not _CATEGORY.match(left):
        left, right = right, left
    if _CLEAN.search(line) or _NONE_HERE.fullmatch(line):
        named.none.add(section)
    elif not _CATEGORY.match(left):
        named.unread.append(line)
        named.doubtful.add(section)
    elif _reports_none(left, right):
        named.none.add(section)
    else:
        named.errors.append(NamedError(section, _category(left), (right,) if right else ()))


def _reports_none(category: str, words: str) -> bool:
    """Return whether the words after a category mean "no error": ``accuracy: none``, ``fluency - n/a``."""
    words = words or category.partition(":")[2].strip()
    return bool(words) and _NONE_HERE.fullmatch(words) is not None


def _parse_marked_line(line: str) -> NamedError | None:
    """Parse a line without a heading, ``"quote" - severity/category``; None for anything else."""
    line = _without_bullet(line)
    if not line or _CLEAN.search(line) or _NOTHING.fullmatch(line):
        return None
    quotes, before, after = _find_quotes(line)
    if not quotes:
        left, dash, right = (part.strip() for part in _split_at_dash(line))
        if not dash:
            return None
        before, quotes, after = "", (left,), right
    rest = after if _WORD.search(after) else before
    level = _WORD.search(rest)
    return NamedError(level[1].lower(), _category(_WORD.sub("", rest)), quotes) if level else None


def _without_bullet(line: str) -> str:
    return re.sub(r"^(?:[-–•*]|\(?\d{1,3}[.)])\s+", "", line)


def _category(text: str) -> str:
    return re.sub(r"(?<!\s)\s*+/\s*+", "/", re.sub(r"\(\s*\)", "", text)).strip(" -–—/:,.;").lower()


def _split_at_dash(line: str) -> tuple[str, str, str]:
    """Split a line at its last dash that is surrounded by spaces."""
    match = re.search(r"^(.*)\s[-–—]\s(.*)$", line)
    return (match[1], "-", match[2]) if match else (line, "", "")


def _find_quotes(line: str) -> tuple[tuple[str, ...], str, str]:
    """Return the possible quotes in a line, and the text before and after the first of them.

    Both a quote and the remark after it may contain quotation marks, so every closing mark is a possible end.
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


class SearchText:
    """Text that is searched for quotes in linear time, ignoring case and whitespace differences.

    `taken` holds the positions of earlier errors in the answer.
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.taken: set[tuple[int, int]] = set()

    @cached_property
    def folded(self) -> str:
        """Return the case-folded text, with one character for each original one."""
        return _fold_case(self.text)

    @cached_property
    def _words(self) -> tuple[str, list[int]]:
        """Return the folded text with single spaces, and the position of each of its characters."""
        signs, places = list[str](), list[int]()
        for position, sign in enumerate(self.folded):
            blank = self.text[position].isspace()
            if not (blank and signs and signs[-1] == " "):
                signs.append(" " if blank else sign)
                places.append(position)
        return "".join(signs), places

    def whole(self, quote: str) -> list[tuple[int, int]]:
        """Return the positions of a quote, in order."""
        wanted = " ".join(_fold_case(quote).split())
        text, places = self._words
        matches, at = list[tuple[int, int]](), text.find(wanted) if wanted else -1
        while at >= 0:
            end = at + len(wanted)
            matches.append((places[at], places[end - 1] + 1))
            at = text.find(wanted, end)
        return matches

    def elided(self, quote: str) -> list[tuple[int, int]]:
        """Return the first position of a quote that contains an ellipsis, from its first part to its last.

        Each part is searched once, after the part before it.
        """
        parts = [part.strip() for part in re.split(r"\.\.\.|…|\[\.\.\.\]", _fold_case(quote)) if part.strip()]
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


def _fold_case(text: str) -> str:
    """Fold case, one character for each, exactly as the `re` module does when it ignores case."""
    lower = text.lower()
    if len(lower) != len(text):
        lower = "".join(sign.lower()[0] for sign in text)
    return lower if lower.isascii() else lower.translate(_ALIKE)


_ALIKE = {code: min(code, *others) for code, others in casefix._EXTRA_CASES.items()}
"""Lower-case letters that are equal under IGNORECASE, such as the two forms of sigma."""


def _locate(error: NamedError, texts: Mapping[Side, SearchText]) -> ErrorSpan | None:
    """Return the span of the quoted words; of several readings, use the longest that a text contains."""
    if not error.quotes:
        whole, text = error.category.startswith("non-translation"), texts["target"].text
        return ErrorSpan.of(text, 0, len(text), error.severity, error.category) if whole else None
    sides: list[Side] = ["target", "source"]
    for side in reversed(sides) if "omission" in error.category else sides:
        for quote in sorted(error.quotes, key=len, reverse=True):
            position = _find_position(quote, texts[side])
            if position is not None:
                return ErrorSpan.of(texts[side].text, *position, error.severity, error.category, side)
    return None


def _find_position(quote: str, searched: SearchText) -> tuple[int, int] | None:
    """Return the first position of a quote that no earlier error occupies, or else its first position.

    The quote is searched for literally, then ignoring whitespace and case, then from its first to its last part if it
    contains an ellipsis.
    """
    for search in (searched.whole, searched.elided):
        places = search(quote)
        exact = [position for position in places if searched.text[slice(*position)] == quote]
        if places:
            return next(
                (position for position in exact or places if position not in searched.taken), (exact or places)[0]
            )
    return None
