"""What a metric must beat: scores that know nothing of quality (`random`, `length`), or like what is wrong (`copy-source`).

Put one beside a metric (``-m comet-22 -m random -m length``), and a table shows how much of its figure could be had for nothing.
Sentinels, trained on one side of a pair alone, are made by ``assay train`` (``reads: candidate`` or ``source``; Perrella et al.
2024, Guardians of the machine translation meta-evaluation).
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Needs, Scores, Signature
from assay.metrics.chrf import Chrf

if TYPE_CHECKING:
    from assay.core.metric import Floats


class RandomScore(Metric):
    """A number from 0 to 1 drawn from the translation's own text: the same text always has the same, whatever stands around it."""

    card = Card(
        name="random",
        label="random",
        needs="translation",
        higher_is_better=True,
        range=(0.0, 1.0),
        meaning="A random number, drawn from the translation's text and a seed. What does not beat it says nothing.",
        stored=False,
        decimals=3,
        kind="baseline",
    )

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    @property
    def signature(self) -> Signature:
        """The seed."""
        return Signature.of("random", 1, seed=self.seed)

    def score(self, batch: Batch) -> Scores:
        """48 bits of a hash of seed and text."""
        start = hashlib.blake2b(f"{self.seed}|".encode(), digest_size=6)

        def draw(text: str) -> float:
            state = start.copy()
            state.update(text.encode("utf-8", "surrogatepass"))
            return int.from_bytes(state.digest(), "big") / 2**48

        return Scores(np.array([draw(text) for text in batch.hypotheses], np.float64))


Against = Literal["auto", "reference", "source", "none"]
_NEEDS: Mapping[Against, Needs] = {
    "auto": "either",
    "reference": "reference",
    "source": "source",
    "none": "translation",
}


class LengthBaseline(Metric):
    """How near the translation's length in characters is to the reference's, or without one to the source's: shorter over longer.

    `against`: auto takes the references where there are some; of several the nearest counts. ``none`` compares with nothing: minus
    the number of characters, since longer texts have more errors to count.
    """

    card = Card(
        name="length",
        label="length",
        needs="either",
        higher_is_better=True,
        range=(None, 1.0),
        meaning="The shorter length in characters over the longer, translation beside reference (or source). 1 is equally long.",
        stored=False,
        decimals=3,
        kind="baseline",
    )

    def __init__(self, *, against: Against = "auto") -> None:
        self.against = against
        self.card = replace(self.card, needs=_NEEDS[against])

    @property
    def signature(self) -> Signature:
        """What lengths are compared with."""
        return Signature.of("length", 1, against=self.against)

    def score(self, batch: Batch) -> Scores:
        """Two empty texts are equally long."""
        self.card.check_columns(batch)
        own = _lengths(batch.hypotheses)
        if self.against == "none":
            return Scores(-own)
        columns = batch.references or () if self.against != "source" else ()
        if not columns and batch.sources is not None:
            columns = (batch.sources,)
        best = np.full(len(batch), np.nan)
        for column in columns:
            other = _lengths(column)
            longer = np.maximum(own, other)
            ratio = np.divide(np.minimum(own, other), longer, out=np.ones(len(batch)), where=longer > 0)
            best = np.fmax(best, np.where(np.isnan(other), np.nan, ratio))
        return Scores(best)


class CopySourceBaseline(Metric):
    """chrF of the translation against the source: what has copied most is best."""

    card = Card(
        name="copy-source",
        label="copy-source",
        needs="source",
        higher_is_better=True,
        range=(0.0, 100.0),
        meaning="chrF of the translation against the source: 100 for a copy of it. A metric that agrees with it rewards copying.",
        citation="Popović 2015, chrF: character n-gram F-score for automatic MT evaluation",
        stored=False,
        kind="baseline",
    )

    def __init__(self) -> None:
        self._chrf = Chrf()

    @property
    def signature(self) -> Signature:
        """chrF's parameters."""
        return Signature("copy-source", 1, self._chrf.signature.parameters)

    def score(self, batch: Batch) -> Scores:
        """chrF with its statistics, the source being the reference."""
        self.card.check_columns(batch)
        return self._chrf.score(Batch(batch.hypotheses, references=(batch.sources or (),)))

    def combine(self, stats: Floats) -> Floats:
        """chrF of the corpus."""
        return self._chrf.combine(stats)


def _lengths(column: Sequence[str | None]) -> Floats:
    """Characters of every text; NaN where there is none."""
    return np.array([np.nan if text is None else len(text) for text in column], np.float64)
