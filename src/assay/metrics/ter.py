"""TER, translation edit rate (Snover et al. 2006), with the same numbers as in sacrebleu."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Scores, Signature
from assay.kernels import _native
from assay.metrics.common import References, bounded_scores, error_rate, reference_columns

if TYPE_CHECKING:
    from assay.core.metric import Floats

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
