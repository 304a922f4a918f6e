"""Loaders of the resources that perturbations ask for by name: thin wrappers with one shape, whatever package is behind."""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Callable
from typing import Any

from assay.core.errors import MissingPart
from assay.io.resources.wordnet import PARTS, find, load
from assay.perturb.language.texts import pattern

Span = tuple[int, int]

_GRAMMAR_LENGTH = 3
"""Words up to this length are mostly grammar."""
_WORD = r"<W>+(?:['’·-]<W>+)*"


class Inflection:
    """English word forms both ways, remembered: ``inflect("take", "VBD")`` is ``took``."""

    def __init__(self, language: str = "en") -> None:
        import lemminflect

        self._package = lemminflect
        self.inflect = functools.lru_cache(maxsize=1 << 16)(self._inflect)
        self.lemma = functools.lru_cache(maxsize=1 << 16)(self._lemma)

    def _inflect(self, lemma: str, tag: str) -> str | None:
        """The form of a lemma under a Penn tag, or None where it has none."""
        forms = self._package.getInflection(lemma, tag)
        return forms[0] if forms else None

    def _lemma(self, word: str, pos: str) -> str:
        """The base form of a word as NOUN, VERB, ADJ or ADV."""
        lemmas = self._package.getLemma(word, pos)
        return lemmas[0] if lemmas else word.lower()


def load_inflection(language: str) -> Any:
    """Word forms: by lemminflect for English, by pymorphy3 for Russian."""
    if language == "ru":
        return load_morphology(language)
    return Inflection(language)


def load_wordnet(language: str) -> Any:
    """WordNet 3.0 as `assay.io.resources.wordnet` reads it."""
    place = find()
    if place is None:
        raise MissingPart("WordNet is not here: apt install wordnet-base, or ASSAY_WORDNET=FOLDER.")
    return load(place)


def load_frequency(language: str) -> Callable[[str], float]:
    """Zipf frequency of a word: 0 unknown, 3 rare, 5 common, 7 the commonest.

    By wordfreq where it is installed (its data are CC BY-SA, so it is an extra of its own); else a rough guess: for English
    whether WordNet met the word in its sense-tagged texts, elsewhere by length, since common words are short.
    """
    if importlib.util.find_spec("wordfreq") is None:
        return _guessed_frequency(language)
    import wordfreq

    if language not in wordfreq.available_languages():
        return _guessed_frequency(language)
    frequencies = wordfreq.get_frequency_dict(language)

    def zipf(word: str) -> float:
        known = frequencies.get(word.lower())
        return round(math.log10(known) + 9, 2) if known else 0.0

    return zipf


def _guessed_frequency(language: str) -> Callable[[str], float]:
    place = find() if language == "en" else None
    wordnet = load(place) if place else None

    def zipf(word: str) -> float:
        if wordnet is not None and len(word) > _GRAMMAR_LENGTH:
            return 4.0 if any(wordnet.tagged(word.lower(), part) for part in PARTS) else 2.5
        return max(7.5 - 0.45 * len(word), 2.0)

    return zipf


def load_lemmatizer(language: str) -> Callable[[str], str]:
    """Word to lemma by simplemma's tables."""
    import simplemma

    @functools.lru_cache(maxsize=1 << 16)
    def lemma(word: str) -> str:
        return str(simplemma.lemmatize(word, lang=language))

    return lemma


def load_locale(language: str) -> Any:
    """Babel's Locale: month names, number symbols, plural rules of CLDR."""
    import babel

    try:
        return babel.Locale.parse(language)
    except (babel.UnknownLocaleError, ValueError):
        raise MissingPart(f"CLDR has no locale {language!r}: use a code such as de, fr or zh.") from None


def load_words(language: str) -> Callable[[str], list[Span]]:
    """A function from a text to the spans of its words: by spaces and signs, or by a segmenter where none are written."""
    if language == "zh":
        return _chinese()
    if language == "ja":
        return _japanese()
    return _spaced


def _spaced(text: str) -> list[Span]:
    return [match.span() for match in pattern(_WORD).finditer(text)]


def _chinese() -> Callable[[str], list[Span]]:
    try:
        import jieba
    except ImportError:
        raise MissingPart("words of Chinese need jieba: pip install 'mt-assay[make-zh]'.") from None
    jieba.setLogLevel(60)

    def words(text: str) -> list[Span]:
        return [(start, end) for word, start, end in jieba.tokenize(text) if pattern(_WORD).match(word)]

    return words


def _japanese() -> Callable[[str], list[Span]]:
    try:
        from sudachipy import Dictionary
    except ImportError:
        raise MissingPart("words of Japanese need sudachipy: pip install 'mt-assay[make-ja]'.") from None
    dictionary = Dictionary(dict="core")
    tokenizer = dictionary.tokenizer() if hasattr(dictionary, "tokenizer") else dictionary.create()

    def words(text: str) -> list[Span]:
        tokens = tokenizer.tokenize(text)
        return [(token.begin(), token.end()) for token in tokens if pattern(_WORD).match(token.surface())]

    return words


def load_morphology(language: str) -> Any:
    """pymorphy3's analyser, for Russian."""
    import pymorphy3

    return pymorphy3.MorphAnalyzer()
