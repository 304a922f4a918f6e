"""BLEURT (Sellam et al. 2020) and BLEURT-20 with its distilled sizes (Pu et al. 2021), from Google's checkpoints or ports.

The numbers are google-research/bleurt's. Nothing of torch is imported before a segment is scored, and TensorFlow never.
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.metric import Scores, Signature
from assay.core.spec import Word
from assay.metrics.common import reference_columns
from assay.metrics.neural import free_memory, need_neural, placed
from assay.metrics.published import members
from assay.models.runtime.memory import NetworkMetric


class Bleurt(NetworkMetric):
    """Base of the sizes. The model is loaded when the first segment is scored, and kept until `release`, or while there is room.

    `path`: the folder of a checkpoint, Google's or a port's. `precision`: auto is fp32 on a CPU and fp16 on a GPU; int8 is for the
    CPU. `device`: auto is the GPU where there is one. Of several references the best counts. A pair longer than the model reads is
    cut as Google cuts it, from the longer text, and flagged.
    """

    published: str | None = None

    def __init__(
        self,
        *,
        path: str | None = None,
        precision: Literal["auto", "fp32", "bf16", "fp16", "int8"] = "auto",
        device: Word = "auto",
    ) -> None:
        super().__init__()
        need_neural(self.card.name, "sentencepiece", "tokenizers", "safetensors")
        from assay.models.files.bleurt import locate_bleurt
        from assay.models.files.published import find_published

        if path is None and self.published is None:
            raise MissingPart("bleurt is any BLEURT checkpoint of yours: give its folder, bleurt:path=FOLDER.")
        self.path = Path(path).expanduser() if path is not None else find_published(self.published or self.card.name)
        self.precision, self.device = precision, device
        self.files = locate_bleurt(self.path)
        if path is not None:
            self.card = replace(self.card, label=f"{self.card.label} ({self.files.folder.resolve().name})")
        self._loaded: Any = None
        self._signature: Signature | None = None

    @property
    def signature(self) -> Signature:
        """The checkpoint's hash and the precision."""
        if self._signature is None:
            plain = Signature.of("BLEURT", 1, model=self.published or self.files.folder.resolve().name)
            precision = placed(self.precision, self.device)[2]
            self._signature = replace(plain, weights=self.files.fingerprint(), precision=precision)
        return self._signature

    def score(self, batch: Batch) -> Scores:
        """A score a segment, the best of its references; the flag ``truncated`` where a text was cut."""
        import numpy as np

        columns = reference_columns(batch, self.card)
        if not len(batch):
            return Scores(np.empty(0))
        rows = [(i, text) for column in columns for i, text in enumerate(column) if text is not None]
        places = np.array([i for i, _ in rows])
        with self._lock:
            pairs, found = self.with_room(
                lambda: self._scored([text for _, text in rows], [batch.hypotheses[i] for i, _ in rows])
            )
        values = np.full(len(batch), -np.inf)
        np.maximum.at(values, places, found)
        truncated = np.zeros(len(batch), bool)
        truncated[places[np.array([pair.cut for pair in pairs], bool)]] = True
        return Scores(values, flags={"truncated": truncated} if truncated.any() else {})

    def _scored(self, references: list[str], hypotheses: list[str]) -> tuple[Any, Any]:
        if self._loaded is None:
            self._loaded = self._load()
        model, predictor = self._loaded
        pairs = model.pairs(references, hypotheses)
        return pairs, predictor.scores(pairs)

    def _loaded_now(self) -> bool:
        return self._loaded is not None

    def _places(self) -> list[Any]:
        return [placed(self.precision, self.device)[0]]

    def release(self) -> None:
        """Let the model go; the next segment loads it again."""
        with self._lock:
            self._loaded = None
        free_memory()

    def _load(self) -> Any:
        from assay.models.heads.bleurt import predictor

        device, dtype, precision = placed(self.precision, self.device)
        return predictor(self.files, dtype=dtype, device=device, int8=precision == "int8")

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_loaded": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())


if not TYPE_CHECKING:
    __getattr__ = members("bleurt", lambda: Bleurt)
