"""Synthetic errors: copies of a good translation with one error each, its position, and its MQM penalty.

There are rules for all languages written with spaces, lists of function words for English and German, and replacements of the
whole text. They imitate general types of errors, not the items of any test set.
"""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from assay.models.mini.groups import JudgedGroup, JudgedTranslation, Mark

MADE = 4
"""Maximum number of errors derived from one translation."""
TRIES = 12
LONGEST = 600
"""Maximum length in characters of a translation from which errors are derived."""
CRITICAL, MAJOR, MINOR = 25.0, 5.0, 1.0
_WORD = re.compile(r"\S+")
_NUMBER = re.compile(r"\d+")
_MIDDLE = re.compile(r"[,;:]")
_AROUND = re.compile(r" ?([.,;:!?()\"])")
_LETTERS = "abcdefghijklmnoprstu"
_ENDS = ".!?。"
Span = tuple[int, int, float]
Made = tuple[str, list[Span], float]
"""The new text, its marked characters with weights, and the penalty."""

_EXCHANGES: Mapping[str, Sequence[tuple[float, str]]] = {
    "en": (
        (MAJOR, "is was|are were|was is|were are|has had|have had|will would|can could|does did|do did"),
        (MAJOR, "he she|she he|his her|him her|man woman|woman man|father mother|mother father"),
        (
            MAJOR,
            "more less|less more|before after|after before|first last|high low|low high|all some|always never",
        ),
        (
            MAJOR,
            "two three|three five|four six|five four|ten twelve|hundred thousand|million billion|first third|second fourth",
        ),
        (
            MINOR,
            "in on|on at|at in|to for|for of|of by|with from|from to|by with|the a|a the|an the|into over|during without",
        ),
    ),
    "de": (
        (MAJOR, "ist war|war ist|sind waren|hat hatte|wird wurde|wurde wird|kann konnte|muss musste|er sie|sie er"),
        (MAJOR, "mit ohne|vor nach|nach vor|mehr weniger|immer nie|alle einige|zwei drei|drei fünf|erste letzte"),
        (MINOR, "der die|die das|das der|den dem|dem den|ein eine|eine ein|auf in|in an|von zu|für mit"),
    ),
}
_NEGATIONS = {"en": "not", "de": "nicht"}


@dataclass(frozen=True)
class _ErrorMaterial:
    """A translation with everything needed to insert errors."""

    text: str
    words: list[tuple[int, int]]
    language: str
    source: str
    other: str
    rng: random.Random

    def word(self, least: int = 1) -> tuple[int, int] | None:
        """Return the span of a random word with at least `least` characters."""
        candidates = [extent for extent in self.words if extent[1] - extent[0] >= least]
        return self.rng.choice(candidates) if candidates else None

    def put(self, start: int, end: int, new: str, weight: float, cost: float | None = None) -> Made:
        """Replace a span with `new` and mark it."""
        marked = [(start, start + len(new), weight)] if new else []
        return self.text[:start] + new + self.text[end:], marked, weight if cost is None else cost


def _omit(one: _ErrorMaterial) -> Made | None:
    size = one.rng.choice([1, 1, 2, 3, 5])
    if len(one.words) <= size + 1:
        return None
    at = one.rng.randrange(len(one.words) - size)
    start, end = one.words[at][0], one.words[at + size][0]
    long = end - start > 4
    return one.text[:start] + one.text[end:], [], MAJOR if long else MINOR


def _repeat(one: _ErrorMaterial) -> Made | None:
    size = min(one.rng.choice([1, 1, 2, 4]), len(one.words))
    at = one.rng.randrange(len(one.words) - size + 1)
    start, end = one.words[at][0], one.words[at + size - 1][1]
    return one.put(end, end, f" {one.text[start:end]}", MINOR)


def _oscillate(one: _ErrorMaterial) -> Made | None:
    start, end = one.words[one.rng.randrange(len(one.words))]
    return one.put(end, end, f" {one.text[start:end]}" * one.rng.randint(4, 10), MAJOR, CRITICAL)


def _swap(one: _ErrorMaterial) -> Made | None:
    at = one.rng.randrange(len(one.words) - 1)
    (a, b), (c, d) = one.words[at], one.words[at + 1]
    return one.put(a, d, one.text[c:d] + one.text[b:c] + one.text[a:b], MINOR, 1.5)


