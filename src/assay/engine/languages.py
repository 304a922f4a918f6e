"""Metrics that depend on the target language, such as BLEU with its tokenizers, and detection of target languages.

Such a metric has no common corpus score for texts in several languages, because words are counted differently in each
language. There is one score per language, named after the metric and the language (``bleu zh``).

Without a language pair, the writing system of the texts determines the language: Chinese, Japanese, Korean, and Southeast
Asian languages written without spaces. An explicit tokenizer or language pair takes precedence.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from copy import copy
from dataclasses import replace
from itertools import chain, islice
from typing import TYPE_CHECKING

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.langpair import target
from assay.core.metric import Metric
from assay.engine.preflight import find_misplaced_texts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.engine.inputs import Inputs

Shares = Mapping[str, tuple[str, int]]
"""For each metric of one language among several: the requested metric and the index of the language."""
MOST_TEXTS, MOST_CHARACTERS = 1_000, 200_000
"""Largest number of texts and characters that are examined."""
CLEAR, DOUBTFUL = 0.5, 0.2
"""Shares of the letters from which on a script decides, or is in doubt."""
KANA_OF_JAPANESE, KANA_OF_CHINESE = 0.1, 0.01
"""Smallest share of kana among Han characters and kana in Japanese, and largest in Chinese."""
NAMES = {"zh": "Chinese", "ja": "Japanese", "ko": "Korean", "th": "Thai", "lo": "Lao", "my": "Burmese", "km": "Khmer"}
_SCRIPTS = {
    "han": re.compile("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]"),
    "kana": re.compile("[\u3041-\u30ff\u31f0-\u31ff]"),
    "ko": re.compile("[\u1100-\u11ff\uac00-\ud7af]"),
    "th": re.compile("[\u0e01-\u0e5b]"),
    "lo": re.compile("[\u0e81-\u0edf]"),
    "my": re.compile("[\u1000-\u109f]"),
    "km": re.compile("[\u1780-\u17ff]"),
}
_LETTERS = re.compile(r"[^\W\d_]")


def languages_of(batch: Batch, known: Sequence[str] = ()) -> tuple[list[str], NDArray[np.int32]]:
    """Return the `known` languages followed by new target languages, and the index of each row's language."""
    numbers = {language: number for number, language in enumerate(known)}
    if batch.langpairs is None:
        return list(numbers | {"": 0}), np.zeros(len(batch), np.int32)
    for pair in dict.fromkeys(batch.langpairs):
        numbers.setdefault(target(pair), len(numbers))
    codes = {pair: numbers[target(pair)] for pair in dict.fromkeys(batch.langpairs)}
    if len(codes) == 1:
        return list(numbers), np.full(len(batch), next(iter(codes.values())), np.int32)
    return list(numbers), np.fromiter(map(codes.__getitem__, batch.langpairs), np.int32, len(batch))


def lacking(metric: Metric, langpairs: Iterable[str | None]) -> dict[str, str]:
    """Return the target languages for which this installation cannot compute a metric, with the reasons."""
    reasons: dict[str, str] = {}
    for language in dict.fromkeys(map(target, langpairs)) if metric.by_language else ():
        try:
            metric.for_language(language)
        except MissingPart as error:
            reasons[language] = str(error)
    return reasons


def check_languages(metric: Metric, langpairs: Iterable[str | None]) -> dict[str, str]:
    """Return the result of `lacking`; raise if the metric can be computed for none of the languages."""
    pairs = list(langpairs)
    reasons = lacking(metric, pairs)
    if reasons and len(reasons) == len(set(map(target, pairs))):
        raise MissingPart(next(iter(reasons.values())))
    return reasons


def divided(metrics: Mapping[str, Metric], languages: Sequence[str]) -> tuple[dict[str, Metric], Shares]:
    """Return the metrics for texts in `languages`: one variant per language if a metric depends on it and there are several."""
    result: dict[str, Metric] = {}
    shares: dict[str, tuple[str, int]] = {}
    for name, metric in metrics.items():
        if not metric.by_language or len(languages) < 2:
            result[name] = metric.for_language(languages[0] if languages else "")
            continue
        for number, language in enumerate(languages):
            own = f"{name} {language or '?'}"
            variant, shares[own] = copy(metric.for_language(language)), (name, number)
            if name == variant.card.name:
                variant.card = replace(variant.card, name=own, label=f"{variant.card.label} {language or '?'}")
            result[own] = variant
    return result, shares


