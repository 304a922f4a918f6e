"""chrF (Popović 2015) and chrF++ (Popović 2017), with the same numbers as sacrebleu."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Card, Metric, Scores, Signature
from assay.kernels import _native
from assay.metrics.common import lowercased, reference_columns

if TYPE_CHECKING:
    from assay.core.metric import Floats


class Chrf(Metric):
    """F-score of character n-grams and, for chrF++, word n-grams, from 0 to 100. Recall has `beta` times the weight.

    With several references, the best one counts. A hypothesis that is empty or has no common n-gram scores 0.
    """

    card = Card(
        name="chrf",
        label="chrF",
        needs="reference",
        higher_is_better=True,
        range=(0.0, 100.0),
        meaning="Character n-gram F2: share of the reference's 1- to 6-character sequences that the translation has, "
        "and the reverse. 100 is the reference itself.",
        citation="Popović 2015, chrF: character n-gram F-score for automatic MT evaluation",
        stored=False,
    )

    def __init__(
        self,
        *,
        char_order: int = 6,
        word_order: int = 0,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        if not (1 <= char_order <= 100 and 0 <= word_order <= 100 and beta > 0):
            raise InputError("chrf requires char_order from 1 to 100, word_order from 0 to 100 and beta above 0.")
        self.char_order, self.word_order, self.beta = char_order, word_order, beta
        self.lowercase, self.whitespace, self.eps_smoothing = lowercase, whitespace, eps_smoothing

    @property
    def signature(self) -> Signature:
        return Signature.of(
            f"chrF{self.beta}{'+' * self.word_order}",
            1,
            case="lc" if self.lowercase else "mixed",
            eff=not self.eps_smoothing,
            nc=self.char_order,
            nw=self.word_order,
            space=self.whitespace,
        )

    def score(self, batch: Batch) -> Scores:
        """Return segment chrF; the statistics are the [hypothesis, reference, match] counts for every order."""
        hypotheses, references = batch.hypotheses, reference_columns(batch, self.card)
        if self.lowercase:
            hypotheses, references = lowercased(hypotheses, references)
        stats, values = _native.chrf(
            hypotheses, references, self.char_order, self.word_order, self.beta, self.whitespace, self.eps_smoothing
        )
        return Scores(values, stats=stats)

    def combine(self, stats: Floats) -> Floats:
        """Return F-beta of the mean precision and recall over the orders that have n-grams on both sides."""
        shaped = stats.reshape(*stats.shape[:-1], -1, 3)
        hyp, ref, match = shaped[..., 0], shaped[..., 1], shaped[..., 2]
        eps, factor = 1e-16, float(self.beta**2)
        with np.errstate(divide="ignore", invalid="ignore"):
            precision = np.where(hyp > 0, match / hyp, eps)
            recall = np.where(ref > 0, match / ref, eps)
            if self.eps_smoothing:
                denominator = factor * precision + recall
                each = np.where(denominator > 0, (1 + factor) * precision * recall / denominator, eps)
                return np.asarray(100 * each.sum(axis=-1) / (self.char_order + self.word_order))
            effective = (hyp > 0) & (ref > 0)
            orders = effective.sum(axis=-1)
            precision = np.where(effective, precision, 0).sum(axis=-1) / orders
            recall = np.where(effective, recall, 0).sum(axis=-1) / orders
            score = 100 * (1 + factor) * precision * recall / (factor * precision + recall)
        return np.asarray(np.where((orders > 0) & (precision + recall > 0), score, 0.0))


class ChrfPlusPlus(Chrf):
    """chrF++: chrF with word unigrams and bigrams."""

    card = Card(
        name="chrf++",
        label="chrF++",
        needs="reference",
        higher_is_better=True,
        range=(0.0, 100.0),
        meaning="chrF with word unigrams and bigrams added to the character n-grams.",
        citation="Popović 2017, chrF++: words helping character n-grams",
        stored=False,
    )

    def __init__(
        self,
        *,
        char_order: int = 6,
        word_order: int = 2,
        beta: int = 2,
        lowercase: bool = False,
        whitespace: bool = False,
        eps_smoothing: bool = False,
    ) -> None:
        super().__init__(
            char_order=char_order,
            word_order=word_order,
            beta=beta,
            lowercase=lowercase,
            whitespace=whitespace,
            eps_smoothing=eps_smoothing,
        )
