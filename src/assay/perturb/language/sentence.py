"""Parsed sentence as plain lists of token attributes, for rules that read every word many times.

English uses spaCy's own dependency scheme (dobj, pobj, prep). Russian and Japanese use Universal Dependencies.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from assay.core.errors import MissingPart
from assay.core.perturbation import Tools
from assay.perturb.language.texts import base_language

_KEY = "assay.sentence"
NAME_TYPES = ("PERSON", "GPE", "LOC", "ORG", "FAC", "NORP", "PRODUCT", "EVENT", "WORK_OF_ART")
"""Entity types of names, unlike dates and amounts."""
SUBJECTS = ("nsubj", "nsubjpass", "csubj", "csubjpass")


@dataclass(frozen=True, slots=True)
class Entity:
    """A name of type `label` (PERSON, GPE, LOC, ORG …) from word `first` to word `last`, inclusive."""

    first: int
    last: int
    label: str


@dataclass
class Sentence:
    """Columns with one entry per token. `starts` and `ends` are character offsets into `text`; a root is its own head."""

    text: str
    words: list[str]
    lower: list[str]
    starts: list[int]
    ends: list[int]
    lemmas: list[str]
    tags: list[str]
    pos: list[str]
    deps: list[str]
    heads: list[int]
    entities: list[Entity]
    firsts: frozenset[int]
    """The first token of each sentence in the text."""
    feats: list[Mapping[str, str]] = field(default_factory=list)
    """Morphological features of each token, if the parser provides them (not in English)."""
    sound: bool = True
    """False if the heads do not form a tree."""

    def __len__(self) -> int:
        return len(self.words)

    @cached_property
    def children(self) -> list[list[int]]:
        """The dependents of each token, from left to right."""
        children: list[list[int]] = [[] for _ in self.words]
        for i, head in enumerate(self.heads):
            if head != i:
                children[head].append(i)
        return children

    @cached_property
    def edges(self) -> list[tuple[int, int]]:
        """The first and the last token of each token's subtree."""
        left, right = list(range(len(self))), list(range(len(self)))
        for i in range(len(self)):
            at = i
            while self.heads[at] != at:
                at = self.heads[at]
                left[at], right[at] = min(left[at], i), max(right[at], i)
        return list(zip(left, right, strict=True))

    @cached_property
    def named(self) -> list[str]:
        """The entity type of each token, or an empty string."""
        labels = [""] * len(self)
        for entity in self.entities:
            for i in range(entity.first, entity.last + 1):
                labels[i] = entity.label
        return labels

    @cached_property
    def roots(self) -> list[int]:
        """The main verb (or other head) of each sentence of the text."""
        return [i for i, head in enumerate(self.heads) if head == i and self.pos[i] not in ("PUNCT", "SPACE")]

    def child(self, i: int, *deps: str) -> int | None:
        """Return the first dependent of token `i` with one of these relations."""
        return next((child for child in self.children[i] if self.deps[child] in deps), None)

    def span(self, first: int, last: int) -> str:
        """Return the text from token `first` to token `last`."""
        return self.text[self.starts[first] : self.ends[last]]

    def is_word(self, i: int) -> bool:
        """Return whether a token contains only letters, apart from hyphens and apostrophes."""
        return self.words[i].replace("-", "").replace("'", "").replace("’", "").isalpha()

    def hyphened(self, i: int) -> bool:
        """Return whether a hyphen is attached to token `i`, before or after."""
        return self.text.startswith("-", self.ends[i]) or self.text.endswith("-", 0, self.starts[i])


def parse_sentence(tools: Tools, text: str, language: str) -> Sentence:
    """Return the parsed text, converted from the Doc once and cached in it."""
    document = tools.parse(text, language)
    if isinstance(document, Sentence):
        return document
    sentence = document.user_data.get(_KEY)
    if sentence is None:
        sentence = document.user_data[_KEY] = convert_document(document, _lemmatizer(tools, language))
    return sentence  # type: ignore[no-any-return]


def _lemmatizer(tools: Tools, language: str) -> Callable[[str, str], str] | None:
    """Return lemminflect's lemmatizer for English if installed: spaCy's small model has *hop* for *hopes*, *specie* for
    *species*.
    """
    if base_language(language) != "en":
        return None
    try:
        return tools.get("inflection", language).lemma  # type: ignore[no-any-return]
    except MissingPart:
        return None


def _lemma(token: Any, lemmatize: Callable[[str, str], str] | None) -> str:
    part = "VERB" if token.tag_.startswith("VB") and token.pos_ == "VERB" else "NOUN" if token.tag_ == "NNS" else ""
    if lemmatize is None or not part or not token.text.isalpha():
        return str(token.lemma_)
    return lemmatize(token.text.lower(), part)


def convert_document(document: Any, lemmatize: Callable[[str, str], str] | None = None) -> Sentence:
    """Convert a Doc; verbs and plurals get their lemmas from `lemmatize` if it is given."""
    words = [token.text for token in document]
    starts = [token.idx for token in document]
    return Sentence(
        text=document.text,
        words=words,
        lower=[word.lower() for word in words],
        starts=starts,
        ends=[start + len(word) for start, word in zip(starts, words, strict=True)],
        lemmas=[_lemma(token, lemmatize) for token in document],
        tags=[token.tag_ for token in document],
        pos=[token.pos_ for token in document],
        deps=[token.dep_.removesuffix("_bunsetu") for token in document],
        heads=[token.head.i for token in document],
        entities=[Entity(entity.start, entity.end - 1, entity.label_) for entity in document.ents],
        firsts=frozenset(span.start for span in document.sents),
        feats=[token.morph.to_dict() for token in document] if document.lang_ != "en" else [],
    )


def find_names(sentence: Sentence) -> list[Entity]:
    """Return the names of people, places, organisations and things."""
    return [entity for entity in sentence.entities if entity.label in NAME_TYPES]


def find_mentions(sentence: Sentence, name: str) -> list[Entity]:
    """Return every name in the text that consists of these words."""
    return [entity for entity in find_names(sentence) if sentence.span(entity.first, entity.last) == name]


def hyphenated_span(sentence: Sentence, i: int) -> tuple[int, int]:
    """Return the first and last tokens of the hyphenated word that contains token `i`: ``working-class``."""
    first = last = i
    while (
        last + 2 < len(sentence)
        and sentence.words[last + 1] == "-"
        and sentence.ends[last] == sentence.starts[last + 1]
    ):
        last += 2
    while first > 1 and sentence.words[first - 1] == "-" and sentence.ends[first - 2] == sentence.starts[first - 1]:
        first -= 2
    return first, last


def compound_span(sentence: Sentence, i: int) -> tuple[int, int]:
    """Return the first and the last token of a noun with the compounded nouns directly before it."""
    first = i
    while first and (first - 1) in sentence.children[i] and sentence.deps[first - 1] == "compound":
        first -= 1
    while first < i and sentence.starts[first] and sentence.text[sentence.starts[first] - 1] == "-":
        first += 1
    return first, i
