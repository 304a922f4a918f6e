"""Target language of texts that came without one, told by their script: it chooses BLEU's tokenizer.

Only languages whose script decides are told: Chinese, Japanese and Korean, and those of Southeast Asia that are written without
spaces. An explicit tokenizer or language pair always wins.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice
from typing import TYPE_CHECKING

from assay.core.errors import MissingPart
from assay.engine.first_rows import doubts

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.metric import Metric
    from assay.engine.inputs import Inputs

MOST_TEXTS, MOST_CHARACTERS = 1_000, 200_000
"""Texts, and characters of them, that are looked at."""
CLEAR, DOUBTFUL = 0.5, 0.2
"""Shares of the letters from which on a script decides, or leaves a doubt."""
KANA_OF_JAPANESE, KANA_OF_CHINESE = 0.1, 0.01
"""Japanese has at least, and Chinese at most, this share of kana among Han characters and kana."""
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


def settle_language(inputs: Inputs, metrics: Mapping[str, Metric]) -> tuple[Mapping[str, Metric], list[str]]:
    """Return the metrics as they are for the language of the first texts, and what to report of these texts.

    Metrics that do not depend on the language stay as they are, and so do all if the texts come with their language.
    """
    first = next(inputs.chunks, None)
    if first is None:
        return metrics, []
    inputs.chunks = chain([first], inputs.chunks)
    languages, notes = target_languages(first, metrics)
    settled = {
        name: metric.for_language(languages[name]) if name in languages else metric for name, metric in metrics.items()
    }
    return settled, [*notes, *doubts(first)]


def target_languages(first: Batch, metrics: Mapping[str, Metric]) -> tuple[dict[str, str], list[str]]:
    """Return the language of the first rows for every metric that is to be computed for it, and what to report."""
    choosing = [name for name, metric in metrics.items() if metric.by_language]
    if not choosing or first.langpairs is not None:
        return {}, []
    language, doubt = _language(first)
    if doubt:
        return {}, [f"{doubt} Give the language pair (-l en-zh), or choose a tokenizer (-m bleu:tokenize=zh)."]
    found: dict[str, str] = {}
    notes: list[str] = []
    for name in choosing if language else ():
        label = metrics[name].card.label
        try:
            settled = metrics[name].for_language(language)
        except MissingPart as error:
            notes.append(f"the translations are in {NAMES[language]}, but {label} uses tokenize=13a: {error}")
            continue
        found[name] = language
        if language not in ("zh", "ja", "ko"):
            notes += settled.notices
        elif tokenizer := getattr(settled, "tokenize", ""):
            notes.append(f"the translations are in {NAMES[language]}: {label} uses tokenize={tokenizer}.")
        else:
            notes.append(f"the translations are in {NAMES[language]}: {label} is computed for this language.")
    return found, notes


def _language(batch: Batch) -> tuple[str, str]:
    """The language that the script of the texts decides, or a sentence of doubt; neither for other scripts."""
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
