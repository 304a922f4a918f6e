"""BLEU (Papineni et al. 2002) and spBLEU (Goyal et al. 2022), with the same numbers as sacrebleu."""

from __future__ import annotations

import copy
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.langpair import NO_SPACES, written
from assay.core.metric import Card, Metric, Scores, Signature
from assay.core.weights import WeightsNeeded
from assay.kernels import _native
from assay.metrics.common import lowercased, reference_columns
from assay.metrics.tokenizers import SENTENCEPIECE, tokenizer

if TYPE_CHECKING:
    from collections.abc import Iterator

    from assay.core.metric import Bools, Floats

Tokenize = Literal["auto", "13a", "intl", "zh", "char", "ja-mecab", "ko-mecab", "none", "spm", "flores101", "flores200"]
Pieces = Literal["spm", "flores101", "flores200"]
Smooth = Literal["exp", "floor", "add-k", "none"]

NATIVE = ("13a", "none")
OF_LANGUAGE: dict[str, Tokenize] = {"zh": "zh", "ja": "ja-mecab", "ko": "ko-mecab"}
"""Tokenizer that ``auto`` selects for a target language, as in sacrebleu; 13a for all others."""
SMOOTH_DEFAULTS = {"floor": 0.1, "add-k": 1.0}  # Chen and Cherry 2014, section 3


