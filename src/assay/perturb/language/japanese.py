"""Forms of Japanese verbs by their dictionary form and conjugation class, as Sudachi names it: a table of endings."""

from __future__ import annotations

_BEFORE_NAI = dict(zip("うくぐすつぬぶむる", "わかがさたなばまら", strict=True))
_BEFORE_TA = {
    "う": "った", "つ": "った", "る": "った", "く": "いた", "ぐ": "いだ", "す": "した", "ぬ": "んだ", "ぶ": "んだ", "む": "んだ",
}  # fmt: skip
_GOING = ("行く", "いく", "ゆく", "逝く")
_UNUSUAL = ("問う", "請う", "乞う", "とう", "くださる", "下さる", "なさる", "いらっしゃる", "おっしゃる", "ござる")
"""Verbs whose forms the table does not give."""


def negative_stem(lemma: str, kind: str) -> str | None:
    """What stands before *ない*: *書か* of *書く*; None where the class is not one of today's language."""
    if lemma in _UNUSUAL or lemma.endswith("ある"):
        return None
    return _stem(lemma, kind, _BEFORE_NAI)


def past(lemma: str, kind: str) -> str | None:
    """The plain past: *書いた* of *書く*."""
    if lemma in _UNUSUAL:
        return None
    if lemma in _GOING:
        return lemma[:-1] + "った"
    if kind.startswith("五段"):
        return _stem(lemma, kind, _BEFORE_TA)
    stem = _stem(lemma, kind, {})
    if stem is None:
        return None
    return ("き" if stem == "こ" else stem) + "た"


def _stem(lemma: str, kind: str, rows: dict[str, str]) -> str | None:
    if kind.startswith("五段"):
        return lemma[:-1] + rows[lemma[-1]] if lemma[-1] in rows else None
    if kind.startswith(("上一段", "下一段")) and lemma.endswith("る"):
        return lemma[:-1]
    if kind.startswith("サ行変格") and lemma.endswith("する"):
        return lemma[:-2] + "し"
    if kind.startswith("カ行変格"):
        return {"来る": "来", "くる": "こ"}.get(lemma)
    return None
