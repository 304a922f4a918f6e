"""bertscore-mini and e5-qe: greedy matching of subwords (Zhang et al. 2020) in assay-mini's encoder."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Metric, Scores, Signature
from assay.metrics.common import best, f1
from assay.metrics.mini.cards import BERTSCORE, E5_QE
from assay.metrics.mini.model import LONGEST, coverage_flags, model_of, need_weights, triples, weights_of

if TYPE_CHECKING:
    from assay.core.metric import Floats

REFERENCE, SOURCE = 1, 2
DEPTHS = 5
"""Number of depths: the embeddings, layers 4, 7 and 11 of 12, and the mixture of the upper layers."""


class Matching(Metric):
    """Base class of both metrics: precision is the mean best match of the translation's subwords, recall that of the other text's.

    `idf` gives rare subwords a higher weight. `depth` is 0 for the embeddings, 1 to 3 for layers 4, 7 and 11, and 4 for the
    mixture of layers 6 to 12. `precision` and `path` are the same as in assay-mini. Texts of more than 400 subwords are
    truncated.
    """

    kind: int
    inputs: str

    def __init__(
        self,
        *,
        idf: bool = False,
        depth: int = 3,
        precision: Literal["int8", "int16"] = "int8",
        path: str | None = None,
    ) -> None:
        if not 0 <= depth < DEPTHS:
            raise InputError(f"{self.card.name} needs a depth from 0 to {DEPTHS - 1}, not {depth}.")
        need_weights(self.card.name, path)
        self.idf, self.depth, self.precision, self.path = idf, depth, precision, path

    @property
    def signature(self) -> Signature:
        plain = Signature.of(self.card.label, 1, idf=self.idf, depth=self.depth)
        return replace(plain, weights=weights_of(self.path).identity, precision=self.precision)

    def score(self, batch: Batch) -> Scores:
        """Return F1 with precision, recall and the cosine of the mean vectors; 0 for an empty translation."""
        rows, pairs = triples(batch, self.card, self.inputs)
        if not pairs:
            return Scores(np.empty(0))
        model = model_of(self.path, self.precision == "int16")
        flags = coverage_flags(model, pairs, batch.langpairs and [batch.langpairs[row] for row in rows])
        empty, nothing = flags["empty_hypothesis"], flags["nothing_to_compare"]
        indices = np.flatnonzero(~(empty | nothing))
        columns = np.where(nothing[:, None], np.nan, np.zeros((len(pairs), 3)))
        texts = [pairs[at].hypothesis for at in indices], [pairs[at].others[0] for at in indices]
        columns[indices] = self._read(model.match(*texts, self.kind, self.depth).astype(np.float64))
        lengths = model.coverage(text for triple in pairs for text in triple if text is not None)
        long = [
            max(lengths[text].subwords for text in (triple.hypothesis, *triple.others)) > LONGEST for triple in pairs
        ]
        flags["truncated"] = np.array(long, bool)
        values = f1(columns[:, 0], columns[:, 1])
        best_rows = best(values.tolist(), rows, len(batch))
        return Scores(
            values[best_rows],
            components={name: columns[best_rows, at] for at, name in enumerate(("precision", "recall", "cosine"))},
            flags={name: column[best_rows] for name, column in flags.items() if column[best_rows].any()},
        )

    def _read(self, matched: Floats) -> Floats:
        """Return precision, recall and cosine from the five columns that the kernel returns."""
        return matched[:, [2, 3, 4] if self.idf else [0, 1, 4]]


class BertscoreMini(Matching):
    """BERTScore with assay-mini's encoder."""

    card, kind, inputs = BERTSCORE, REFERENCE, "ref"


class E5Qe(Matching):
    """Token matching between the translation and its source."""

    card, kind, inputs = E5_QE, SOURCE, "src"
