"""Language checks: text copied from the source, and translations in the wrong language or script."""

from __future__ import annotations

import functools
import re
import unicodedata
from collections import Counter
from collections.abc import Iterator, Mapping

from assay.data.words import lists
from assay.linting.finding import Description, Finding, Texts
from assay.linting.number_reading import WORD

UNTRANSLATED = Description("untranslated", "the translation repeats the source", "Accuracy/Untranslated")
LANGUAGE = Description("language", "the translation is in a wrong language or script", "Accuracy/Wrong language")
FEWEST_WORDS = 3
"""Minimum number of plain words in a copied passage; names and titles may stay untranslated."""
FEWEST_FUNCTION_WORDS = 3
_SCRIPTS = (
    "CYRILLIC:ru uk bg be sr mk kk ky tg mn; ARABIC:ar fa ur ps ckb; HEBREW:he yi; DEVANAGARI:hi mr ne sa; THAI:th; GREEK:el; "
    "BENGALI:bn as; TAMIL:ta; TELUGU:te; GEORGIAN:ka; ARMENIAN:hy; ETHIOPIC:am ti; KHMER:km; LAO:lo; MYANMAR:my; GUJARATI:gu; "
    "GURMUKHI:pa; KANNADA:kn; MALAYALAM:ml; SINHALA:si; "
    "LATIN:en de fr es pt it nl pl cs ro hu tr fi sv da no id vi sw ca sk sl hr et lt lv is ga eu gl af ms tl"
)
SCRIPTS: dict[str, tuple[str, ...]] = {
    language: (script,)
    for script, _, codes in (part.partition(":") for part in _SCRIPTS.split("; "))
    for language in codes.split()
}
SCRIPTS |= {"zh": ("CJK",), "ja": ("CJK", "HIRAGANA", "KATAKANA"), "ko": ("HANGUL", "CJK")}
"""Scripts of each language, identified by the first word of their characters' Unicode names."""


@functools.lru_cache(maxsize=8192)
def _script(character: str) -> str:
    return unicodedata.name(character, "?").partition(" ")[0]


def scripts(text: str) -> Counter[str]:
    """Return the number of letters in each script that a text contains."""
    if text.isascii():
        return Counter(LATIN=sum(map(str.isalpha, text)))
    return Counter(_script(c) for c in text if c.isalpha())


def expected_scripts(language: str) -> tuple[str, ...]:
    """Return the scripts of a language, or nothing if it is not known."""
    return SCRIPTS.get(language, ())


def check_untranslated(texts: Texts) -> Iterator[Finding]:
    """Find passages from the source that are repeated in the translation."""
    if not texts.source or (texts.source_language and texts.source_language == texts.target_language):
        return
    ours = list(WORD.finditer(texts.translation))
    if not ours:
        return
    if texts.translation.strip() == texts.source.strip():
        if _plain(match[0] for match in ours) >= FEWEST_WORDS or _unspaced(texts.translation):
            yield _copied(0, len(texts.translation), "the translation is the source", "critical")
        return
    theirs, written = expected_scripts(texts.source_language), expected_scripts(texts.target_language)
    if theirs and written and not set(theirs) & set(written):
        yield from _other_script(texts, theirs)
        return
    yield from _copied_runs(texts, ours)


def _plain(words: Iterator[str]) -> int:
    return sum(word.islower() and len(word) > 2 for word in words)


def _unspaced(text: str) -> bool:
    return sum(_script(c) in ("CJK", "HIRAGANA", "KATAKANA", "THAI", "HANGUL") for c in text) >= 8


