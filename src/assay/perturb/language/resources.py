"""Loaders of linguistic resources, with the same interface for every package."""

from __future__ import annotations

import functools
import importlib.util
import math
from collections.abc import Callable
from typing import Any

from assay.core.errors import MissingPart
from assay.io.resources.wordnet import PARTS, find, load
from assay.perturb.language.texts import compile_pattern

Span = tuple[int, int]

_GRAMMAR_LENGTH = 3
"""Words of up to this length are mostly function words."""
_WORD = r"<W>+(?:['’·-]<W>+)*"


class Inflection:
    """Cached English word forms and lemmas: ``inflect("take", "VBD")`` is ``took``."""

    def __init__(self, language: str = "en") -> None:
        import lemminflect

        self._package = lemminflect
        self.inflect = functools.lru_cache(maxsize=1 << 16)(self._inflect)
        self.lemma = functools.lru_cache(maxsize=1 << 16)(self._lemma)

    def _inflect(self, lemma: str, tag: str) -> str | None:
        """Return the form of a lemma for a Penn tag, or None."""
        forms = self._package.getInflection(lemma, tag)
        return forms[0] if forms else None

    def _lemma(self, word: str, pos: str) -> str:
        """Return the lemma of a word as NOUN, VERB, ADJ or ADV."""
        lemmas = self._package.getLemma(word, pos)
        return lemmas[0] if lemmas else word.lower()


def load_inflection(language: str) -> Any:
    """Load word forms: lemminflect for English, pymorphy3 for Russian."""
    if language == "ru":
        return load_morphology(language)
    return Inflection(language)


def load_wordnet(language: str) -> Any:
    """Load WordNet 3.0."""
    path = find()
    if path is None:
        raise MissingPart("WordNet is not installed: apt install wordnet-base, or set ASSAY_WORDNET=FOLDER.")
    return load(path)


def load_frequency(language: str) -> Callable[[str], float]:
    """Return a function for the Zipf frequency of a word: 0 unknown, 3 rare, 5 common, 7 the most common.

    It uses wordfreq if it is installed; wordfreq's data are CC BY-SA, so it is a separate extra. Otherwise it estimates: for
    English by WordNet's sense-tagged texts, for other languages by length, since common words are short.
    """
    if importlib.util.find_spec("wordfreq") is None:
        return _guessed_frequency(language)
    import wordfreq

    if language not in wordfreq.available_languages():
        return _guessed_frequency(language)
    frequencies = wordfreq.get_frequency_dict(language)

    def zipf(word: str) -> float:
        frequency = frequencies.get(word.lower())
        return round(math.log10(frequency) + 9, 2) if frequency else 0.0

    return zipf


def _guessed_frequency(language: str) -> Callable[[str], float]:
    path = find() if language == "en" else None
    wordnet = load(path) if path else None

    def zipf(word: str) -> float:
        if wordnet is not None and len(word) > _GRAMMAR_LENGTH:
            return 4.0 if any(wordnet.tagged(word.lower(), part) for part in PARTS) else 2.5
        return max(7.5 - 0.45 * len(word), 2.0)

    return zipf


def load_lemmatizer(language: str) -> Callable[[str], str]:
    """Return a function from word to lemma, based on simplemma's tables."""
    import simplemma

    @functools.lru_cache(maxsize=1 << 16)
    def lemma(word: str) -> str:
        return str(simplemma.lemmatize(word, lang=language))

    return lemma


def load_locale(language: str) -> Any:
    """Load Babel's Locale: CLDR month names, number symbols and plural rules."""
    import babel

    try:
        return babel.Locale.parse(language)
    except (babel.UnknownLocaleError, ValueError):
        raise MissingPart(f"CLDR has no locale {language!r}: use a code such as de, fr or zh.") from None


def load_words(language: str) -> Callable[[str], list[Span]]:
    """Return a function from a text to the spans of its words, with a segmenter for languages written without spaces."""
    if language == "zh":
        return _chinese()
    if language == "ja":
        return _japanese()
    return _spaced


def _spaced(text: str) -> list[Span]:
    return [match.span() for match in compile_pattern(_WORD).finditer(text)]


def _chinese() -> Callable[[str], list[Span]]:
    try:
        import jieba
    except ImportError:
        raise MissingPart("splitting Chinese into words requires jieba: pip install 'mt-assay[make-zh]'.") from None
    jieba.setLogLevel(60)

    def words(text: str) -> list[Span]:
        return [(start, end) for word, start, end in jieba.tokenize(text) if compile_pattern(_WORD).match(word)]

    return words


def _japanese() -> Callable[[str], list[Span]]:
    try:
        from sudachipy import Dictionary
    except ImportError:
        raise MissingPart(
            "splitting Japanese into words requires sudachipy: pip install 'mt-assay[make-ja]'."
        ) from None
    dictionary = Dictionary(dict="core")
    tokenizer = dictionary.tokenizer() if hasattr(dictionary, "tokenizer") else dictionary.create()

    def words(text: str) -> list[Span]:
        tokens = tokenizer.tokenize(text)
        return [(token.begin(), token.end()) for token in tokens if compile_pattern(_WORD).match(token.surface())]

    return words


def load_morphology(language: str) -> Any:
    """Load pymorphy3's analyser for Russian."""
    import pymorphy3

    return pymorphy3.MorphAnalyzer()
