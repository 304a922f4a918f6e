"""Word alignment from the segments of a pool: the source word of each translated word.

Words are counted by stem because most forms are rare. Two stems are aligned if they share segments far more often than either
does with any other stem (mutual best by Dice's coefficient, with a margin). Words that look alike after transliteration need
less evidence. All other pairs are in doubt: a collocation (*White House*) gives two words the same counterparts, and one shared
segment is chance.
"""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from difflib import SequenceMatcher
from typing import Any

from assay.core.errors import MissingPart
from assay.core.perturbation import Tools
from assay.data.words import word_list
from assay.perturb.language.texts import base_language, is_spaceless

Span = tuple[int, int]

_STEM = 6
"""Number of initial letters that are used as the stem if the lemma is unknown."""
_LONGER = 1.5
"""Maximum length ratio of words that look alike: *Präsidentschaftskandidatur* means more than *president*."""
_COMMON, _RARE = 5.7, 1.0
"""Range of Zipf frequencies of content words."""
_PHRASAL = frozenset(word_list("words that other languages say in several"))
"""English words that other languages express with several words, or the reverse."""
_SHARED = 3
"""Minimum number of shared segments that counts as evidence."""
_MARGIN = 0.72
"""Maximum score of the second-best counterpart, as a share of the best."""
_RIVAL = 0.75
"""Maximum score of another pair in the sentence that shares a word, as a share of this pair's score."""
_FLOOR = 0.45
"""Minimum Dice coefficient of an accepted pair."""

READ = frozenset(f"{source}-en" for source in ("cs", "de", "es", "fr", "it", "nl", "pl", "pt", "ro", "ru", "sv"))
"""Language pairs whose results passed a manual check. In all others a word pair stays in doubt."""


class WordAlignment:
    """Evidence from a pool for one language pair: the `confidence` of a word pair, from 0 to 1."""

    def __init__(self, pairs: Sequence[tuple[str, str]], source: str, target: str, tools: Tools) -> None:
        self._stems = _stemmer(source, tools), _stemmer(target, tools)
        self._words = _finder(source, tools), _finder(target, tools)
        self._first: Counter[str] = Counter()
        self._second: Counter[str] = Counter()
        both: Counter[tuple[str, str]] = Counter()
        for source_text, target_text in pairs:
            left, right = self._bag(source_text, 0), self._bag(target_text, 1)
            self._first.update(left)
            self._second.update(right)
            both.update((x, y) for x in left for y in right)
        self._forward: dict[str, list[tuple[float, str]]] = defaultdict(list)
        self._backward: dict[str, list[tuple[float, str]]] = defaultdict(list)
        for (x, y), count in both.items():
            if count >= _SHARED:
                dice = 2 * count / (self._first[x] + self._second[y])
                self._forward[x].append((dice, y))
                self._backward[y].append((dice, x))
        self._both = both

    def words(self, text: str, side: int) -> list[Span]:
        """Return the words of a source (side 0) or a translation (side 1)."""
        return self._words[side](text)

    def stem(self, word: str, side: int) -> str:
        """Return the stem under which a word is counted."""
        return self._stems[side](word.lower())

    def _bag(self, text: str, side: int) -> set[str]:
        return {self.stem(text[a:b], side) for a, b in self.words(text, side)}

    def confidence(self, source_word: str, target_word: str) -> float:
        """Return the confidence that two words translate each other."""
        x, y = self.stem(source_word, 0), self.stem(target_word, 1)
        together = self._together(x, y)
        alike = resemblance(source_word, target_word)
        if alike >= 0.5 and max(len(target_word), len(source_word)) > _LONGER * min(len(target_word), len(source_word)):
            return min(together, 0.45)
        if alike >= 0.5 and len(target_word) > 4 and len(source_word) > 4:
            return min(0.95, max(together, 0.0) / 2 + 0.6 * alike + (0.1 if self._both[x, y] > 1 else 0.0))
        return together

    def pairs(
        self, source: str, source_spans: Sequence[Span], text: str, target_spans: Sequence[Span]
    ) -> list[tuple[Span, Span, float]]:
        """Return the translation's words with their mutually best source words and the confidence of each pair."""
        table = {
            (target_span, source_span): self.confidence(source[slice(*source_span)], text[slice(*target_span)])
            for target_span in target_spans
            for source_span in source_spans
        }
        aligned_pairs = []
        for target_span in target_spans if source_spans else ():
            source_span = max(source_spans, key=lambda span: table[target_span, span])
            value = table[target_span, source_span]
            rivals = [table[target_span, span] for span in source_spans if span != source_span]
            rivals += [table[span, source_span] for span in target_spans if span != target_span]
            if value > 0 and max(rivals, default=0.0) <= _RIVAL * value:
                aligned_pairs.append((target_span, source_span, value))
        return aligned_pairs

    def _together(self, x: str, y: str) -> float:
        count = self._both[x, y]
        if count < _SHARED:
            return 0.1 * count
        dice = 2 * count / (self._first[x] + self._second[y])
        rivals = [value for value, other in self._forward[x] if other != y and other[:4] != y[:4]]
        rivals += [value for value, other in self._backward[y] if other != x and other[:4] != x[:4]]
        second = max(rivals, default=0.0)
        if second > _MARGIN * dice or dice < _FLOOR:
            return min(0.45, dice * 0.5)
        weight = min(1.0, 0.7 + 0.1 * (count - _SHARED))
        return min(0.99, 0.5 + (dice - _FLOOR) * weight)