def as_computed(metrics: Mapping[str, Metric], langpairs: Iterable[str | None]) -> dict[str, Metric]:
    """Return the metrics for segments in these language pairs.

    Languages with the same signature count as one. Languages that a metric cannot be computed for are left out.
    """
    result: dict[str, Metric] = {}
    pairs = list(dict.fromkeys(langpairs))
    for name, metric in metrics.items():
        missing = check_languages(metric, pairs)
        targets = [language for language in dict.fromkeys(map(target, pairs)) if language not in missing]
        variants, _ = divided({name: metric}, targets)
        signatures = {str(variant.signature) for variant in variants.values()}
        result |= {name: metric.for_language(next(iter(targets), ""))} if len(signatures) == 1 else variants
    return result


def settle_language(inputs: Inputs, metrics: Mapping[str, Metric]) -> tuple[Mapping[str, Metric], list[str]]:
    """Return the metrics for the language of the first texts, and messages about these texts.

    Metrics that do not depend on the language are unchanged, and so are all metrics if the texts have a language pair.
    """
    first = next(inputs.chunks, None)
    if first is None:
        return metrics, []
    inputs.chunks = chain([first], inputs.chunks)
    languages, notes = target_languages(first, metrics)
    variants = {
        name: metric.for_language(languages[name]) if name in languages else metric for name, metric in metrics.items()
    }
    return variants, [*notes, *find_misplaced_texts(first)]


def target_languages(first: Batch, metrics: Mapping[str, Metric]) -> tuple[dict[str, str], list[str]]:
    """Return the language of the first rows for each metric that depends on it, and messages about the choice."""
    choosing = [name for name, metric in metrics.items() if metric.by_language]
    if not choosing or first.langpairs is not None:
        return {}, []
    language, doubt = _language(first)
    if doubt:
        return {}, [f"{doubt} Specify the language pair (-l en-zh), or choose a tokenizer (-m bleu:tokenize=zh)."]
    chosen: dict[str, str] = {}
    notes: list[str] = []
    for name in choosing if language else ():
        label = metrics[name].card.label
        try:
            variant = metrics[name].for_language(language)
        except MissingPart as error:
            notes.append(f"the translations are in {NAMES[language]}, but {label} uses tokenize=13a: {error}")
            continue
        chosen[name] = language
        if language not in ("zh", "ja", "ko"):
            notes += variant.notices
        elif tokenizer := getattr(variant, "tokenize", ""):
            notes.append(f"the translations are in {NAMES[language]}: {label} uses tokenize={tokenizer}.")
        else:
            notes.append(f"the translations are in {NAMES[language]}: {label} is computed for this language.")
    return chosen, notes


def _language(batch: Batch) -> tuple[str, str]:
    """Return the language implied by the texts' writing system, or a sentence if it is ambiguous; two empty texts for other
    scripts."""
    text = "".join(_texts(batch))
    letters = len(_LETTERS.findall(text)) or 1
    counts = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS.items()}
    han, kana = counts.pop("han"), counts.pop("kana")
    language, most = max([*counts.items(), ("zh", han + kana)], key=lambda entry: entry[1])
    if most < DOUBTFUL * letters:
        return "", ""
    if most < CLEAR * letters:
        return "", f"part of the translations is in {NAMES[language]} script, and BLEU uses tokenize=13a."
    if language != "zh" or kana <= KANA_OF_CHINESE * most:
        return language, ""
    if kana >= KANA_OF_JAPANESE * most:
        return "ja", ""
    return "", "the translations may be in Chinese or Japanese, and BLEU uses tokenize=13a."


def _texts(batch: Batch) -> Iterator[str]:
    size = 0
    for text in islice(batch.hypotheses, MOST_TEXTS):
        yield text[: MOST_CHARACTERS - size]
        size += len(text)
        if size >= MOST_CHARACTERS:
            return
