"""Consonant skeletons: does a Cyrillic or katakana word sound like this Latin name? *Трампа* and *Trump* share t-r-m-p."""

from __future__ import annotations

from assay.perturb.language.texts import levenshtein_similarity

_LATIN = (
    ("sch", "s"), ("ch", "k"), ("sh", "s"), ("ph", "h"), ("th", "t"), ("ck", "k"), ("gh", "g"), ("wr", "r"), ("kn", "n"),
    ("x", "ks"), ("q", "k"), ("c", "k"), ("f", "h"), ("v", "b"), ("w", ""), ("l", "r"), ("z", "s"), ("j", "s"), ("y", ""),
    ("h", "h"),
)  # fmt: skip
_CYRILLIC = dict(
    zip(
        "бвгджзклмнпрстфхцчшщ",
        ("b", "b", "g", "d", "s", "s", "k", "r", "m", "n", "p", "r", "s", "t", "h", "h", "s", "s", "s", "s"),
        strict=True,
    )
)
_KANA_ROWS = {
    "k": "カキクケコ", "g": "ガギグゲゴ", "s": "サシスセソザジズゼゾチヂ", "t": "タテト", "d": "ダデド", "ts": "ツヅ",
    "n": "ナニヌネノン", "h": "ハヒフヘホ", "b": "バビブベボヴ", "p": "パピプペポ", "m": "マミムメモ", "r": "ラリルレロ",
}  # fmt: skip
_KANA = {kana: letter for letter, row in _KANA_ROWS.items() for kana in row}


def skeleton(word: str) -> str:
    """The consonants of a word in one rough alphabet, doubled ones once."""
    text = word.lower()
    if any("a" <= char <= "z" for char in text):
        for old, new in _LATIN:
            text = text.replace(old, new)
        text = "".join(char for char in text if char in "bdghkmnprst")
    else:
        text = "".join(_CYRILLIC.get(char) or _KANA.get(char.upper(), "") for char in text)
    return "".join(char for at, char in enumerate(text) if not at or char != text[at - 1])


def sounds_like(word: str, name: str, least: float = 0.6) -> bool:
    """True where the consonants of both words agree for the greater part."""
    first, second = skeleton(word), skeleton(name)
    return bool(first and second) and levenshtein_similarity(first, second) >= least