@functools.lru_cache(maxsize=8)
def align_words(langpair: str, tools: Tools) -> WordAlignment:
    """Return the word alignment for a language pair, computed from the pool."""
    source, _, target = langpair.rpartition("-")
    pool = [other for other in tools.others() if other.langpair == langpair and other.source]
    return WordAlignment([(other.source or "", other.hypothesis) for other in pool], source, target, tools)


def content_words(text: str, language: str, tools: Tools) -> list[tuple[Span, float]]:
    """Return the content words with their frequencies: letters only, neither function words nor very short ones."""
    spans = tools.get("words", language)(text)
    frequency: Any = tools.get("frequency", language)
    shortest = 1 if is_spaceless(language) else 3
    content = []
    for start, end in spans:
        word = text[start:end]
        if len(word) < shortest or not word.replace("-", "").isalpha():
            continue
        zipf = 0.0 if word.lower() in _PHRASAL else frequency(word)
        if _RARE < zipf < _COMMON and not (word[0].isupper() and start and language != "de"):
            content.append(((start, end), zipf))
    return content


def resemblance(first: str, second: str) -> float:
    """Return how similar two words look in Latin letters without accents, from 0 to 1; they must have the same first letter."""
    left, right = (_plain(word) for word in (first, second))
    if not left or not right or left[0] != right[0]:
        return 0.0
    return SequenceMatcher(None, left, right, autojunk=False).ratio()


_LETTERS = (
    "аa бb вv гg ґg дd еe єe жzh зz иi іi їi йi кk лl мm нn оo пp рr сs тt уu фf хh цts чch шsh щsh ыy эe юyu яya "
    "αa βv γg δd εe ζz ηi θth ιi κk λl μm νn ξx οo πp ρr σs ςs τt υy φf χh ψps ωo"
)
_LATIN = str.maketrans({entry[0]: entry[1:] for entry in _LETTERS.split()})
"""Rough transliteration of Cyrillic and Greek letters."""


@functools.lru_cache(maxsize=1 << 16)
def _plain(word: str) -> str:
    lowered = unicodedata.normalize("NFC", word.lower()).translate(_LATIN)
    return "".join(char for char in unicodedata.normalize("NFD", lowered) if char.isascii() and char.isalpha())


def _finder(language: str, tools: Tools) -> Callable[[str], list[Span]]:
    """Return a function that finds words without digits, above a minimum length."""
    words = tools.get("words", language)
    shortest = 1 if is_spaceless(language) else 3

    def found(text: str) -> list[Span]:
        return [(a, b) for a, b in words(text) if b - a >= shortest and not any(c.isdigit() for c in text[a:b])]

    return found


def _stemmer(language: str, tools: Tools) -> Callable[[str], str]:
    """Return a function from word to stem: the lemma if simplemma supports the language, else the first letters."""
    if is_spaceless(language):
        return str
    try:
        lemma = tools.get("lemma", base_language(language))
        lemma("a")
    except (MissingPart, ValueError):
        return lambda word: word[:_STEM]
    return functools.lru_cache(maxsize=1 << 16)(lambda word: lemma(word).lower()[: _STEM + 2])