def _shuffle(one: _ErrorMaterial) -> Made | None:
    words = [one.text[a:b] for a, b in one.words]
    one.rng.shuffle(words)
    return one.put(0, len(one.text), " ".join(words), MAJOR, 15.0)


def _number(one: _ErrorMaterial) -> Made | None:
    numbers = list(_NUMBER.finditer(one.text))
    if not numbers:
        return None
    match = one.rng.choice(numbers)
    digits = list(match[0])
    at = one.rng.randrange(len(digits))
    digits[at] = one.rng.choice([digit for digit in "0123456789" if digit != digits[at]])
    return one.put(match.start(), match.end(), "".join(digits), MAJOR)


def _foreign_words(text: str, rng: random.Random, most: int) -> str:
    words = text.split()
    size = min(rng.randint(1, most), len(words))
    at = rng.randrange(len(words) - size + 1) if words else 0
    return " ".join(words[at : at + size])


def _replace(one: _ErrorMaterial) -> Made | None:
    extent, new = one.word(4), _foreign_words(one.other, one.rng, 2)
    return one.put(*extent, new, MAJOR) if extent and new else None


def _insert(one: _ErrorMaterial) -> Made | None:
    start, _ = one.words[one.rng.randrange(len(one.words))]
    new = _foreign_words(one.other, one.rng, 4)
    text, marked, cost = one.put(start, start, f"{new} ", MAJOR)
    return (text, [(start, start + len(new), MAJOR)], cost) if new and marked else None


def _untranslated(one: _ErrorMaterial) -> Made | None:
    extent, new = one.word(), _foreign_words(one.source, one.rng, 3)
    return one.put(*extent, new, MAJOR) if extent and new else None


def _capital(one: _ErrorMaterial) -> Made | None:
    start, end = one.words[one.rng.randrange(len(one.words))]
    word = one.text[start:end]
    return one.put(start, end, word.swapcase() if one.rng.random() < 0.3 else word[0].swapcase() + word[1:], MINOR)


def _lower(one: _ErrorMaterial) -> Made | None:
    return one.text.lower(), [], MINOR


def _typo(one: _ErrorMaterial) -> Made | None:
    extent = one.word(4)
    if extent is None:
        return None
    start, end = extent
    word, at = one.text[start:end], one.rng.randrange(end - start - 1)
    left, right = word[:at], word[at + 1 :]
    misspelling = one.rng.choice(
        [left + right, left + right[0] + word[at] + right[1:], left + one.rng.choice(_LETTERS) + right]
    )
    return one.put(start, end, misspelling, MINOR)


def _punctuation(one: _ErrorMaterial) -> Made | None:
    positions = [match.start() for match in _MIDDLE.finditer(one.text)]
    if one.text[-1] in _ENDS:
        positions.append(len(one.text) - 1)
    if not positions:
        return None
    at = one.rng.choice(positions)
    text = one.text[:at] + one.text[at + 1 :]
    return text, [(max(0, at - 1), min(at + 1, len(text)), MINOR)], 0.5


def _added_punctuation(one: _ErrorMaterial) -> Made | None:
    _, end = one.words[one.rng.randrange(len(one.words) - 1)]
    return one.put(end, end, one.rng.choice([",", ".", ";", ":", "!"]), MINOR, 0.5)


def _tokenised(one: _ErrorMaterial) -> Made | None:
    return " ".join(_AROUND.sub(r" \1 ", one.text).split()), [], MINOR