def _other_script(texts: Texts, theirs: tuple[str, ...]) -> Iterator[Finding]:
    """Find letters in the source's script, which must have been left untranslated."""
    start = end = -1
    for match in WORD.finditer(texts.translation):
        word = match[0]
        foreign = sum(_script(c) in theirs for c in word) * 2 > len(word)
        plain = "LATIN" not in theirs or (word.islower() and len(word) > 2)
        if foreign and plain and word in texts.source:
            if start < 0:
                start = match.start()
            end = match.end()
        elif start >= 0:
            yield from _left_over(texts, start, end, theirs)
            start = -1
    if start >= 0:
        yield from _left_over(texts, start, end, theirs)


def _left_over(texts: Texts, start: int, end: int, theirs: tuple[str, ...]) -> Iterator[Finding]:
    passage = texts.translation[start:end]
    if "LATIN" in theirs and len(passage.split()) < FEWEST_WORDS:
        return
    if _in_brackets(texts.translation, start, end):
        return
    yield _copied(start, end, f"{passage[:60]!r} is not translated", "major")


def _in_brackets(text: str, start: int, end: int) -> bool:
    return text[:start].rstrip()[-1:] in ("(", "（", "[", "«", "“", '"', "「", "‘", "„") or text[end:].lstrip()[:1] in (
        ")",
        "）",
        "]",
    )


def _copied_runs(texts: Texts, ours: list[re.Match[str]]) -> Iterator[Finding]:
    """Find runs of plain source words in the same order."""
    words = [match[0] for match in WORD.finditer(texts.source)]
    starts: dict[str, list[int]] = {}
    for place, word in enumerate(words):
        starts.setdefault(word, []).append(place)
    k = 0
    while k < len(ours):
        longest = 0
        for place in starts.get(ours[k][0], ()):
            length = 0
            while (
                k + length < len(ours) and place + length < len(words) and ours[k + length][0] == words[place + length]
            ):
                length += 1
            longest = max(longest, length)
        run = ours[k : k + longest]
        if longest >= FEWEST_WORDS + 1 and _plain(match[0] for match in run) >= FEWEST_WORDS:
            start, end = run[0].start(), run[-1].end()
            if not _in_brackets(texts.translation, start, end):
                yield _copied(start, end, f"{texts.translation[start:end][:60]!r} is not translated", "major")
        k += max(longest, 1)


def _copied(start: int, end: int, reason: str, severity: str) -> Finding:
    return Finding("untranslated", start, end, reason, UNTRANSLATED.category, severity)


@functools.cache
def _function_words() -> Mapping[str, frozenset[str]]:
    return {language: frozenset(words) for language, words in lists("function_words").items()}


def check_language(texts: Texts) -> Iterator[Finding]:
    """Find translations whose script or function words are those of another language."""
    language = texts.target_language
    written = expected_scripts(language)
    if not written:
        return
    letters = scripts(texts.translation)
    total = letters.total()
    if total < 8:
        return
    script, count = letters.most_common(1)[0]
    if sum(letters[name] for name in written) * 5 < total:
        # Names and titles may keep the script of the source; sentences may not.
        from_source = script in scripts(texts.source)
        if not from_source or _plain(match[0] for match in WORD.finditer(texts.translation)) >= FEWEST_WORDS:
            yield _wrong(texts, f"{count / total:.0%} of the letters are {script.capitalize()}")
        return
    if script not in ("LATIN", "CYRILLIC") or language not in _function_words():
        return
    words = [match[0].lower() for match in WORD.finditer(texts.translation)]
    ours = sum(word in _function_words()[language] for word in words)
    if ours * 2 >= FEWEST_FUNCTION_WORDS or len(words) < 5:
        return
    others = {
        other: sum(word in known for word in words) for other, known in _function_words().items() if other != language
    }
    other, most = max(others.items(), key=lambda item: item[1])
    if most >= FEWEST_FUNCTION_WORDS and most >= 4 * max(ours, 1) and most * 6 >= len(words):
        yield _wrong(texts, f"the words are those of the language {other!r}, not of {language!r}")


def _wrong(texts: Texts, reason: str) -> Finding:
    return Finding("language", 0, len(texts.translation), reason, LANGUAGE.category, "critical")
