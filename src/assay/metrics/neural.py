"""Base class of neural metrics: loading and releasing a model, device, precision, and the signature of its weights."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import sys
import threading
import time
from abc import abstractmethod
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar, Literal

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Metric, Scores, Signature
from assay.models.runtime.memory import with_memory

Precision = Literal["auto", "fp32", "bf16", "fp16"]
SLOW = 20.0
"""Speed in segments per second below which a notice for a CPU run recommends a GPU."""


class NeuralMetric(Metric):
    """Base class of metrics with a torch model, which is read from `files.weights`.

    The model is loaded when the first segment is scored. It stays loaded until `release` is called or other models need the
    memory. `precision`: auto means `on_gpu` on a GPU and fp32 on a CPU. `device`: auto means the GPU if there is one.
    """

    on_gpu: ClassVar[str] = "fp16"
    reports_speed: ClassVar[bool] = False
    """Whether a slow CPU run gets a notice."""

    def __init__(self, precision: str, device: str) -> None:
        self.precision, self.device = precision, device
        self.notices: Sequence[str] = ()
        self._loaded: Any = None
        self._hash: str | None = None
        self._lock = threading.RLock()
        """Held while the metric scores or is released."""

    def score(self, batch: Batch) -> Scores:
        """Return the score of every segment, with the flag ``truncated`` for texts that exceed the model's maximum length."""
        import numpy as np

        if not len(batch):
            return Scores(np.empty(0))
        with self._lock:
            started = time.monotonic()
            scores = with_memory(self, lambda: self._score(batch))
            if self.reports_speed:
                self._report_speed(len(batch), time.monotonic() - started)
        return scores

    @abstractmethod
    def _score(self, batch: Batch) -> Scores:
        """Return the scores of a non-empty batch."""

    @abstractmethod
    def _load(self) -> Any:
        """Read the model."""

    def _fingerprint(self) -> str:
        """Return a hash of all files that affect the scores."""
        return self.files.fingerprint()  # type: ignore[attr-defined, no-any-return]

    def loaded(self) -> Any:
        """Return the model; load it if necessary."""
        if self._loaded is None:
            self._loaded = self._load()
        return self._loaded

    def release(self) -> None:
        """Release the model. It is loaded again for the next segment."""
        with self._lock:
            if hasattr(self._loaded, "close"):
                self._loaded.close()
            self._loaded = None
        free_memory()

    def devices(self) -> list[Any]:
        """Return the devices that the model is on, or will be."""
        return [device_named(self.device)]

    def place(self) -> tuple[Any, str]:
        """Return the first device, and the precision under its name in signatures."""
        device = self.devices()[0]
        if self.precision == "int8" and device.type != "cpu":
            raise InputError("precision=int8 works on a CPU only. Use fp16 or bf16 on a GPU, or device=cpu.")
        if self.precision == "fp8":
            from assay.models.runtime.precision import choose_dtype

            choose_dtype("fp8", device)
        if self.precision != "auto":
            return device, self.precision
        return device, self.on_gpu if device.type == "cuda" else "fp32"

    def dtype(self) -> Any:
        """Return the torch type of the matrix products; int8 computes the rest in float32."""
        from assay.models.runtime.precision import DTYPES

        return DTYPES["fp32" if self.precision == "int8" else self.place()[1]]

    def signed_as(self, version: int, **parameters: object) -> Signature:
        """Return the signature with these parameters, the weights' hash and the precision."""
        if self._hash is None:
            self._hash = self._fingerprint()
        plain = Signature.of(self.card.label, version, **parameters)
        return replace(plain, weights=self._hash, precision=self.place()[1])

    def _report_speed(self, rows: int, seconds: float, hint: str = "") -> None:
        device, precision = self.place()
        if device.type == "cpu" and rows >= 8 and rows / max(seconds, 1e-9) < SLOW:
            self.notices = [
                f"{self.card.name} ran on the CPU in {precision} at {rows / seconds:.1f} segments per second; {hint}a GPU is many "
                "times faster."
            ]

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "_lock": None, "_loaded": None}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _lock=threading.RLock())


def need_neural(name: str, *modules: str) -> None:
    """Raise an error if torch, or another module from the extra, is missing; the message says what to install."""
    for module in ("torch", *modules):
        if importlib.util.find_spec(module) is None:
            raise MissingPart(f"{name} needs the extra 'neural': pip install 'mt-assay[neural]'")


def device_named(name: str) -> Any:
    """Return the torch device specified by the option ``device``. Raise an error if it does not exist."""
    import torch

    from assay.models.runtime.precision import choose_device

    try:
        device = torch.device("cpu" if name == "auto" else name)
    except RuntimeError:
        raise InputError(f"unknown device {name!r}. Use auto, cpu, cuda, cuda:1 … or mps.") from None
    available = {"cpu": True, "cuda": True, "mps": torch.backends.mps.is_available(), "xpu": torch.xpu.is_available()}
    if not available.get(device.type, False):
        raise InputError(f"device {name} is not available to torch. Omit the option.")
    if device.type == "cuda" and (device.index or 0) >= (there := torch.cuda.device_count()) > 0:
        raise InputError(f"device {name} does not exist; the last GPU is cuda:{there - 1}.")
    return choose_device(name)


def free_memory() -> None:
    """Return the memory of released models to the system, on a GPU too; the C library on Linux would otherwise retain it."""
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # C libraries other than GNU's return memory by themselves
            ctypes.CDLL(None).malloc_trim(0)
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
