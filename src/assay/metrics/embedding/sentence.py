"""Cosine similarity of sentence vectors: labse-sim and hwtsc-teacher-sim."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import best, with_sources_or_references
from assay.metrics.embedding.base import EncoderMetric
from assay.metrics.embedding.cards import LABSE_SIM, TEACHER_SIM
from assay.metrics.neural import Precision

if TYPE_CHECKING:
    from collections.abc import Sequence

    from assay.core.metric import Bools, Floats
    from assay.models.encoders.embedding import Head


class SentenceMetric(EncoderMetric):
    """Base class of metrics with one vector per text."""

    _head: Head | None = None

    def cosines(self, first: Sequence[str], second: Sequence[str]) -> tuple[Floats, Bools]:
        """Return the cosine of every pair of texts, and whether either text was truncated."""
        from assay.models.encoders.embedding import read_head, sentence_vectors

        embedder = self.loaded()
        if self._head is None:
            self._head = read_head(embedder, self.folder)
        vectors, cut = sentence_vectors(embedder, self._head, [*first, *second])
        count = len(first)
        products = np.einsum("ij,ij->i", vectors[:count].astype(np.float64), vectors[count:].astype(np.float64))
        return np.clip(products, -1.0, 1.0), cut[:count] | cut[count:]

    def others(self) -> Sequence[Path]:
        """Return the files that define how tokens are pooled."""
        beside = ("modules.json", "1_Pooling/config.json", "2_Dense/model.safetensors", "2_Dense/pytorch_model.bin")
        return [path for name in beside if (path := self.folder / name).is_file()]

    def release(self) -> None:
        super().release()
        self._head = None


class Similarity(SentenceMetric):
    """Cosine similarity of two sentence vectors; with several references, the best one counts.

    `model` is a sentence encoder by name or folder. `against` is the source or the reference.
    """

    def __init__(
        self,
        *,
        model: str | None = None,
        against: Literal["source", "reference"] = "source",
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        super().__init__(model=model, precision=precision, device=device)
        self.against = against
        self.card = replace(self.card, needs=against)

    @property
    def signature(self) -> Signature:
        return self.signed_as(1, against=self.against)

    def _score(self, batch: Batch) -> Scores:
        rows, texts = with_sources_or_references(batch, self.card)
        hypotheses = [batch.hypotheses[row] for row in rows]
        values, cut = self.cosines(hypotheses, texts)
        blank = [not (one.strip() and other.strip()) for one, other in zip(hypotheses, texts, strict=True)]
        values[np.array(blank, bool)] = 0.0
        best_rows = best(values.tolist(), rows, len(batch))
        return Scores(values[best_rows], flags={"truncated": cut[best_rows]} if cut[best_rows].any() else {})


class LabseSim(Similarity):
    """LaBSE cosine similarity of source and translation."""

    card, default_model = LABSE_SIM, "labse"


class TeacherSim(Similarity):
    """Cosine similarity of source and translation in the multilingual paraphrase encoder."""

    card, default_model = TEACHER_SIM, "paraphrase-multilingual-mpnet-base-v2"
