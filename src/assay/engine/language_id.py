"""Language identification: the script and language of texts, and detection of translations in the wrong language.

CLD2 is fast and knows 160 languages. False alarms would make every warning worthless, so a translation counts as wrong only if it
is certainly *not* in its language. It must be long enough, CLD2 must call its answer reliable, and the expected language must not
be among CLD2's first three, although it was given as a hint. English needs a higher score than other languages, because foreign
names look English. Closely related languages count as one. docs/decisions/0010-flags.md has the error rates.
"""

from __future__ import annotations

import functools
import importlib.util
import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.langpair import target, written
from assay.data import rows

if TYPE_CHECKING:
    from assay.core.metric import Bools

SHORTEST = 40
"""Bytes of UTF-8 below which a text is too short to identify: names, numbers, interjections."""
CLEAR = 0.8
"""Share of a text's letters at which its script is clear."""
ENGLISH = 700
"""CLD2 score from which on a text is English and not just a text with names; usual scores are near a thousand."""
MOSTLY = 85
"""Percentage of a joined text that must be in one language."""
_SAME = {"bs": "hr", "sr": "hr", "ms": "id", "da": "no"}
"""Languages that cannot be distinguished in single sentences."""
_FAMILIES = tuple(
    frozenset(family.split())
    for family in (
        "bs hr sr sl", "cs sk", "da no", "id ms jv su", "hi mr ne bho mai sa", "bg mk", "gl es", "gl pt", "af nl"
    )
)  # fmt: skip
"""Languages that CLD2 may confuse with each other, even over several texts."""
_HINTS = {"he": "iw", "jv": "jw"}


def available() -> bool:
    """Return whether CLD2 is installed."""
    return importlib.util.find_spec("pycld2") is not None


def require() -> None:
    """Raise if CLD2 is not installed."""
    if not available():
        raise MissingPart("identifying languages needs the extra 'languages': pip install 'mt-assay[languages]'")


def wrong_language(batch: Batch) -> Bools:
    """Return which translations are certainly not in the language of their language pair or, without one, of their reference."""
    import numpy as np

    wrong = np.zeros(len(batch), bool)
    by_reference: dict[str, str | None] = {}
    for i, text in enumerate(batch.hypotheses):
        if len(text) < SHORTEST and (text.isascii() or len(text.encode("utf-8", "replace")) < SHORTEST):
            continue
        expected = None if batch.langpairs is None else written(target(batch.langpairs[i])) or None
        if expected is None and batch.references:
            reference = next((column[i] for column in batch.references if column[i] is not None), None)
            if reference is None or reference == text:
                continue
            if reference not in by_reference:
                by_reference[reference] = _language_of(reference)
            expected = by_reference[reference]
        if expected is not None and expected in _identifiable():
            wrong[i] = _is_not_in(text, expected)
    return wrong


def main_language(text: str) -> str:
    """Return the language that a text is certainly and mostly in; empty if it is in doubt or CLD2 is not installed."""
    if not available():
        return ""
    import pycld2

    try:
        reliable, _, details = _detect()(text)
    except (pycld2.error, UnicodeError):
        return ""
    code = written(details[0][1])
    return code if reliable and details[0][2] >= MOSTLY and code in _identifiable() else ""


def is_identifiable(language: str) -> bool:
    """Return whether this installation can identify a language."""
    return available() and language in _identifiable()


def related(one: str, other: str) -> bool:
    """Return whether two languages are the same or too similar to be distinguished reliably."""
    if _same(one) == _same(other):
        return True
    return any({one, other} <= family for family in _FAMILIES)


def script_of_language(language: str) -> str:
    """Return the script of a language; empty if it has several (``sr``), names its own (``sr_Latn``) or is unknown."""
    names_script = any(len(part) == 4 and part.isalpha() for part in re.split("[-_]", language)[1:])
    code = written(language)
    return "" if names_script and code != "zh" else _scripts()[2].get(code, "")


def is_long_enough(text: str | None) -> bool:
    """Return whether a text is long enough for language identification."""
    if not text or len(text) * 4 < SHORTEST:
        return False
    return len(text) >= SHORTEST or len(text.encode("utf-8", "replace")) >= SHORTEST


def script_of(text: str) -> str:
    """Return the script that clearly dominates a text; empty if none does.

    Japanese mixes kana with Han characters. A text with too few kana for Japanese and too many for Chinese is ambiguous.
    """
    starts, blocks, _ = _scripts()
    counts: Counter[str] = Counter()
    for character, n in Counter(text).items():
        at = bisect_right(starts, ord(character)) - 1
        if at >= 0 and ord(character) <= blocks[at][1]:
            counts[blocks[at][2]] += n
    han, kana = counts.pop("Chinese", 0), counts.pop("Japanese", 0)
    if kana >= 0.1 * (han + kana):
        counts["Japanese"] = han + kana
    elif kana <= 0.01 * han:
        counts["Chinese"] = han + kana
    else:
        counts[""] = han + kana
    letters = sum(counts.values())
    script = max(counts, key=counts.__getitem__)
    return script if letters and counts[script] >= CLEAR * letters else ""


@functools.cache
def _scripts() -> tuple[list[int], list[tuple[int, int, str]], Mapping[str, str]]:
    """Return the first letters of all blocks, the blocks with their script, and the script of each language."""
    blocks: list[tuple[int, int, str]] = []
    scripts: dict[str, str] = {}
    for row in rows("scripts.tsv"):
        for block in row["blocks"].split():
            first, _, last = block.partition("-")
            blocks.append((int(first, 16), int(last, 16), row["script"]))
        scripts |= dict.fromkeys(row["languages"].split(), row["script"])
    blocks.sort()
    return [first for first, _, _ in blocks], blocks, scripts


def _is_not_in(text: str, expected: str) -> bool:
    reliable, languages, score = _identify(text, _HINTS.get(expected, expected))
    if not reliable or not languages or _same(expected) in map(_same, languages):
        return False
    return languages[0] != "en" or score >= ENGLISH


def _language_of(text: str) -> str | None:
    """Return the language of a text; None if it is in doubt."""
    if len(text.encode("utf-8", "replace")) < SHORTEST:
        return None
    reliable, languages, score = _identify(text, None)
    sure = reliable and len(languages) == 1 and (languages[0] != "en" or score >= ENGLISH)
    return languages[0] if sure else None


def _identify(text: str, hint: str | None) -> tuple[bool, list[str], float]:
    """Return whether CLD2 is sure, its languages, and the score of the first."""
    import pycld2

    try:
        reliable, _, details = _detect()(text, hintLanguage=hint)
    except (pycld2.error, UnicodeError):  # CLD2 rejects control characters
        return False, [], 0.0
    languages = [written(code) for _, code, _, _ in details if code != "un"]
    return bool(reliable), languages, float(details[0][3])


def _same(code: str) -> str:
    return _SAME.get(code, code)


@functools.cache
def _detect() -> Callable[..., Any]:
    import pycld2

    detect: Callable[..., Any] = pycld2.detect
    return detect


@functools.cache
def _identifiable() -> frozenset[str]:
    import pycld2

    detected = set(pycld2.DETECTED_LANGUAGES)
    return frozenset(written(code) for name, code in pycld2.LANGUAGES if name in detected)
