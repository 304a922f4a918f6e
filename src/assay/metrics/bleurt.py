"""BLEURT (Sellam et al. 2020) and BLEURT-20 with its distilled sizes (Pu et al. 2021), from Google's checkpoints or PyTorch ports.

The scores are the same as with google-research/bleurt. torch is imported when the first segment is scored; TensorFlow is never
imported.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.metric import Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import reference_columns, truncated
from assay.metrics.neural import NeuralMetric, need_neural
from assay.metrics.published import members


class Bleurt(NeuralMetric):
    """Base class of the BLEURT sizes.

    `path` is the folder of a checkpoint, either Google's or a PyTorch port. `precision`: auto means fp32 on a CPU and fp16 on a
    GPU; int8 works only on a CPU. `device`: auto means the GPU if there is one. With several references, the best score counts.
    A pair that exceeds the model's maximum length is truncated as in Google's code, by shortening the longer text, and flagged.
    """

    published: str | None = None

    def __init__(
        self,
        *,
        path: str | None = None,
        precision: Literal["auto", "fp32", "bf16", "fp16", "int8"] = "auto",
        device: Word = "auto",
    ) -> None:
        super().__init__(precision, device)
        need_neural(self.card.name, "sentencepiece", "tokenizers", "safetensors")
        from assay.models.files.bleurt import locate_bleurt
        from assay.models.files.published import find_published

        if path is None and self.published is None:
            raise MissingPart("bleurt requires a local BLEURT checkpoint. Specify its folder with bleurt:path=FOLDER.")
        self.path = Path(path).expanduser() if path is not None else find_published(self.published or self.card.name)
        self.files = locate_bleurt(self.path)
        if path is not None:
            self.card = replace(self.card, label=f"{self.card.label} ({self.files.folder.resolve().name})")

    @property
    def signature(self) -> Signature:
        signature = self.signed_as(1, model=self.published or self.files.folder.resolve().name)
        return replace(signature, name="BLEURT")

    def _score(self, batch: Batch) -> Scores:
        import numpy as np

        columns = reference_columns(batch, self.card)
        rows = [(i, text) for column in columns for i, text in enumerate(column) if text is not None]
        row_numbers = np.array([i for i, _ in rows])
        model, predictor = self.loaded()
        pairs = model.pairs([text for _, text in rows], [batch.hypotheses[i] for i, _ in rows])
        values = np.full(len(batch), -np.inf)
        np.maximum.at(values, row_numbers, predictor.scores(pairs))
        cut = np.zeros(len(batch), bool)
        cut[row_numbers[np.array([pair.cut for pair in pairs], bool)]] = True
        return Scores(values, flags=truncated(cut))

    def _load(self) -> Any:
        from assay.models.heads.bleurt import predictor

        device, precision = self.place()
        return predictor(self.files, dtype=self.dtype(), device=device, int8=precision == "int8")


if not TYPE_CHECKING:
    __getattr__ = members("bleurt", lambda: Bleurt)
