"""Perturbation that replaces a number with another one in a plausible range (DEMETR 10).

Years stay in the same period, percentages below 100, and hours and days within their ranges. The number of digits and the
separators stay the same. "from 1920 to 1930" keeps its direction. Digits work in any language, number words only in English.
"""

from __future__ import annotations

import re

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Refused, Rng, Tools
from assay.data.words import word_list
from assay.perturb.cards import card_of
from assay.perturb.demetr.rules import TextRule, first_fit, indefinite_article
from assay.perturb.language.texts import base_language, match_case, match_first, pick

_NUMBER = re.compile(r"(?<![\w.,:/-])(?<!\w-)\d+(?:[.,:\u00a0\u202f]\d+)*(?:st|nd|rd|th)?(?![\w]|[.,:]\d)", re.ASCII)
_IN_WORD = re.compile(
    r"(?<![\w.,])\d+(?=-(?:year|day|month|week|hour|minute|meter|metre|kilo|mile|fold|man|member|time)|s\b)"
)

_SCORE = re.compile(r"(?<![\w.,-])\d{1,4}(?=[-–:]\d)")
_RANGE_AFTER = re.compile(r"^-?\s?(?:%\s?)?(?:-|–|to|and|bis|à|a|до|—)\s?(\d[\d.,]*)")
_RANGE_BEFORE = re.compile(r"(\d[\d.,]*)-?\s?(?:%\s?)?(?:-|–|to|and|bis|à|a|до|—)\s?$")
_MONTH = re.compile(
    r"\b(?:January|February|March|April|May|June|July|August|September|October|November|December|Jan|Feb|Mar|Apr|Jun|Jul|"
    r"Aug|Sept?|Oct|Nov|Dec)\b"
)
_WORDS = word_list("numbers from two to twenty")
_TENS = word_list("tens from twenty")
_ORDINALS = word_list("ordinals from second to twelfth")
_MULTIPLES = ("hundred", "thousand", "million", "billion")
_UNIT = re.compile(r"\s?(?:k?m|kg|g|ft|feet|miles|met(?:er|re)s|kilomet|people|euros|dollars|tons?|yuan|yen)\b")
_TRIES = 12


class NumberReplaced(TextRule):
    """Perturbation that replaces one number with another of the same kind."""

    most_places = 2
    card = card_of("number-replaced")

    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Replace digits, or number words in an English text without digits."""
        text = segment.hypothesis
        matches = [*_NUMBER.finditer(text), *_IN_WORD.finditer(text), *_SCORE.finditer(text)]
        starts = {match.start(): match for match in reversed(matches)}
        outside_names = [match for match in starts.values() if not _in_name(text, match)]
        result = first_fit(rng, outside_names, lambda match: _replace_digits(text, match, rng), "no number")
        if isinstance(result, Perturbed):
            return result
        if base_language(language) == "en":
            words = [match for match in re.finditer(r"[A-Za-z]+", text) if _scale(match.group().lower())]
            result = first_fit(rng, words, lambda match: _replace_word(match, rng), "no number")
            if isinstance(result, Perturbed):
                return result
        return first_fit(rng, list(starts.values()), lambda match: _replace_digits(text, match, rng), "no number")

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that a number was replaced by a number of the same shape."""
        problems = super().problems(segment, perturbed, language, tools)
        change = perturbed.changes[-1]
        old, new = segment.hypothesis[change.start : change.end], change.text
        shape = re.compile(
            r"[\d.,]+(?:st|nd|rd|th)" if old[-1:].isalpha() else re.sub(r"\\?\d", r"\\d", re.escape(old))
        )
        if any(c.isdigit() for c in old) and not shape.fullmatch(new):
            problems.append(f"{new} does not have the shape of {old}")
        return problems


def _in_name(text: str, match: re.Match[str]) -> bool:
    """Return whether the number belongs to a name: Formula 1, Boeing 737."""
    before = re.search(r"(?<=[^\W\d_]) ([^\W\d_][\w-]*) $|^()$", text[: match.start()])
    word = (before.group(1) or "") if before else ""
    return bool(word[:1].isupper() and not _MONTH.fullmatch(word) and len(match.group()) < 4)


