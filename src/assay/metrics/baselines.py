"""Baselines that a metric should beat: scores without knowledge of quality (`random`, `length`), and `copy-source`.

Next to a metric (``-m comet-22 -m random -m length``), they show how much of its agreement with human judgements is due to
chance or length. ``assay train`` can train sentinels, which read only one side of a pair (``reads: candidate`` or ``source``;
Perrella et al. 2024, Guardians of the machine translation meta-evaluation).
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
    """Random number from 0 to 1 that depends only on the translation's text and a seed."""

    card = Card(
        name="random",
        label="random",
        needs="translation",
        higher_is_better=True,
        range=(0.0, 1.0),
        meaning="A random number, drawn from the translation's text and a seed. A metric that does not beat it is useless.",
        stored=False,
        decimals=3,
        kind="baseline",
    )

    def __init__(self, *, seed: int = 0) -> None:
        self.seed = seed

    @property
    def signature(self) -> Signature:
        return Signature.of("random", 1, seed=self.seed)

    def score(self, batch: Batch) -> Scores:
        """Return 48 bits of a hash of the seed and the text, divided by 2 to the power of 48."""
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
    """Ratio of the shorter length to the longer (in characters), between the translation and the reference or source.

    `against`: auto uses references if there are any; with several, the one closest in length counts. ``none`` returns minus the
    number of characters, since longer texts contain more errors.
    """

    card = Card(
        name="length",
        label="length",
        needs="either",
        higher_is_better=True,
        range=(None, 1.0),
        meaning="Ratio of the shorter to the longer of translation and reference (or source), in characters. 1 is equal length.",
        stored=False,
        decimals=3,
        kind="baseline",
    )

    def __init__(self, *, against: Against = "auto") -> None:
        self.against = against
        self.card = replace(self.card, needs=_NEEDS[against])

    @property
    def signature(self) -> Signature:
        return Signature.of("length", 1, against=self.against)

    def score(self, batch: Batch) -> Scores:
        """Return the length ratio; for two empty texts it is 1."""
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
    """chrF of the translation against the source, which is highest for copies of the source."""

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
        return Signature("copy-source", 1, self._chrf.signature.parameters)

    def score(self, batch: Batch) -> Scores:
        """Return chrF and its statistics with the source as the reference."""
        self.card.check_columns(batch)
        return self._chrf.score(Batch(batch.hypotheses, references=(batch.sources or (),)))

    def combine(self, stats: Floats) -> Floats:
        return self._chrf.combine(stats)


def _lengths(column: Sequence[str | None]) -> Floats:
    """Return the number of characters in every text; NaN for a missing one."""
    return np.array([np.nan if text is None else len(text) for text in column], np.float64)
