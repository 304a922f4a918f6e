"""Write src/assay/data/words/calendar.tsv: names of months and weekdays in 21 languages, from the CLDR data in Babel.

python scripts/make_lint_calendar.py
"""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from babel import Locale

LANGUAGES = (
    "ar",
    "cs",
    "de",
    "en",
    "es",
    "fr",
    "he",
    "hi",
    "it",
    "ja",
    "ko",
    "nl",
    "pl",
    "pt",
    "ru",
    "sw",
    "th",
    "tr",
    "uk",
    "vi",
    "zh",
)
OUT = Path(__file__).resolve().parents[1] / "src/assay/data/words/calendar.tsv"


def names(language: str) -> dict[str, list[str]]:
    """Return the names of each month (``m1`` to ``m12``) and weekday (``d1`` is Monday) of a language."""
    locale = Locale.parse(language)
    found: dict[str, list[str]] = {}
    for kind, tables, shift in (("m", locale.months, 0), ("d", locale.days, 1)):
        for context in ("format", "stand-alone"):
            for width in ("wide", "abbreviated"):
                for number, name in tables[context][width].items():
                    plain = name.strip(".").lower()
                    if (
                        len(plain) > 1
                        and not plain[0].isdigit()
                        and plain not in found.setdefault(f"{kind}{number + shift}", [])
                    ):
                        found[f"{kind}{number + shift}"].append(plain)
    return found


def rows(language: str) -> list[str]:
    """Return the rows of a language."""
    keys = sorted(names(language).items(), key=lambda item: (item[0][0], int(item[0][1:])))
    return [
        f"{language} {key}\t{(', ' if any(' ' in word for word in words) else ' ').join(words)}"
        for key, words in keys
        if words
    ]


if __name__ == "__main__":
    if sys.argv[1:]:
        print("\n".join(rows(sys.argv[1])))
    else:
        # One process per language: Babel's tables of one language otherwise fill the gaps of the next.
        parts = [subprocess.check_output([sys.executable, __file__, language], text=True) for language in LANGUAGES]
        OUT.write_text("key\twords\n" + "".join(parts))
        print(f"wrote {OUT}")
