"""GPU memory manager: keeps the models of several metrics loaded while they fit and evicts the least recently used.

Processing a stream of chunks alternates between metrics, so without this each chunk would load every model again. Before a
model is loaded, the least recently used models of other metrics are released until it fits. If memory runs out anyway, all
other models are released and the call is repeated once. Scores do not depend on it.
"""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from assay.core.errors import AssayError, InputError, OutOfMemory

if TYPE_CHECKING:
    import torch

    from assay.core.metric import Card

T = TypeVar("T")
SPARE, SPARE_ON_GPU = 1 << 30, 3 << 30
"""Number of bytes that stay free for batches, in addition to a quarter of the size of the largest model."""
CPU_FACTOR = 2.25
"""Memory that a model takes on a CPU, relative to its file: weights are stored a second time in a layout for matrix products."""


class ModelOwner(Protocol):
    """A metric with a model in memory."""

    card: Card
    _loaded: Any
    _lock: threading.RLock

    def devices(self) -> Sequence[torch.device]:
        """Return the devices that the model is on, or will be."""

    def release(self) -> None:
        """Release the model."""


def with_memory(metric: ModelOwner, call: Callable[[], T]) -> T:
    """Return the result of `call`, which loads the metric's model if needed and scores. The caller holds the metric's lock."""
    from assay.models.runtime.batching import out_of_memory

    devices = metric.devices()
    if metric._loaded is None:
        _OWNERS.make_room(metric, devices)
    _OWNERS.used(metric, devices)
    try:
        return _retried(metric, call, devices)
    except AssayError:
        raise
    except Exception as error:
        if not out_of_memory(error):
            raise
        instead = "a smaller model" if devices[0].type == "cpu" else "a smaller model, or device=cpu"
        kind = InputError if metric._loaded is not None else OutOfMemory
        raise kind(f"{metric.card.name} does not fit into the memory of {devices[0]}. Use {instead}.") from error


def _retried(metric: ModelOwner, call: Callable[[], T], devices: Sequence[torch.device]) -> T:
    """Return the result of `call`. If memory runs out, release other models and repeat the call."""
    try:
        return call()
    except Exception as error:
        if not _ran_out(error) or not _OWNERS.release_others(metric, devices):
            raise
    metric.release()  # its batch size was chosen for the memory that was left
    return call()


class _Owners:
    """Metrics in this process that have loaded models, least recently used first."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[int, tuple[weakref.ref[Any], frozenset[str], int]] = {}

    def used(self, metric: ModelOwner, devices: Sequence[torch.device]) -> None:
        """Mark a metric as the most recently used."""
        with self._guard:
            self._known.pop(id(metric), None)
            self._known[id(metric)] = weakref.ref(metric), _names(devices), _size(metric)

    def make_room(self, metric: ModelOwner, devices: Sequence[torch.device]) -> None:
        """Release models until another one fits or there are none left."""
        for other, largest in self._others(metric, devices):
            if _fits(_size(metric), max(largest, _size(metric)), devices):
                return
            self._release(other)

    def release_others(self, metric: ModelOwner, devices: Sequence[torch.device]) -> bool:
        """Release all other models on the same devices. Return whether there were any."""
        released = [self._release(other) for other, _ in self._others(metric, devices)]
        return any(released)

    def _others(self, metric: ModelOwner, devices: Sequence[torch.device]) -> list[tuple[ModelOwner, int]]:
        """Return the other metrics with models on the same devices, and the size of the largest of these models."""
        with self._guard:
            self._known = {key: known for key, known in self._known.items() if known[0]() is not None}
            owners = [(other(), size) for other, names, size in self._known.values() if names & _names(devices)]
        loaded = [(o, size) for o, size in owners if o is not None and o is not metric and o._loaded is not None]
        return [(other, max(size for _, size in loaded)) for other, _ in loaded]

    def _release(self, metric: ModelOwner) -> bool:
        """Release a metric's model, unless another thread is scoring with it."""
        if not metric._lock.acquire(blocking=False):
            return False
        try:
            metric.release()
        finally:
            metric._lock.release()
        return True


_OWNERS = _Owners()


def _names(devices: Sequence[torch.device]) -> frozenset[str]:
    return frozenset(str(device) for device in devices)


def _size(metric: ModelOwner) -> int:
    """Return the total size in bytes of the files from which the model is read."""
    weights = getattr(getattr(metric, "files", None), "weights", ())  # a metric without local weights has no files
    paths: Sequence[Path] = (weights,) if isinstance(weights, Path) else weights
    return sum(path.stat().st_size for path in paths)


def _fits(size: int, largest: int, devices: Sequence[torch.device]) -> bool:
    """Return whether a model of this file size fits, with enough memory left for batches of the `largest` model."""
    share, spare = (CPU_FACTOR, SPARE) if devices[0].type == "cpu" else (1.0, SPARE_ON_GPU)
    return all(size * share + largest / 4 + spare <= _free(device) for device in devices)


def _free(device: torch.device) -> int:
    """Return the number of bytes that a device has left for this process, or 0 if unknown."""
    import torch

    if device.type == "cuda":
        cached = torch.cuda.memory_reserved(device) - torch.cuda.memory_allocated(device)
        return int(torch.cuda.mem_get_info(device)[0]) + cached
    from assay.core.memory import available

    return available()


def _ran_out(error: BaseException | None) -> bool:
    """Return whether memory ran out, directly or as the cause of an error; a killed worker process of several GPUs counts too."""
    from concurrent.futures import BrokenExecutor

    from assay.models.runtime.batching import out_of_memory

    if not isinstance(error, Exception):
        return False
    return isinstance(error, BrokenExecutor) or out_of_memory(error) or _ran_out(error.__cause__ or error.__context__)
