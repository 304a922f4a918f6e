"""Repetition check: loops of words or characters, and doubled words, that are not in the source."""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.linting.finding import Description, Finding, Texts
from assay.linting.number_reading import MARKS

REPETITION = Description(
    "repetition", "a word, phrase or character is repeated", "Fluency/Duplication", needs_source=False
)
LETTER = rf"[^\W\d_{MARKS}]"
DOUBLED = re.compile(rf"(?<![\w{MARKS}'’-])((?:[^\W\d_]|[{MARKS}]){{2,}})(?: +\1(?![\w{MARKS}'’-]))+", re.I)
PHRASE = re.compile(r"(?<!\w)(\w[\w'’-]*(?:[ ,]+\w[\w'’-]*){1,12}?)(?:[ ,]+\1(?!\w)){1,}", re.I)
CHARACTERS = re.compile(r"([^\W\d_]{1,12}?)\1{4,}")
UNSPACED = re.compile("([\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]{2,12}?)\\1{2,}")
SENTENCE = re.compile(r"[^.!?。！？]{25,400}[.!?。！？]")
DOUBLING_LANGUAGES = {"tr", "id", "ms", "vi", "sw", "hi", "th", "af", "he", "fa", "bn", "ta", "te", "ur", "ko"}
"""Languages in which doubled words are grammar or common style; three in a row are still reported."""
DOUBLED_WORDS = {
    "en": {
        "had",
        "that",
        "is",
        "do",
        "so",
        "very",
        "no",
        "bye",
        "long",
        "many",
        "ha",
        "well",
        "blah",
        "tut",
        "there",
        "her",
    },
    "de": {"die", "der", "das", "sie", "nach", "so", "sehr", "den", "dem", "ja", "nein"},
    "fr": {"nous", "vous", "très", "oui", "non", "se"},
    "nl": {"die", "dat", "heel", "zeer"},
}
"""Words that may legitimately be doubled: had had, that that, die die, nous nous."""


def check_repetition(texts: Texts) -> Iterator[Finding]:
    """Find loops and doubled words in the translation."""
    text = texts.translation
    seen: list[tuple[int, int]] = []
    for match in DOUBLED.finditer(text):
        times = len(match[0].split())
        word = match[1].lower()
        if times == 2 and (
            texts.target_language in DOUBLING_LANGUAGES
            or word in DOUBLED_WORDS.get(texts.target_language, ())
            or (match[0][0].isupper() and match[0].split()[1][0].isupper())
            or len(word) < 3
        ):
            continue
        if not _repeated_in_source(texts.source, times):
            seen.append(match.span())
            yield _finding(
                match.start(),
                match.end(),
                f"{match[1]} appears {times} times in a row",
                "major" if times > 2 else "minor",
            )
    if len(text) > 24:
        yield from _loops(texts, seen)


def _loops(texts: Texts, seen: list[tuple[int, int]]) -> Iterator[Finding]:
    text = texts.translation
    for pattern, what in ((PHRASE, "phrase"), (CHARACTERS, "sequence of characters"), (UNSPACED, "phrase")):
        if pattern is PHRASE and len(text) > 20_000:
            continue
        for match in pattern.finditer(text):
            if any(match.start() < end and match.end() > start for start, end in seen):
                continue
            unit = match[1].strip()
            if (pattern is PHRASE and (len(unit) < 8 or " " not in unit)) or unit.lower() * 2 in texts.source.lower():
                continue
            if pattern is CHARACTERS and ((len(set(unit)) == 1 and len(match[0]) < 6) or _long_run(texts.source)):
                continue
            seen.append(match.span())
            yield _finding(match.start(), match.end(), f"the {what} {unit[:40]!r} is repeated", "major")
    sentences: dict[str, int] = {}
    theirs = SENTENCE.findall(texts.source)
    for match in SENTENCE.finditer(text):
        plain = match[0].strip().lower()
        if plain in sentences and len(set(theirs)) == len(theirs):
            yield _finding(match.start(), match.end(), "the sentence appears twice in the translation", "major")
            return
        sentences[plain] = match.start()


def _finding(start: int, end: int, reason: str, severity: str) -> Finding:
    return Finding("repetition", start, end, reason, REPETITION.category, severity)


def _repeated_in_source(source: str, times: int) -> bool:
    return any(len(match[0].split()) >= min(times, 3) or times == 2 for match in DOUBLED.finditer(source)) or bool(
        UNSPACED.search(source)
    )


def _long_run(source: str) -> bool:
    return bool(CHARACTERS.search(source))
