"""YiSi-1 and YiSi-2 (Lo 2019): weighted lexical similarity of token n-grams, without semantic roles."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import best, with_sources_or_references
from assay.metrics.embedding.base import EncoderMetric, Rarity, frequency_file, yisi_weight
from assay.metrics.embedding.bertscore import best_layer
from assay.metrics.embedding.cards import YISI1, YISI2
from assay.metrics.neural import Precision

if TYPE_CHECKING:
    from assay.models.encoders.matching import Weigh


class Yisi(EncoderMetric):
    """Base class of YiSi-1 and YiSi-2: precision and recall of token n-grams, combined by a weighted harmonic mean.

    `model` is an encoder by name or folder. `layer` is the layer whose vectors are compared, by default bert-score's choice for
    that encoder, or the last. `ngram` is the n-gram length. `alpha` is the weight of recall; 0.5 gives the plain harmonic mean.
    `idf` is a target-language text file for computing document frequencies, so rare tokens get a higher weight; by default all
    tokens have the same weight. `idf_source` does the same for the source.
    """

    against: ClassVar[Literal["source", "reference"]]
    default_model = "bert-base-multilingual-cased"

    def __init__(
        self,
        *,
        model: str | None = None,
        layer: int | None = None,
        ngram: int = 3,
        alpha: float = 0.8,
        idf: str | None = None,
        idf_source: str | None = None,
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        super().__init__(model=model, precision=precision, device=device)
        if ngram < 1:
            raise InputError(f"{self.card.name} requires an ngram of at least 1, not {ngram}.")
        if not 0 <= alpha <= 1:
            raise InputError(f"{self.card.name} requires an alpha from 0 to 1, not {alpha:g}.")
        if idf_source is not None and self.against == "reference":
            raise InputError(f"{self.card.name} does not use the source. Only yisi2 accepts idf_source.")
        self.layer = best_layer(self.folder) if layer is None else layer
        self.ngram, self.alpha = ngram, alpha
        self.idf = frequency_file(self.card.name, "idf", idf)
        self.idf_source = frequency_file(self.card.name, "idf_source", idf_source)
        self._rarities: dict[str, Rarity] = {}

    @property
    def signature(self) -> Signature:
        parameters: dict[str, object] = {"layer": "last" if self.layer is None else self.layer}
        parameters |= {"ngram": self.ngram, "alpha": self.alpha, "idf": self.idf is not None}
        parameters |= {"idf_source": self.idf_source is not None} if self.against == "source" else {}
        return self.signed_as(1, **parameters)

    def others(self) -> Sequence[Path]:
        return [Path(path) for path in (self.idf, self.idf_source) if path is not None]

    def release(self) -> None:
        super().release()
        self._rarities.clear()

    def _score(self, batch: Batch) -> Scores:
        from assay.models.encoders.matching import matched

        rows, others = with_sources_or_references(batch, self.card)
        embedder = self.loaded()
        other_idf = self.idf if self.against == "reference" else self.idf_source
        matches = matched(
            embedder,
            [batch.hypotheses[row] for row in rows],
            others,
            (self._weigh(self.idf), self._weigh(other_idf)),
            inner=True,
            ngram=self.ngram,
            floor=True,
        )
        precision = np.where(matches.empty, 0.0, np.nan_to_num(matches.precision))
        recall = np.where(matches.empty, 0.0, np.nan_to_num(matches.recall))
        below = self.alpha * precision + (1 - self.alpha) * recall
        values = np.divide(precision * recall, below, out=np.zeros(len(below)), where=below > 0)
        best_rows = best(values.tolist(), rows, len(batch))
        cut = np.zeros(len(batch), bool)
        np.logical_or.at(cut, rows, matches.cut)
        return Scores(
            values[best_rows],
            components={"precision": precision[best_rows], "recall": recall[best_rows]},
            flags={"truncated": cut} if cut.any() else {},
        )

    def _weigh(self, path: str | None) -> Weigh:
        from assay.models.encoders.matching import uniform

        if path is None:
            return uniform
        if path not in self._rarities:
            self._rarities[path] = Rarity(path, self.loaded(), yisi_weight)
        return self._rarities[path]


class Yisi1(Yisi):
    """YiSi-1: translation against reference."""

    card, against = YISI1, "reference"


class Yisi2(Yisi):
    """YiSi-2: translation against source, without a reference."""

    card, against = YISI2, "source"
