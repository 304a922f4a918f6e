"""CER and WER: character and word error rate, which are Levenshtein distances relative to the reference's length."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Scores, Signature
from assay.kernels import _native
from assay.metrics.common import References, bounded_scores, error_rate, lowercased, reference_columns

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.metric import Bools, Floats


class _ErrorRate(Metric):
    """Edits divided by the length of the reference, in any unit."""

    def __init__(self, *, lowercase: bool = False) -> None:
        self.lowercase = lowercase

    @property
    def signature(self) -> Signature:
        """Signature with the rate's name and case sensitivity."""
        return Signature.of(self.card.label, 1, case="lc" if self.lowercase else "mixed")

    def score(self, batch: Batch) -> Scores:
        """Return segment rates, with [edits, reference length] of the best reference as statistics."""
        hypotheses, references = batch.hypotheses, reference_columns(batch, self.card)
        if self.lowercase:
            hypotheses, references = lowercased(hypotheses, references)
        return bounded_scores(*self._distances(hypotheses, references))

    @abstractmethod
    def _distances(self, hypotheses: Sequence[str], references: References) -> tuple[Floats, Floats, Bools]:
        """Return (statistics, rates, bounded) from the kernel."""

    def combine(self, stats: Floats) -> Floats:
        """Divide all edits by all reference symbols. Without symbols the rate is 1 for any edits, else 0."""
        return error_rate(stats)


class Cer(_ErrorRate):
    """Character error rate: code points to insert, delete or replace, relative to the reference's length; not capped.

    With several references the one with the lowest rate counts. With an empty reference, an empty hypothesis scores 0 and
    any other 1; its code points count as edits at the corpus level, where the segment adds no length. Texts that differ
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
