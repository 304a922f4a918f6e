"""METEOR (Banerjee and Lavie 2005; parameters of Lavie and Agarwal 2007), with the same scores as NLTK's meteor_score."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Card, Metric, Scores, Signature
from assay.kernels import _native
from assay.metrics.common import reference_columns
from assay.metrics.porter import stem

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.io.resources.wordnet import WordNet

    Ints = NDArray[np.int32]
    Longs = NDArray[np.int64]


class Meteor(Metric):
    """Harmonic mean of word precision and recall, minus a penalty for scattered matches; from 0 to 1.

    Words are separated by whitespace and compared in lower case. Matching has three stages: identical words, identical stems,
    then stems that are WordNet synonyms of each other. Each translation word, from the last to the first, is matched to the
    last free reference word. This is NLTK's greedy alignment. It takes linear time, so even long lines are aligned completely.

    `alpha` weights precision against recall; `beta` and `gamma` shape the penalty ``gamma * (chunks / matches) ** beta``.
    `wordnet` is ``auto`` (use it if installed), ``none``, or the WordNet folder; the signature shows which was used. With
    several references, the best one counts. The corpus score is the mean. If either side is empty, the score is 0. As in NLTK,
    a perfect translation of n words scores ``1 - gamma / n ** beta``, not 1.
    """

    card = Card(
        name="meteor",
        label="METEOR",
        needs="reference",
        higher_is_better=True,
        range=(0.0, 1.0),
        meaning="Words in common with the reference (equal, same stem, synonym), recall weighted above precision, less a "
        "penalty for changed order. Stems and synonyms are English; other languages are compared by equal words.",
        citation="Lavie and Agarwal 2007, METEOR: An automatic metric for MT evaluation with high levels of correlation "
        "with human judgments",
        stored=False,
        decimals=3,
    )

    def __init__(
        self,
        *,
        alpha: float = 0.9,
        beta: float = 3.0,
        gamma: float = 0.5,
        wordnet: Literal["auto", "none"] | str = "auto",
    ) -> None:
        if not (0 <= alpha <= 1 and 0 <= gamma <= 1 and beta >= 0):
            raise InputError("meteor requires alpha and gamma from 0 to 1 and a non-negative beta.")
        self.alpha, self.beta, self.gamma = float(alpha), float(beta), float(gamma)
        self.wordnet, self._place = wordnet, _place(wordnet)

    @property
    def signature(self) -> Signature:
        """Signature with METEOR's parameters, and the WordNet used in the third stage."""
        wordnet = self._wordnet()
        return Signature.of(
            "METEOR",
            1,
            alpha=self.alpha,
            beta=self.beta,
            gamma=self.gamma,
            stem="porter",
            wordnet=wordnet.identity if wordnet else "none",
        )

    def score(self, batch: Batch) -> Scores:
        """Return segment METEOR, using the best reference."""
        columns = (batch.hypotheses, *reference_columns(batch, self.card))
        words, ids, starts = _native.word_ids(columns)
        surface, stems, names = _numbered(words)
        synonym_starts, synonyms = _synonyms(names, self._wordnet())
        return Scores(
            _native.meteor(
                ids, starts, len(batch), surface, stems, synonym_starts, synonyms, self.alpha, self.beta, self.gamma
            )
        )

    def _wordnet(self) -> WordNet | None:
        if self._place is None:
            return None
        from assay.io.resources.wordnet import load

        return load(self._place)


def _place(wordnet: str) -> Path | None:
    if wordnet == "none":
        return None
    from assay.io.resources.wordnet import check_folder, find

    return find() if wordnet == "auto" else check_folder(Path(wordnet).expanduser())


def _numbered(words: list[str]) -> tuple[Ints, Ints, dict[str, int]]:
    """For each word, return the numbers of its lower-cased form and of its stem; also return the stems by name."""
    forms: dict[str, int] = {}
    stems: dict[str, int] = {}
    lowered = [word.lower() for word in words]
    surface = np.array([forms.setdefault(word, len(forms)) for word in lowered], np.int32)
    stemmed = np.array([stems.setdefault(stem(word), len(stems)) for word in lowered], np.int32)
    return surface, stemmed, stems


def _synonyms(stems: dict[str, int], wordnet: WordNet | None) -> tuple[Longs, Ints]:
    """For each stem, return its synonyms among the stems, as a ragged array. Like NLTK, this looks up stems, not words."""
    starts = np.zeros(len(stems) + 1, np.int64)
    if wordnet is None:
        return starts, np.empty(0, np.int32)
    rows = [[stems[name] for name in wordnet.synonyms(word) if name in stems and name != word] for word in stems]
    starts[1:] = np.cumsum([len(row) for row in rows])
    return starts, np.array([number for row in rows for number in row], np.int32)
