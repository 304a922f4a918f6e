"""Whether a translation is in the language it should be in: CLD2, which is fast and knows 160 languages, asked with caution.

What a wrong alarm costs is trust in all alarms, so that it is asked whether the text is surely *not* in its language: the text must
be long enough, CLD2 must call its answer reliable, and the expected language must not be among its first three, although it was
given as a hint. English needs a higher score than others: foreign names look English. Near relatives count as one. What this finds
and misses: docs/decisions/0010-flags.md.
"""

from __future__ import annotations

import functools
import importlib.util
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.langpair import target, written

if TYPE_CHECKING:
    from assay.core.metric import Bools

SHORTEST = 40
"""Bytes of UTF-8 below which nothing is said."""
ENGLISH = 700
"""CLD2's score (a thousand is usual) from which on a text is English, not a text with names."""
_KIN = {"bs": "hr", "sr": "hr", "ms": "id", "da": "no"}
"""Languages that sentences cannot be told apart in."""
_FAMILIES = tuple(
    frozenset(family.split())
    for family in (
        "bs hr sr sl", "cs sk", "da no", "id ms jv su", "hi mr ne bho mai sa", "bg mk", "gl es", "gl pt", "af nl"
    )
)  # fmt: skip
"""Languages that a few texts in one of them, or in a dialect, may be taken for another of."""
MOSTLY = 85
"""Percent of joined texts that must be in one language."""
_HINTS = {"he": "iw", "jv": "jw"}


def available() -> bool:
    """Whether languages can be identified here."""
    return importlib.util.find_spec("pycld2") is not None


def need() -> None:
    """Say what to install where they cannot."""
    if not available():
        raise MissingPart("identifying languages needs the extra 'languages': pip install 'mt-assay[languages]'")


def wrong_language(batch: Batch) -> Bools:
    """The rows whose translation is surely in another language than the one its language pair, or its reference, says."""
    import numpy as np

    wrong = np.zeros(len(batch), bool)
    spoken: dict[str, str | None] = {}
    for i, text in enumerate(batch.hypotheses):
        if len(text) < SHORTEST and (text.isascii() or len(text.encode("utf-8", "replace")) < SHORTEST):
            continue
        wanted = None if batch.langpairs is None else written(target(batch.langpairs[i])) or None
        if wanted is None and batch.references:
            reference = next((column[i] for column in batch.references if column[i] is not None), None)
            if reference is None or reference == text:
                continue
            if reference not in spoken:
                spoken[reference] = _language_of(reference)
            wanted = spoken[reference]
        if wanted is not None and wanted in _known():
            wrong[i] = _is_other(text, wanted)
    return wrong


def main_language(text: str) -> str:
    """Return the language that joined texts are surely and mostly in; empty if in doubt, or if it cannot be identified here."""
    if not available():
        return ""
    import pycld2

    try:
        reliable, _, details = _detect()(text)
    except (pycld2.error, UnicodeError):
        return ""
    code = written(details[0][1])
    return code if reliable and details[0][2] >= MOSTLY and code in _known() else ""


def is_known(language: str) -> bool:
    """Return whether a language can be identified here."""
    return available() and language in _known()


def related(one: str, other: str) -> bool:
    """Return whether two languages are one, or so near that texts in them are not told apart reliably."""
    if _kin(one) == _kin(other):
        return True
    return any({one, other} <= family for family in _FAMILIES)


def _is_other(text: str, wanted: str) -> bool:
    """Whether a text is surely not in a language."""
    reliable, found, score = _asked(text, _HINTS.get(wanted, wanted))
    if not reliable or not found or _kin(wanted) in map(_kin, found):
        return False
    return found[0] != "en" or score >= ENGLISH


def _language_of(text: str) -> str | None:
    """The language of a text; None where it is in doubt."""
    if len(text.encode("utf-8", "replace")) < SHORTEST:
        return None
    reliable, found, score = _asked(text, None)
    return found[0] if reliable and len(found) == 1 and (found[0] != "en" or score >= ENGLISH) else None


def _asked(text: str, hint: str | None) -> tuple[bool, list[str], float]:
    """Whether CLD2 is sure, the languages it finds, and the score of the first."""
    import pycld2

    try:
        reliable, _, details = _detect()(text, hintLanguage=hint)
    except (pycld2.error, UnicodeError):  # it takes no control characters
        return False, [], 0.0
    found = [written(code) for _, code, _, _ in details if code != "un"]
    return bool(reliable), found, float(details[0][3])


def _kin(code: str) -> str:
    return _KIN.get(code, code)


@functools.cache
def _detect() -> Callable[..., Any]:
    import pycld2

    detect: Callable[..., Any] = pycld2.detect
    return detect


@functools.cache
def _known() -> frozenset[str]:
    import pycld2

    detected = set(pycld2.DETECTED_LANGUAGES)
    return frozenset(written(code) for name, code in pycld2.LANGUAGES if name in detected)
