"""What the metrics of encoder-decoders share: which folder, in which precision, on which device, and when it is let go."""

from __future__ import annotations

import time
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.langpair import target, written
from assay.core.metric import Scores, Signature
from assay.metrics.neural import Precision, device_named, free_memory
from assay.models.runtime.memory import NetworkMetric

if TYPE_CHECKING:
    from assay.core.metric import Bools

SLOW = 20.0
"""Segments a second below which a run without a GPU is told what it misses."""


class SequenceMetric(NetworkMetric):
    """Base of them. The network is loaded when the first segment is scored, and kept until `release`, or while there is room."""

    on_gpu: ClassVar[Literal["bf16", "fp16"]] = "fp16"
    """What ``precision=auto`` is on a GPU: T5's numbers are too large for fp16."""

    def __init__(self, precision: Precision, device: str) -> None:
        super().__init__()
        self.precision, self.device = precision, device
        self.notices: Sequence[str] = ()
        self._loaded: Any = None
        self._hash: str | None = None

    def score(self, batch: Batch) -> Scores:
        """Scores of every segment, flagged where a text was longer than the model reads."""
        import numpy as np

        if not len(batch):
            return Scores(np.empty(0))
        with self._lock:
            started = time.monotonic()
            scores = self.with_room(lambda: self._scored(batch))
            self._remark(len(batch), time.monotonic() - started)
        return scores

    def _scored(self, batch: Batch) -> Scores:
        if self._loaded is None:
            self._loaded = self._load(*self._place())
        return self._score(batch)

    def _loaded_now(self) -> bool:
        return self._loaded is not None

    def _places(self) -> list[Any]:
        return [self._place()[1]]

    def release(self) -> None:
        """Let the network go; the next segment loads it again."""
        with self._lock:
            self._loaded = None
        free_memory()

    @abstractmethod
    def _load(self, precision: str, device: Any) -> Any:
        """The network on a device."""

    @abstractmethod
    def _score(self, batch: Batch) -> Scores:
        """Scores of a batch that is not empty."""

    @abstractmethod
    def _fingerprint(self) -> str:
        """A hash of all that the network is read from."""

    def signed_as(self, version: int, **parameters: object) -> Signature:
        """The signature of a metric of this network."""
        if self._hash is None:
            self._hash = self._fingerprint()
        plain = Signature.of(self.card.label, version, **parameters)
        return replace(plain, weights=self._hash, precision=self._place()[0])

    def _place(self) -> tuple[str, Any]:
        device = device_named(self.device)
        chosen = self.on_gpu if device.type == "cuda" else "fp32"
        return (chosen if self.precision == "auto" else self.precision), device

    def _remark(self, rows: int, seconds: float) -> None:
        if self._place()[1].type == "cpu" and rows >= 8 and rows / max(seconds, 1e-9) < SLOW:
            self.notices = [
                f"{self.card.name} ran on the CPU in {self._place()[0]} at {rows / seconds:.1f} segments a second; a GPU is many "
                "times faster."
            ]


def target_languages(batch: Batch, given: str | None) -> list[str]:
    """The language that each row is translated into, as it was given or as its pair says; empty where nobody said it."""
    if given:
        return [written(given)] * len(batch)
    if batch.langpairs is None:
        return [""] * len(batch)
    return [written(target(pair)) if pair else "" for pair in batch.langpairs]


def source_languages(batch: Batch) -> list[str]:
    """The language that each row is translated from; empty where nobody said it."""
    pairs = batch.langpairs or [""] * len(batch)
    return [written(pair.partition("-")[0]) if pair and "-" in pair else "" for pair in pairs]


def truncated(cut: Bools) -> dict[str, Bools]:
    """The flag on rows that were longer than the model reads, where there are any."""
    return {"truncated": cut} if cut.any() else {}


def folder_of(path: str | None, published: str | None, name: str) -> Path:
    """The folder that was given, or a copy of the published one on this machine."""
    if path is not None:
        return Path(path).expanduser()
    if published is None:
        raise MissingPart(f"{name} has no published weights: give a folder of your own with -m {name}:path=FOLDER.")
    from assay.models.files.published import find_published

    return find_published(published)