class Bleu(Metric):
    """Geometric mean of clipped n-gram precisions times a brevity penalty, from 0 to 100.

    A segment's value is sentence BLEU over the orders for which the hypothesis has n-grams. `effective_order` does the same at
    the corpus level, where it is off by default, as in sacrebleu. With several references, an n-gram may match any of them, and
    the reference closest in length to the hypothesis determines the brevity penalty. The value is 0 if there is no common
    n-gram or one side is empty. The tokenizer ``auto`` depends on the target language (`for_language`), and is 13a if the
    language is unknown.
    """

    card = Card(
        name="bleu",
        label="BLEU",
        needs="reference",
        higher_is_better=True,
        range=(0.0, 100.0),
        meaning="Share of the translation's 1- to 4-word sequences that a reference has, with a penalty for brevity. "
        "100 is the reference itself.",
        citation="Papineni et al. 2002, BLEU: a method for automatic evaluation of machine translation; Post 2018",
        stored=False,
    )

    def __init__(
        self,
        *,
        tokenize: Tokenize = "auto",
        lowercase: bool = False,
        smooth_method: Smooth = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        model: str | None = None,
    ) -> None:
        if not 1 <= max_ngram_order <= 100:
            raise InputError(f"{self.card.name} requires max_ngram_order from 1 to 100, not {max_ngram_order}.")
        if smooth_value is not None and (smooth_method not in SMOOTH_DEFAULTS or not 0 <= smooth_value < float("inf")):
            raise InputError(
                f"{self.card.name} requires a non-negative smooth_value, which is allowed only with smooth_method floor or add-k."
            )
        if model is not None and tokenize not in SENTENCEPIECE:
            raise InputError(f"{self.card.name} requires tokenize=spm for a sentencepiece model, not {tokenize}.")
        self.tokenize, self.lowercase, self.smooth_method = tokenize, lowercase, smooth_method
        self.max_ngram_order, self.effective_order = max_ngram_order, effective_order
        self.smooth_value = SMOOTH_DEFAULTS.get(smooth_method, 0.0) if smooth_value is None else smooth_value
        self.by_language = tokenize == "auto"
        self._take("13a" if tokenize == "auto" else tokenize, model)

    def _take(self, tokenize: Tokenize, model: str | None) -> None:
        self._words_of = tokenize
        self._tokenizer = None if tokenize in NATIVE else tokenizer(tokenize, model)
        if self._tokenizer is not None:
            self.card = replace(self.card, stored=True)  # these tokenizers cost more than a cache look-up

    def for_language(self, language: str) -> Bleu:
        """Return BLEU with the tokenizer for a target language, unless a tokenizer was requested.

        A notice warns about languages written without spaces.
        """
        if not self.by_language:
            return self
        result, code = copy.copy(self), written(language)
        result.tokenize, result.by_language = OF_LANGUAGE.get(code, "13a"), False
        result._take(result.tokenize, None)
        if code in NO_SPACES:
            result.notices = [
                f"{self.card.label} counts words between spaces (tok:13a), and {language} is written without spaces: use spbleu or "
                "bleu:tokenize=char."
            ]
        return result

    @property
    def signature(self) -> Signature:
        """Signature in sacrebleu format; it includes the order if it is not 4, and the hash of a sentencepiece model."""
        value = f"[{self.smooth_value!r}]" if self.smooth_method in SMOOTH_DEFAULTS else ""
        order = {"order": self.max_ngram_order} if self.max_ngram_order != 4 else {}
        result = Signature.of(
            "BLEU",
            1,
            case="lc" if self.lowercase else "mixed",
            eff=self.effective_order,
            tok=self._tokenizer.signature if self._tokenizer else self._words_of,
            smooth=self.smooth_method + value,
            **order,
        )
        return replace(result, weights=self._tokenizer.weights) if self._tokenizer else result

    def score(self, batch: Batch) -> Scores:
        """Return sentence BLEU, with [hypothesis length, reference length, correct n-grams, n-grams] as statistics."""
        hypotheses, references = batch.hypotheses, reference_columns(batch, self.card)
        if self.lowercase:
            hypotheses, references = lowercased(hypotheses, references)
        if self._tokenizer is not None:
            hypotheses, references = self._tokenizer.columns(hypotheses, references)
        stats, values = _native.bleu(
            hypotheses, references, self.max_ngram_order, self._words_of == "13a", self.smooth_method, self.smooth_value
        )
        return Scores(values, stats=stats)

    def combine(self, stats: Floats) -> Floats:
        """Return corpus BLEU. Unless `effective_order` is set, an order that has no n-grams makes it 0."""
        logs, orders = (np.zeros(stats.shape[:-1]) for _ in range(2))
        with np.errstate(divide="ignore", invalid="ignore"):
            for precision, present in self._precisions(stats):
                log = np.where(present & (precision > 0), np.log(precision), -9999999999.0)
                counted = present if self.effective_order else np.ones_like(present)
                logs += np.where(counted, log, 0.0)
                orders += counted
            score = self._penalty(stats) * np.exp(logs / orders)
        return np.asarray(np.where(self._matches(stats), score, 0.0))

    def components(self, stats: Floats) -> dict[str, float]:
        """Return brevity penalty, lengths in words, length ratio, and the precision for each order, with sacrebleu's names."""
        matches = bool(self._matches(stats))
        hyp_len, ref_len = int(stats[0]), int(stats[1])
        with np.errstate(divide="ignore", invalid="ignore"):
            precisions = [float(np.where(present, precision, 0.0)) for precision, present in self._precisions(stats)]
            parts = {"bp": float(self._penalty(stats)), "ratio": hyp_len / ref_len if ref_len else 0.0}
        parts |= {"hyp_len": hyp_len, "ref_len": ref_len}
        return parts | {f"precision_{n}": value if matches else 0.0 for n, value in enumerate(precisions, 1)}

    def _matches(self, stats: Floats) -> Bools:
        return np.asarray(stats[..., 2 : 2 + self.max_ngram_order].any(axis=-1))

    def _penalty(self, stats: Floats) -> Floats:
        """Return the brevity penalty."""
        hyp_len, ref_len = stats[..., 0], stats[..., 1]
        return np.where(hyp_len < ref_len, np.where(hyp_len > 0, np.exp(1 - ref_len / hyp_len), 0.0), 1.0)

    def _precisions(self, stats: Floats) -> Iterator[tuple[Floats, Bools]]:
        """Yield each order's smoothed precision in percent, and whether it and all lower orders have n-grams."""
        order = self.max_ngram_order
        correct, total = stats[..., 2 : 2 + order], stats[..., 2 + order :]
        zeros, present = np.zeros(stats.shape[:-1]), np.ones(stats.shape[:-1], bool)
        for k in range(order):
            added = self.smooth_value if self.smooth_method == "add-k" and k > 0 else 0.0
            hits, grams = correct[..., k] + added, total[..., k] + added
            present = present & (grams != 0)
            zeros = zeros + (hits == 0)
            yield np.where(hits == 0, self._smoothed(zeros, grams), 100.0 * hits / grams), present

    def _smoothed(self, zeros: Floats, grams: Floats) -> Floats:
        """Return the smoothed precision for the `zeros`-th order without matches; the order has `grams` n-grams."""
        if self.smooth_method == "exp":
            return np.asarray(100.0 / (2.0**zeros * grams))
        if self.smooth_method == "floor":
            return np.asarray(100.0 * self.smooth_value / grams)
        return np.zeros_like(grams)


class SpBleu(Bleu):
    """spBLEU: BLEU over the subwords of a multilingual sentencepiece model, by default that of FLORES-200."""

    card = Card(
        name="spbleu",
        label="spBLEU",
        needs="reference",
        higher_is_better=True,
        range=(0.0, 100.0),
        meaning="BLEU over sentencepiece subwords, so that languages written without spaces can be compared.",
        licence="Apache-2.0; the subwords: their authors'",
        citation="Goyal et al. 2022, The FLORES-101 evaluation benchmark",
        extra="spm",
        weights=WeightsNeeded(
            0.0049,
            "assay fetch flores200",
            "assay.io.resources.spm:find_spm",
            "flores200",
            "pieces",
            "their makers' licence",
        ),
    )

    def __init__(
        self,
        *,
        tokenize: Pieces = "flores200",
        lowercase: bool = False,
        smooth_method: Smooth = "exp",
        smooth_value: float | None = None,
        max_ngram_order: int = 4,
        effective_order: bool = False,
        model: str | None = None,
    ) -> None:
        super().__init__(
            tokenize=tokenize,
            lowercase=lowercase,
            smooth_method=smooth_method,
            smooth_value=smooth_value,
            max_ngram_order=max_ngram_order,
            effective_order=effective_order,
            model=model,
        )