def _replace_digits(text: str, match: re.Match[str], rng: Rng) -> Perturbed | None:
    old = match.group()
    bare = re.sub(r"(?:st|nd|rd|th)$", "", old)
    for _ in range(_TRIES):
        new = _draw(text, match, bare, rng)
        if new == bare or not _keeps_order(text, match, bare, new):
            continue
        replacement = new + (_suffix(new) if old != bare else "")
        changes: tuple[Change, ...] = (Change(*match.span(), replacement),)
        before = re.search(r"\b([Aa]n?) $", text[: match.start()])
        if before and indefinite_article(replacement) != before.group(1).lower():
            fixed = match_first(indefinite_article(replacement), before.group(1))
            changes = (Change(*before.span(1), fixed), *changes)
        return Perturbed(changes, f"{old} -> {replacement}")
    return None


def _draw(text: str, match: re.Match[str], bare: str, rng: Rng) -> str:
    """Return a random number of the same kind as `bare` in its context."""
    after, before = text[match.end() : match.end() + 12], text[max(0, match.start() - 12) : match.start()]
    if ":" in bare:
        hours, _, rest = bare.partition(":")
        return (
            f"{int(rng.integers(1, 24)):0{len(hours)}d}:{rest}" if len(hours) == 2 else f"{rng.integers(1, 10)}:{rest}"
        )
    if not bare.isdigit():
        return _same_shape(bare, rng)
    value = int(bare)
    if match.group() != bare and value <= 31:
        top = 22 if after.lstrip().startswith("century") else 29
        return str(int(rng.integers(2, top)))
    if len(bare) == 4 and not _UNIT.match(after) and 1000 <= value <= 2100:
        moved = value + int(rng.integers(1, 30)) * (1 if rng.random() < 0.4 else -1)
        return str(max(min(moved, max(value, 2030)), 1000))
    if (_MONTH.search(before[-10:]) and value <= 31) or (value <= 31 and _MONTH.match(after.lstrip())):
        return _with_same_length(bare, int(rng.integers(1, 29)))
    if after.lstrip().startswith(("%", "percent", "per cent")) and value <= 100:
        return _with_same_length(bare, int(rng.integers(10, 100)) if len(bare) > 1 else int(rng.integers(1, 10)))
    return _same_shape(bare, rng)


def _with_same_length(bare: str, value: int) -> str:
    """Return the value with the same number of digits; longer values become one digit, and 0 is avoided."""
    if len(str(value)) > len(bare):
        value = value % 9 + 1
    return (
        f"{value:0{len(bare)}d}" if bare.startswith("0") or len(bare) == 1 else str(max(value, 10 ** (len(bare) - 1)))
    )


def _same_shape(bare: str, rng: Rng) -> str:
    """Draw a new leading digit (or two); other digits and separators are kept, so round numbers stay round."""
    digits = [i for i, character in enumerate(bare) if character.isdigit()]
    new = list(bare)
    new[digits[0]] = str(int(rng.integers(1, 10)) if bare[0] != "0" or len(bare) == 1 else 0)
    if len(digits) > 1 and (bare[digits[1]] != "0" or bare[0] == "0"):
        new[digits[1]] = str(int(rng.integers(1, 10)))
    return "".join(new)


def _keeps_order(text: str, match: re.Match[str], old: str, new: str) -> bool:
    """Return whether a range keeps its direction with the new number."""
    partner = _RANGE_AFTER.match(text[match.end() :]) or _RANGE_BEFORE.search(text[: match.start()])
    if partner is None:
        return True
    other, before, after = _value(partner.group(1)), _value(old), _value(new)
    return after != other and (before < other) == (after < other)


def _value(text: str) -> float:
    return float(re.sub(r"\D", "", text) or 0)


def _suffix(number: str) -> str:
    """Return st, nd, rd or th."""
    if number[-2:] in ("11", "12", "13"):
        return "th"
    return {"1": "st", "2": "nd", "3": "rd"}.get(number[-1], "th")


def _scale(word: str) -> tuple[str, ...]:
    """Return the number words that may replace `word`."""
    if word == "second":
        return ()
    return next((scale for scale in (_WORDS, _TENS, _ORDINALS, _MULTIPLES) if word in scale), ())


def _replace_word(match: re.Match[str], rng: Rng) -> Perturbed | None:
    old = match.group()
    scale = _scale(old.lower())
    at = scale.index(old.lower())
    options = [word for i, word in enumerate(scale) if 0 < abs(i - at) <= 4]
    new = match_case(pick(options, rng), old)
    return Perturbed((Change(*match.span(), new),), f"{old} -> {new}")
