"""Porter's stemmer (Porter 1980, An algorithm for suffix stripping) with the extensions of NLTK's default mode.

METEOR's second stage matches words with identical stems. To reproduce NLTK's scores, stems must be exactly the same as NLTK's.
NLTK adds a list of irregular forms and a few suffixes in step 2. Words of one or two characters stay unchanged, ``dies`` and
``died`` become ``die``, and ``y`` becomes ``i`` after any consonant.
"""

from __future__ import annotations


def _rules(text: str) -> tuple[tuple[str, str], ...]:
    """Return the (suffix, replacement) pairs from a list such as ``ful: ator:ate``."""
    return tuple((suffix, replacement) for suffix, _, replacement in (rule.partition(":") for rule in text.split()))


IRREGULAR = dict(
    _rules(
        "sky:sky skies:sky dying:die lying:lie tying:tie news:news innings:inning inning:inning outings:outing outing:outing "
        "cannings:canning canning:canning howe:howe proceed:proceed exceed:exceed succeed:succeed"
    )
)
# The first suffix that a word ends with decides: either its rule is applied, or none.
STEP_2 = _rules(
    "ational:ate tional:tion enci:ence anci:ance izer:ize bli:ble entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate "
    "alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble fulli:ful"
)
STEP_3 = _rules("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:")
STEP_4 = _rules("al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:")

_CLASSES = bytes(ord("v" if chr(i) in "aeiou" else "y" if chr(i) == "y" else "c") for i in range(256))
_CACHE_WORDS, _CACHE_LENGTH = 1 << 17, 64
_cache: dict[str, str] = {}


def stem(word: str) -> str:
    """Return the stem of `word` in lower case. Stems are cached, since a text has far fewer distinct words than words."""
    cached = _cache.get(word)
    if cached is None:
        cached = _stem(word)
        if len(word) <= _CACHE_LENGTH:
            if len(_cache) >= _CACHE_WORDS:
                _cache.clear()
            _cache[word] = cached
    return cached


def _stem(word: str) -> str:
    lowered = word.lower()
    if lowered in IRREGULAR:
        return IRREGULAR[lowered]
    if len(word) <= 2:
        return lowered
    for step in (_step_1a, _step_1b, _step_1c, _step_2, _step_3, _step_4, _step_5a, _step_5b):
        lowered = step(lowered)
    return lowered


def _shape(word: str) -> bytes:
    """Return consonant (c) or vowel (v) for every character: y is a consonant at the start and after a vowel.

    As in NLTK, anything but an ASCII letter counts as a consonant.
    """
    shape = word.encode("ascii", "replace").translate(_CLASSES)
    if b"y" not in shape:
        return shape
    resolved = bytearray(shape)
    for i, kind in enumerate(resolved):
        if kind == ord("y"):
            resolved[i] = ord("c") if i == 0 or resolved[i - 1] == ord("v") else ord("v")
    return bytes(resolved)


def _measure(stem: str) -> int:
    """Return Porter's m, the number of vowels followed by a consonant."""
    return _shape(stem).count(b"vc")


def _short_end(stem: str) -> bool:
    """Return Porter's *o: consonant, vowel, and a consonant other than w, x, y at the end.

    NLTK also accepts two-letter stems: a vowel followed by a consonant.
    """
    shape = _shape(stem)
    return (shape.endswith(b"cvc") and stem[-1] not in "wxy") or shape == b"vc"


def _step_1a(word: str) -> str:
    if word.endswith("sses"):
        return word[:-2]
    if word.endswith("ies"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("s") and not word.endswith("ss"):
        return word[:-1]
    return word


def _step_1b(word: str) -> str:
    if word.endswith("ied"):
        return word[:-1] if len(word) == 4 else word[:-2]
    if word.endswith("eed"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    for suffix in ("ed", "ing"):
        if word.endswith(suffix) and b"v" in _shape(word[: -len(suffix)]):
            return _restored(word[: -len(suffix)])
    return word


def _restored(stem: str) -> str:
    """Restore a stem that lost -ed or -ing: add an e, or remove a doubled consonant."""
    if stem.endswith(("at", "bl", "iz")):
        return stem + "e"
    if len(stem) >= 2 and stem[-1] == stem[-2] and _shape(stem).endswith(b"c"):
        return stem if stem[-1] in "lsz" else stem[:-1]
    if stem.endswith("*d"):  # NLTK also treats its mark for "double consonant" as a literal suffix
        return stem[:-2] + "d"
    return stem + "e" if _measure(stem) == 1 and _short_end(stem) else stem


def _step_1c(word: str) -> str:
    if word.endswith("y") and len(word) > 2 and _shape(word[:-1]).endswith(b"c"):
        return word[:-1] + "i"
    return word


def _step_2(word: str) -> str:
    if word.endswith("alli"):
        return _step_2(word[:-2]) if _measure(word[:-4]) > 0 else word
    if word.endswith("logi"):
        return word[:-1] if _measure(word[:-3]) > 0 else word
    return _replaced(word, STEP_2)


def _step_3(word: str) -> str:
    return _replaced(word, STEP_3)


def _replaced(word: str, rules: tuple[tuple[str, str], ...]) -> str:
    for suffix, replacement in rules:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            return rest + replacement if _measure(rest) > 0 else word
    return word


def _step_4(word: str) -> str:
    for suffix, _ in STEP_4:
        if word.endswith(suffix):
            rest = word[: -len(suffix)]
            removable = _measure(rest) > 1 and (suffix != "ion" or rest[-1] in "st")
            return rest if removable else word
    return word


def _step_5a(word: str) -> str:
    if word.endswith("e"):
        measure = _measure(word[:-1])
        if measure > 1 or (measure == 1 and not _short_end(word[:-1])):
            return word[:-1]
    return word


def _step_5b(word: str) -> str:
    return word[:-1] if word.endswith("ll") and _measure(word[:-1]) > 1 else word
