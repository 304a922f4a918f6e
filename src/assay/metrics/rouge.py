"""ROUGE-1, ROUGE-2 and ROUGE-L (Lin 2004), with the same scores as rouge-score 0.1.2 without its stemmer."""

from __future__ import annotations

from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Scores, Signature
from assay.kernels import _native
from assay.metrics.common import reference_columns


class _Rouge(Metric):
    """F1 of the overlap of hypothesis and reference, from 0 to 1, with precision and recall as components.

    With several references, the one with the best F1 counts. A side without tokens scores 0. Tokens are runs of lower-cased
    Latin letters and digits; all other characters are ignored. The flag ``unsupported_script`` marks rows whose hypothesis or
    reference contains more letters and digits (according to ``str.isalnum``) that the tokenizer ignores than ones that it
    reads. Such a score says nothing about the translation.
    """

    order: int
    """Order of the n-grams; 0 is the longest common subsequence."""

    @property
    def signature(self) -> Signature:
        return Signature.of(self.card.name, 1, measure="f1", stem=False)

    def score(self, batch: Batch) -> Scores:
        """Return segment F1 with precision and recall."""
        f1, precision, recall, unsupported = _native.rouge(
            batch.hypotheses, reference_columns(batch, self.card), self.order
        )
        flags = {"unsupported_script": unsupported} if unsupported.any() else {}
        return Scores(f1, components={"precision": precision, "recall": recall}, flags=flags)


def _card(name: str, label: str, what: str) -> Card:
    return Card(
        name=name,
        label=label,
        needs="reference",
        higher_is_better=True,
        range=(0.0, 1.0),
        meaning=f"F1 of {what} that translation and reference share, Latin letters and digits only. "
        "1 is the reference itself.",
        citation="Lin 2004, ROUGE: a package for automatic evaluation of summaries",
        stored=False,
        decimals=3,
    )


class Rouge1(_Rouge):
    """ROUGE-1: common words."""

    card = _card("rouge1", "ROUGE-1", "the words")
    order = 1


class Rouge2(_Rouge):
    """ROUGE-2: common pairs of neighbouring words."""

    card = _card("rouge2", "ROUGE-2", "the pairs of neighbouring words")
    order = 2


class RougeL(_Rouge):
    """ROUGE-L: longest common subsequence of words."""

    card = _card("rougeL", "ROUGE-L", "the longest sequence of words (with gaps)")
    order = 0
