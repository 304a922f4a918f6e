"""Edit-distance metrics: CER and WER (character and word error rate), and TER (translation edit rate).

TER (Snover et al. 2006) has the same numbers as in sacrebleu.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

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


Text = TypeVar("Text", str, str | None)

NEEDS_NEIGHBOURS = ("\u0130", "\u03a3")
"""Capital İ and Σ: their lower case has two characters (İ) or depends on the neighbouring letters (Σ)."""


class Ter(Metric):
    """Edits that turn the hypothesis into the reference, as a percentage of the reference's words; lower is better.

    An edit inserts, deletes or replaces a word, or shifts a run of words. With several references, the lowest number of edits
    is divided by the mean length of the references. If the reference has no words, a hypothesis with words scores 100 and an
    empty one 0. Otherwise an empty hypothesis scores 100. Texts of more than 2,000 words on either side are scored without
    shifts, and flagged ``bounded`` if a shift might have helped.
    """

    card = Card(
        name="ter",
        label="TER",
        needs="reference",
        higher_is_better=False,
        range=(0.0, None),
        meaning="Words to insert, delete, replace, or shift as a block, in percent of the reference's words. 0 is the "
        "reference itself; more than 100 is possible.",
        citation="Snover et al. 2006, A study of translation edit rate with targeted human annotation",
        stored=False,
    )

    def __init__(
        self,
        *,
        normalized: bool = False,
        no_punct: bool = False,
        asian_support: bool = False,
        case_sensitive: bool = False,
    ) -> None:
        self.normalized, self.no_punct = normalized, no_punct
        self.asian_support, self.case_sensitive = asian_support, case_sensitive

    @property
    def signature(self) -> Signature:
        return Signature.of(
            "TER",
            1,
            case="mixed" if self.case_sensitive else "lc",
            tok="tercom",
            norm=self.normalized,
            punct=not self.no_punct,
            asian=self.asian_support,
        )

    def score(self, batch: Batch) -> Scores:
        """Return segment TER; the statistics are [edits, reference length]."""
        hypotheses, references = batch.hypotheses, reference_columns(batch, self.card)
        lowercase = not self.case_sensitive
        if self.normalized or self.no_punct:
            hypotheses, references = self._tokenized(hypotheses, references)
            lowercase = False
        elif lowercase:
            hypotheses = _lowered_where_needed(hypotheses)
            references = tuple(map(_lowered_where_needed, references))
        return bounded_scores(*_native.ter(hypotheses, references, lowercase))

    def combine(self, stats: Floats) -> Floats:
        return np.asarray(100 * error_rate(stats))

    def _tokenized(self, hypotheses: Sequence[str], references: References) -> tuple[list[str], References]:
        """Tokenize both sides as sacrebleu does.

        sacrebleu tokenizes references twice, and the second pass can split tokens that the first pass left whole (``...``).
        """
        tokenize = self._tokenizer()

        def twice(text: str) -> str:
            return tokenize(tokenize(text))

        tokenized_texts: dict[str, str] = {}
        for column in references:
            tokenized_texts.update(
                (text, twice(text))
                for text in dict.fromkeys(column)
                if text is not None and text not in tokenized_texts
            )
        tokenized = tuple([None if text is None else tokenized_texts[text] for text in column] for column in references)
        return [tokenize(text) for text in hypotheses], tokenized

    def _tokenizer(self) -> Callable[[str], str]:
        from sacrebleu.tokenizers.tokenizer_ter import TercomTokenizer

        tokenizer = TercomTokenizer(
            normalized=self.normalized,
            no_punct=self.no_punct,
            asian_support=self.asian_support,
            case_sensitive=self.case_sensitive,
        )
        # bypass sacrebleu's cache, which keeps 65,536 texts of any length in memory
        uncached: Callable[[TercomTokenizer, str], str] = TercomTokenizer.__call__.__wrapped__
        return lambda text: uncached(tokenizer, text.rstrip())


def _lowered_where_needed(column: Sequence[Text]) -> Sequence[Text]:
    """Convert to lower case those texts that the kernel cannot convert."""
    first, second = NEEDS_NEIGHBOURS
    return [text.lower() if text is not None and (first in text or second in text) else text for text in column]
