"""Scripts of texts, and the scripts in which languages are written."""

from __future__ import annotations

import re
from collections.abc import Iterable

from assay.core.langpair import written

SHORTEST = 40
"""Bytes of UTF-8 below which a text says nothing about its language: names, numbers, interjections."""
FEWEST, CLEAR = 5, 0.8
"""Texts that are needed, and the share of their letters from which on a script is clear."""
_RANGES = {
    "Latin": "A-Za-z\u00c0-\u024f\u1e00-\u1eff",
    "Cyrillic": "\u0400-\u052f",
    "Greek": "\u0370-\u03ff\u1f00-\u1fff",
    "Arabic": "\u0620-\u06ff\u0750-\u077f\ufb50-\ufdff\ufe70-\ufeff",
    "Hebrew": "\u05d0-\u05f4",
    "Devanagari": "\u0900-\u097f",
    "Bengali": "\u0980-\u09ff",
    "Gurmukhi": "\u0a00-\u0a7f",
    "Gujarati": "\u0a80-\u0aff",
    "Oriya": "\u0b00-\u0b7f",
    "Tamil": "\u0b80-\u0bff",
    "Telugu": "\u0c00-\u0c7f",
    "Kannada": "\u0c80-\u0cff",
    "Malayalam": "\u0d00-\u0d7f",
    "Sinhala": "\u0d80-\u0dff",
    "Thai": "\u0e01-\u0e5b",
    "Lao": "\u0e81-\u0edf",
    "Tibetan": "\u0f00-\u0fff",
    "Burmese": "\u1000-\u109f",
    "Georgian": "\u10a0-\u10ff",
    "Ethiopic": "\u1200-\u139f",
    "Khmer": "\u1780-\u17ff",
    "Armenian": "\u0531-\u058f",
    "Korean": "\u1100-\u11ff\uac00-\ud7af",
    "Chinese": "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff",
    "Japanese": "\u3041-\u30ff\u31f0-\u31ff",
}
_PATTERNS = {name: re.compile(f"[{ranges}]+") for name, ranges in _RANGES.items()}
_LANGUAGES = {
    "Latin": "en de fr es pt it nl sv da no fi is et lv lt pl cs sk sl hr hu ro sq tr vi id ms tl sw yo ig zu xh af ca gl eu cy "
    "ga gd mt la so om",
    "Cyrillic": "ru uk bg be mk ky tg tt",
    "Greek": "el",
    "Arabic": "ar fa ur ps ug sd",
    "Hebrew": "he yi",
    "Devanagari": "hi mr ne sa bho mai",
    "Bengali": "bn as",
    "Gujarati": "gu",
    "Oriya": "or",
    "Tamil": "ta",
    "Telugu": "te",
    "Kannada": "kn",
    "Malayalam": "ml",
    "Sinhala": "si",
    "Thai": "th",
    "Lao": "lo",
    "Tibetan": "bo dz",
    "Burmese": "my",
    "Georgian": "ka",
    "Ethiopic": "am ti",
    "Khmer": "km",
    "Armenian": "hy",
    "Korean": "ko",
    "Chinese": "zh",
    "Japanese": "ja",
}
_SCRIPT_OF = {language: script for script, languages in _LANGUAGES.items() for language in languages.split()}


def script_of_language(language: str) -> str:
    """Return the script of a language; empty if it has several (``sr``), names its own (``sr_Latn``), or is not known."""
    names_script = any(len(part) == 4 and part.isalpha() for part in re.split("[-_]", language)[1:])
    code = written(language)
    return "" if names_script and code != "zh" else _SCRIPT_OF.get(code, "")


def long_enough(text: str | None) -> bool:
    """Return whether a text says something about its language."""
    if not text or len(text) * 4 < SHORTEST:
        return False
    return len(text) >= SHORTEST or len(text.encode("utf-8", "replace")) >= SHORTEST


def script_of(text: str) -> str:
    """Return the script that clearly dominates a text; empty if none does.

    Japanese mixes kana with Han characters; a text with too few kana for Japanese and too many for Chinese is in doubt.
    """
    counts = {name: sum(map(len, pattern.findall(text))) for name, pattern in _counting(text)}
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


def _counting(text: str) -> Iterable[tuple[str, re.Pattern[str]]]:
    """The patterns that can match: text in ASCII is Latin."""
    return [("Latin", _PATTERNS["Latin"])] if text.isascii() else _PATTERNS.items()
