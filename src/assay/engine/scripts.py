"""Scripts of texts, and the scripts in which languages are written."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter

from assay.core.langpair import written

SHORTEST = 40
"""Bytes of UTF-8 below which a text says nothing about its language: names, numbers, interjections."""
FEWEST, CLEAR = 5, 0.8
"""Texts that are needed, and the share of their letters from which on a script is clear."""
_RANGES = (
    (0x0041, 0x005A, "Latin"),
    (0x0061, 0x007A, "Latin"),
    (0x00C0, 0x024F, "Latin"),
    (0x0370, 0x03FF, "Greek"),
    (0x0400, 0x052F, "Cyrillic"),
    (0x0531, 0x058F, "Armenian"),
    (0x05D0, 0x05F4, "Hebrew"),
    (0x0620, 0x06FF, "Arabic"),
    (0x0750, 0x077F, "Arabic"),
    (0x0900, 0x097F, "Devanagari"),
    (0x0980, 0x09FF, "Bengali"),
    (0x0A00, 0x0A7F, "Gurmukhi"),
    (0x0A80, 0x0AFF, "Gujarati"),
    (0x0B00, 0x0B7F, "Oriya"),
    (0x0B80, 0x0BFF, "Tamil"),
    (0x0C00, 0x0C7F, "Telugu"),
    (0x0C80, 0x0CFF, "Kannada"),
    (0x0D00, 0x0D7F, "Malayalam"),
    (0x0D80, 0x0DFF, "Sinhala"),
    (0x0E01, 0x0E5B, "Thai"),
    (0x0E81, 0x0EDF, "Lao"),
    (0x0F00, 0x0FFF, "Tibetan"),
    (0x1000, 0x109F, "Burmese"),
    (0x10A0, 0x10FF, "Georgian"),
    (0x1100, 0x11FF, "Korean"),
    (0x1200, 0x139F, "Ethiopic"),
    (0x1780, 0x17FF, "Khmer"),
    (0x1E00, 0x1EFF, "Latin"),
    (0x1F00, 0x1FFF, "Greek"),
    (0x3041, 0x30FF, "Japanese"),
    (0x31F0, 0x31FF, "Japanese"),
    (0x3400, 0x4DBF, "Chinese"),
    (0x4E00, 0x9FFF, "Chinese"),
    (0xAC00, 0xD7AF, "Korean"),
    (0xF900, 0xFAFF, "Chinese"),
    (0xFB50, 0xFDFF, "Arabic"),
    (0xFE70, 0xFEFF, "Arabic"),
)
"""First and last letter of every block, in order, with its script."""
_STARTS = [start for start, _, _ in _RANGES]
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
    counts: Counter[str] = Counter()
    for character, n in Counter(text).items():
        at = bisect_right(_STARTS, ord(character)) - 1
        if at >= 0 and ord(character) <= _RANGES[at][1]:
            counts[_RANGES[at][2]] += n
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
