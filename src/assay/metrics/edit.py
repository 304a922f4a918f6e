"""Character and word error rate (CER, WER): edit distance over the length of the reference."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Scores, Signature
from assay.kernels import _native
from assay.metrics.common import References, bounded_scores, error_rate, lowercased, reference_columns

if TYPE_CHECKING:
    from assay.core.metric import Bools, Floats


class _ErrorRate(Metric):
    """Number of edits divided by the length of the reference, in any unit."""

    def __init__(self, *, lowercase: bool = False) -> None:
        self.lowercase = lowercase

    @property
    def signature(self) -> Signature:
        return Signature.of(self.card.label, 1, case="lc" if self.lowercase else "mixed")

    def score(self, batch: Batch) -> Scores:
        """Return segment rates; the statistics are the [edits, reference length] of the best reference."""
        hypotheses, references = batch.hypotheses, reference_columns(batch, self.card)
        if self.lowercase:
            hypotheses, references = lowercased(hypotheses, references)
        return bounded_scores(*self._distances(hypotheses, references))

    @abstractmethod
    def _distances(self, hypotheses: Sequence[str], references: References) -> tuple[Floats, Floats, Bools]:
        """Return (statistics, rates, bounded) from the kernel."""

    def combine(self, stats: Floats) -> Floats:
        return error_rate(stats)


class Cer(_ErrorRate):
    """Character error rate: code points to insert, delete or replace, relative to the length of the reference; not capped.

    With several references, the lowest rate counts. If the reference is empty, an empty hypothesis scores 0 and any other
    scores 1. At the corpus level, its code points count as edits, but the segment adds nothing to the length. Texts that differ
    greatly over more than about 100,000 characters get an upper bound and the flag ``bounded``.
    """

    card = Card(
        name="cer",
        label="CER",
        needs="reference",
        higher_is_better=False,
        range=(0.0, None),
        meaning="Characters to insert, delete or replace, as a fraction of the reference's characters. 0 is the reference "
        "itself; more than 1 is possible.",
        citation="Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals",
        stored=False,
        decimals=3,
    )

    def _distances(self, hypotheses: Sequence[str], references: References) -> tuple[Floats, Floats, Bools]:
        return _native.cer(hypotheses, references)


class Wer(_ErrorRate):
    """Word error rate: CER over words, split at whitespace."""

    card = Card(
        name="wer",
        label="WER",
        needs="reference",
        higher_is_better=False,
        range=(0.0, None),
        meaning="Words to insert, delete or replace, as a fraction of the reference's words. 0 is the reference itself; "
        "more than 1 is possible.",
        citation="Levenshtein 1966, Binary codes capable of correcting deletions, insertions and reversals",
        stored=False,
        decimals=3,
    )

    def _distances(self, hypotheses: Sequence[str], references: References) -> tuple[Floats, Floats, Bools]:
        return _native.wer(hypotheses, references)
