"""Text helpers for the perturbations: random choice, capitals, similarity, and clean deletions without double spaces."""

from __future__ import annotations

import functools
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from typing import Any, TypeVar

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed, Rng

T = TypeVar("T")

SPACELESS = ("zh", "ja", "th")
"""Languages written without spaces between words."""


def base_language(language: str) -> str:
    """Return the bare language: ``de`` for ``de``, ``de_AT`` and ``de-CH``."""
    return language.replace("_", "-").partition("-")[0].lower()


def is_spaceless(language: str) -> bool:
    """Return whether the language is written without spaces between words."""
    return base_language(language) in SPACELESS


def pick(options: Sequence[T], rng: Rng) -> T:
    """Return one of the options with equal probability."""
    return options[int(rng.integers(len(options)))]


def shuffle(options: Sequence[T], rng: Rng) -> list[T]:
    """Return the options in random order."""
    return [options[int(i)] for i in rng.permutation(len(options))]


def first_reference(segment: Segment) -> str | None:
    """Return the first non-empty reference."""
    return next((text for text in segment.references if text.strip()), None)


def other_reference(segment: Segment) -> str | None:
    """Return the first non-empty reference, or None if it is identical to the translation."""
    reference = first_reference(segment)
    return None if reference == segment.hypothesis else reference


def source_language(segment: Segment) -> str:
    """Return the source language of the language pair; empty without a source or a language pair."""
    return (segment.langpair or "").partition("-")[0].lower() if segment.source else ""


def target_language(segment: Segment) -> str:
    """Return the target language of the language pair; empty without one."""
    return (segment.langpair or "").rpartition("-")[2]


def levenshtein_similarity(first: str, second: str) -> float:
    """Return one minus the character edit distance over the longer length, as for ACES's levels 2 and 3 (section 5.3.2)."""
    if not first or not second:
        return float(first == second)
    row = list(range(len(second) + 1))
    for i, left in enumerate(first, 1):
        diagonal, row[0] = row[0], i
        for j, right in enumerate(second, 1):
            diagonal, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, diagonal + (left != right))
    return 1 - row[-1] / max(len(first), len(second))


def ngram_overlap(first: str, second: str, order: int = 6, beta: float = 2.0) -> float:
    """Return chrF of `first` against `second` from 0 to 1, averaged over the orders that both have (ACES section 5.6.3)."""
    first, second = "".join(first.split()), "".join(second.split())
    scores = []
    for n in range(1, order + 1):
        left = Counter(first[i : i + n] for i in range(len(first) - n + 1))
        right = Counter(second[i : i + n] for i in range(len(second) - n + 1))
        if left and right:
            matches = (left & right).total()
            precision, recall = matches / left.total(), matches / right.total()
            total = beta**2 * precision + recall
            scores.append((1 + beta**2) * precision * recall / total if total else 0.0)
    return sum(scores) / len(scores) if scores else 0.0


def delete_span(text: str, start: int, end: int) -> Change:
    """Delete a span with one adjacent space, so no double or leading space is left."""
    if text[end : end + 1].isspace() and (start == 0 or text[start - 1].isspace()):
        end += 1
    elif start > 0 and text[start - 1].isspace() and (end == len(text) or re.match(r"[.,;:!?…)\]}»”]", text[end])):
        start -= 1
    return Change(start, end, "")


def replace_span(text: str, start: int, end: int, new: str, **fields: Any) -> Perturbed:
    """Return the result of a replaced span, with the old and the new text in its `meta` and these other fields."""
    old = text[start:end]
    return Perturbed((Change(start, end, new),), f"{old} -> {new}", {"old": old, "new": new}, **fields)


def find_word(text: str, word: str) -> list[tuple[int, int]]:
    """Return the positions of `word` as a whole word; anywhere in scripts without spaces."""
    if re.search(r"[぀-ヿ㐀-鿿฀-๿]", word):
        return [match.span() for match in re.finditer(re.escape(word), text)]
    return [match.span() for match in re.finditer(rf"(?<!\w){re.escape(word)}(?!\w)", text)]


def capitalise(word: str) -> str:
    """Return the word with a capital first letter; the rest is unchanged."""
    return word[:1].upper() + word[1:]


def match_case(word: str, model: str) -> str:
    """Return `word` with the same capitalisation as `model`: all letters, the first letter, or unchanged."""
    if model.isupper() and len(model) > 1:
        return word.upper()
    return match_first(word, model)


def match_first(word: str, model: str) -> str:
    """Return `word` with a capital first letter if `model` has one; for articles, where ``A`` does not mean all capitals."""
    return capitalise(word) if model[:1].isupper() else word


@functools.cache
def combining_marks() -> str:
    r"""Return every combining mark, as ranges for a character class.

    In Hindi, Thai, Arabic and other languages the marks around a letter are part of a word, but ``\w`` in Python's regular
    expressions does not match them.
    """
    ranges: list[list[int]] = []
    for code in range(0x300, min(sys.maxunicode, 0x1FFFF)):
        if unicodedata.category(chr(code)).startswith("M"):
            if ranges and ranges[-1][1] == code - 1:
                ranges[-1][1] = code
            else:
                ranges.append([code, code])
    return "".join(f"{chr(first)}-{chr(last)}" for first, last in ranges)


@functools.cache
def compile_pattern(template: str) -> re.Pattern[str]:
    """Compile a regular expression in which ``<L>`` is a letter and ``<W>`` a letter or digit, marks included.

    >>> pattern("<L>+").findall("हिन्दी abc1")
    ['हिन्दी', 'abc']
    """
    letter, word = rf"(?:[^\W\d_][{combining_marks()}\u200c\u200d]*)", rf"(?:[^\W_][{combining_marks()}\u200c\u200d]*)"
    return re.compile(template.replace("<L>", letter).replace("<W>", word))


def is_mark(character: str) -> bool:
    """Return whether a character is a combining mark."""
    return unicodedata.category(character).startswith("M")
