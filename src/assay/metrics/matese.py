"""MaTESe and MaTESe-QE (Perrella et al. 2022): error spans and their score, from the authors' checkpoints.

The checkpoints lie on a file host that no program should be sent to; they are downloaded by hand (docs/metrics.md).
"""

from __future__ import annotations

import threading
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Scores, Signature
from assay.core.spec import Word
from assay.data.checkpoints import checkpoints
from assay.metrics.common import best, reference_columns
from assay.metrics.neural import Precision, free_memory, need_neural, placed
from assay.metrics.published import members
from assay.models.runtime.memory import NetworkMetric


class Matese(NetworkMetric):
    """Spans by a reference, or by the source alone (MaTESe-QE), with their score. The model is loaded when the first segment is
    scored, and kept until `release`, or while there is room.

    `path`: the folder with ``matese.ckpt`` and the tokenizer of its encoder, or that file. `precision`: auto is fp32 on a CPU and
    fp16 on a GPU. `device`: auto is the GPU where there is one. Of several references the best score counts,
    with its spans.
    """

    def __init__(self, *, path: str | None = None, precision: Precision = "auto", device: Word = "auto") -> None:
        super().__init__()
        need_neural(self.card.name, "tokenizers")
        from assay.models.files.encoder import locate_matese

        name = self.card.name
        if path is None:
            raise MissingPart(
                f"{name} is not fetched by assay. Download {name}.ckpt as {checkpoints()[name].by_hand} says, put the "
                f"tokenizer.json of microsoft/infoxlm-large beside it, and give the folder: {name}:path=FOLDER."
            )
        self.path, self.precision, self.device = Path(path), precision, device
        self.files = locate_matese(path, quality_estimation=self.quality_estimation)
        self._tagger: Any = None
        self._signature: Signature | None = None

    @property
    def quality_estimation(self) -> bool:
        """Whether it reads the source in place of a reference."""
        return self.card.needs == "source"

    @property
    def signature(self) -> Signature:
        """The checkpoint's hash and the precision."""
        if self._signature is None:
            precision = placed(self.precision, self.device)[2]
            plain = Signature.of(self.card.label, 1)
            self._signature = replace(plain, weights=self.files.fingerprint(), precision=precision)
        return self._signature

    def score(self, batch: Batch) -> Scores:
        """Scores with spans; the flag ``truncated`` where a pair was longer than the model reads."""
        import numpy as np

        columns = self._columns(batch)
        if not len(batch):
            return Scores(np.empty(0), spans=[])
        rows = [(i, text) for column in columns for i, text in enumerate(column) if text is not None]
        with self._lock:
            spans, scores, cut = self.with_room(
                lambda: self._tagged([batch.hypotheses[i] for i, _ in rows], [text for _, text in rows])
            )
        truncated = np.zeros(len(batch), bool)
        for at, (i, _) in enumerate(rows):
            truncated[i] |= cut[at]
        chosen = best(scores, [i for i, _ in rows], len(batch))
        flags = {"truncated": truncated} if truncated.any() else {}
        return Scores(np.array([scores[at] for at in chosen]), spans=[spans[at] for at in chosen], flags=flags)

    def _columns(self, batch: Batch) -> Any:
        if not self.quality_estimation:
            return reference_columns(batch, self.card)
        if batch.sources is None:
            raise InputError(f"{self.card.name} needs the source, and none was given (--src FILE, or sources=[...]).")
        return (batch.sources,)

    def _tagged(self, hypotheses: list[str], others: list[str]) -> Any:
        if self._tagger is None:
            self._tagger = self._load()
        return self._tagger.spans(hypotheses, others)

    def _loaded_now(self) -> bool:
        return self._tagger is not None

    def _places(self) -> list[Any]:
        return [placed(self.precision, self.device)[0]]

    def release(self) -> None:
        """Let the model go; the next segment loads it again."""
        with self._lock:
            self._tagger = None
        free_memory()

    def _load(self) -> Any:
        from assay.models.heads.matese import MateseTagger

        device, dtype, _ = placed(self.precision, self.device)
        made = MateseTagger(self.files, dtype=dtype, device=device)
        if made.reference_less != self.quality_estimation:
            other = "matese-qe" if made.reference_less else "matese"
            raise InputError(f"{self.files.config} is the configuration of {other}: -m {other}:path={self.path}.")
        return made

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_tagger": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())


if not TYPE_CHECKING:
    __getattr__ = members("matese", lambda: Matese)
