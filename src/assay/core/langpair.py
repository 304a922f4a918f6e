"""What a language pair such as en-de says about the language that is translated into."""

from __future__ import annotations

import re
from functools import lru_cache

_LANGUAGE = re.compile("[a-z]{2,3}")
_CHINESE = ("zho", "chi", "cmn", "yue", "wuu", "nan", "hak", "lzh")
_SHORTER = {
    **dict.fromkeys(_CHINESE, "zh"),
    "jpn": "ja",
    "kor": "ko",
    "tha": "th",
    "lao": "lo",
    "mya": "my",
    "bur": "my",
}
_SHORTER |= {"khm": "km", "bod": "bo", "tib": "bo", "dzo": "dz", "iii": "ii"}
NO_BLANKS = ("th", "lo", "my", "km", "bo", "dz", "shn", "nod", "khb", "tdd", "ii")
"""Languages written without blanks between words, beside Chinese and Japanese: Thai, Lao, Burmese, Khmer, Tibetan, Dzongkha,
Shan, Northern Thai, Lü, Tai Nüa, Nuosu."""


@lru_cache(maxsize=1024)
def target(langpair: str | None) -> str:
    """The language translated into: ``de`` of en-de, ``zh-CN`` of en-zh-CN, ``zho_Hans`` of eng_Latn-zho_Hans.

    A language alone is the target itself; without any it is an empty text.
    """
    parts = (langpair or "").strip().split("-")
    languages = [at for at, part in enumerate(parts) if at and _LANGUAGE.fullmatch(re.split("_", part)[0])]
    regions = any(part[:1].isupper() for part in parts)
    first = languages[-1] if languages and regions else 1
    return "-".join(parts[first:]) if len(parts) > 1 else parts[0]


def written(language: str) -> str:
    """The language without script and region, by its shorter code where it has one: ``zh`` of zh_TW and of zho_Hans."""
    code = re.split("[-_]", language)[0].lower()
    return _SHORTER.get(code, code)
