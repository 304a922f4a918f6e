"""MaTESe and MaTESe-QE (Perrella et al. 2022): error spans and the score derived from them, with the authors' checkpoints.

The checkpoints are on a file host that does not support automated downloads, so users download them by hand (docs/metrics.md).
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Scores, Signature
from assay.core.spec import Word
from assay.data.checkpoints import checkpoints
from assay.metrics.common import best, reference_columns, truncated
from assay.metrics.neural import NeuralMetric, Precision, need_neural
from assay.metrics.published import members


class Matese(NeuralMetric):
    """Error spans and the score derived from them, with a reference or, for MaTESe-QE, with the source alone.

    `path` is the folder that contains ``matese.ckpt`` and its encoder's tokenizer, or the file itself. `precision`: auto means
    fp32 on a CPU and fp16 on a GPU. `device`: auto means the GPU if there is one. With several references, the one with the
    best score counts, and its spans are returned.
    """

    def __init__(self, *, path: str | None = None, precision: Precision = "auto", device: Word = "auto") -> None:
        super().__init__(precision, device)
        need_neural(self.card.name, "tokenizers")
        from assay.models.files.encoder import locate_matese

        name = self.card.name
        if path is None:
            raise MissingPart(
                f"{name} cannot be downloaded by assay. Download {name}.ckpt as described in "
                f"{checkpoints()[name].by_hand}, put the "
                f"tokenizer.json of microsoft/infoxlm-large next to it, and specify the folder: {name}:path=FOLDER."
            )
        self.path = Path(path)
        self.files = locate_matese(path, quality_estimation=self.quality_estimation)

    @property
    def quality_estimation(self) -> bool:
        """Whether it reads the source instead of a reference."""
        return self.card.needs == "source"

    @property
    def signature(self) -> Signature:
        return self.signed_as(1)

    def _score(self, batch: Batch) -> Scores:
        import numpy as np

        if self.quality_estimation:
            self.card.check_needs(batch)
        columns = (batch.sources or (),) if self.quality_estimation else reference_columns(batch, self.card)
        rows = [(i, text) for column in columns for i, text in enumerate(column) if text is not None]
        spans, scores, cut = self.loaded().spans([batch.hypotheses[i] for i, _ in rows], [text for _, text in rows])
        any_cut = np.zeros(len(batch), bool)
        for at, (i, _) in enumerate(rows):
            any_cut[i] |= cut[at]
        best_rows = best(scores, [i for i, _ in rows], len(batch))
        values = np.array([scores[at] for at in best_rows])
        return Scores(values, spans=[spans[at] for at in best_rows], flags=truncated(any_cut))

    def _load(self) -> Any:
        from assay.models.heads.matese import MateseTagger

        tagger = MateseTagger(self.files, dtype=self.dtype(), device=self.place()[0])
        if tagger.reference_less != self.quality_estimation:
            other = "matese-qe" if tagger.reference_less else "matese"
            raise InputError(f"{self.files.config} is the configuration of {other}: -m {other}:path={self.path}.")
        return tagger


if not TYPE_CHECKING:
    __getattr__ = members("matese", lambda: Matese)