def _truncated(one: _ErrorMaterial) -> Made | None:
    count = one.rng.randint(max(1, len(one.words) // 4), len(one.words) - 1)
    return one.text[: one.words[count - 1][1]], [], MAJOR if count > len(one.words) // 2 else 2 * MAJOR


def _exchanged(one: _ErrorMaterial) -> Made | None:
    for weight, table in one.rng.sample(tables := list(_EXCHANGES.get(one.language, ())), len(tables)):
        pairs = dict(pair.split() for pair in table.split("|"))
        candidates = [(a, b) for a, b in one.words if one.text[a:b].lower() in pairs]
        if candidates:
            start, end = one.rng.choice(candidates)
            new = pairs[one.text[start:end].lower()]
            return one.put(start, end, new.capitalize() if one.text[start].isupper() else new, weight)
    return None


def _negated(one: _ErrorMaterial) -> Made | None:
    word = _NEGATIONS.get(one.language)
    if word is None:
        return None
    positions = [i for i, (a, b) in enumerate(one.words[:-1]) if one.text[a:b] == word]
    if positions:
        at = one.rng.choice(positions)
        start, end = one.words[at][0], one.words[at + 1][0]
        return one.text[:start] + one.text[end:], [(max(0, start - 4), start, MAJOR)] if start else [], MAJOR
    _, end = one.words[one.rng.randrange(1, len(one.words))]
    text, _, cost = one.put(end, end, f" {word}", MAJOR)
    return text, [(end + 1, end + 1 + len(word), MAJOR)], cost


def _unrelated(one: _ErrorMaterial) -> Made | None:
    return (one.other, [(0, len(one.other), MAJOR)], CRITICAL) if one.other else None


def _copied(one: _ErrorMaterial) -> Made | None:
    return (one.source, [(0, len(one.source), MAJOR)], CRITICAL) if one.source else None


RULES: Mapping[Callable[[_ErrorMaterial], Made | None], int] = {
    _omit: 14,
    _exchanged: 24,
    _number: 10,
    _replace: 10,
    _negated: 6,
    _insert: 6,
    _untranslated: 4,
    _swap: 4,
    _repeat: 5,
    _typo: 4,
    _truncated: 4,
    _capital: 3,
    _punctuation: 4,
    _added_punctuation: 2,
    _tokenised: 3,
    _unrelated: 3,
    _shuffle: 2,
    _oscillate: 2,
    _copied: 2,
    _lower: 1,
}
"""How often each rule is tried."""


def with_error(text: str, language: str, source: str, other: str, rng: random.Random) -> Made | None:
    """Return the text with one error; None if it has too few words or none of the tried rules applies."""
    words = [match.span() for match in _WORD.finditer(text)]
    if len(words) < 4:
        return None
    one = _ErrorMaterial(text, words, language, source, other, rng)
    for _ in range(TRIES):
        result = rng.choices(list(RULES), list(RULES.values()))[0](one)
        if result is not None and result[0] != text and result[0].strip():
            return result
    return None


def synthetic_groups(groups: Sequence[JudgedGroup], shares: Mapping[str, float], seed: int) -> list[JudgedGroup]:
    """Return a new group for a share of the groups in some collections: the best translation, and copies with errors.

    Scores are MQM sums.
    """
    rng = random.Random(f"errors {seed}")
    texts: dict[str, list[str]] = {}
    for group in groups:
        texts.setdefault(group.langpair, []).extend(group.references[:1])
    result = []
    for group in groups:
        if rng.random() >= shares.get(group.collection, 0.0) or group.split != "train" or not group.references:
            continue
        best = max(one.score for one in group.hypotheses)
        base = rng.choice([one for one in group.hypotheses if one.score >= best - 1])
        if len(base.text) > LONGEST:
            continue
        hypotheses = _with_errors(group, base, texts[group.langpair], rng)
        if len(hypotheses) > 1:
            name = f"syn-made-{group.collection}"
            result.append(
                replace(group, collection=name, kind="syn", document=f"{name}|{group.document}", hypotheses=hypotheses)
            )
    return result


def _with_errors(
    group: JudgedGroup, base: JudgedTranslation, texts: Sequence[str], rng: random.Random
) -> tuple[JudgedTranslation, ...]:
    """Return a translation and its copies with errors. The copies do not have its own marks, since annotators did not mark them."""
    score = _points(group.kind, base.score)
    marks = base.marks if group.kind in ("mqm", "bio") else None
    translations = {base.text: JudgedTranslation(base.text, score, "base", marks)}
    language = group.langpair.rpartition("-")[2]
    for _ in range(MADE):
        spoiled = with_error(base.text, language, group.source, rng.choice(texts), rng)
        if spoiled is not None and spoiled[0] not in translations:
            text, spans, cost = spoiled
            marks_of_errors: tuple[Mark, ...] = tuple((start, end, weight, 1.0) for start, end, weight in spans)
            translations[text] = JudgedTranslation(text, score - cost, "errors", marks_of_errors)
    return tuple(translations.values())


def _points(kind: str, score: float) -> float:
    """Return the approximate MQM sum for a good translation that was scored on another scale."""
    if kind in ("mqm", "bio", "syn"):
        return score
    return -(100 - score) / 8 if kind == "esa" else -1.0
