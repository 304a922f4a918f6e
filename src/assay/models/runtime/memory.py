"""Room for networks: those of several metrics are kept while they fit together, and make way for one another where they do not.

A network is loaded when its metric first scores, and kept, for a long stream goes from metric to metric a chunk at a time and would
load each of them anew. Before one is loaded, it is seen whether there is room for it; where there is not, networks of other
metrics are let go, the one used longest ago first, and are loaded again when their turn comes. Should memory run out all the same,
every other network goes and the call is made once more. No number depends on it.
"""

from __future__ import annotations

import threading
import weakref
from abc import abstractmethod
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from assay.core.errors import AssayError, InputError, NoRoom
from assay.core.metric import Metric

if TYPE_CHECKING:
    import torch

T = TypeVar("T")
SPARE, SPARE_ON_GPU = 1 << 30, 3 << 30
"""Bytes that stay free for batches, beside a quarter of the largest network's."""
LAID_OUT = 2.25
"""Memory that a network takes on a CPU, in sizes of its file: weights are laid out a second time for the matrix products."""


class NetworkMetric(Metric):
    """Base of metrics with a network of torch's, which is read from `files.weights`."""

    def __init__(self) -> None:
        self._lock = threading.RLock()
        """Held while it scores, and for `release`."""

    @abstractmethod
    def _loaded_now(self) -> bool:
        """Whether the network is there."""

    @abstractmethod
    def _places(self) -> Sequence[torch.device]:
        """The devices that it is on, or will be."""

    def with_room(self, call: Callable[[], T]) -> T:
        """`call`, which scores and loads the network where it is not there yet, with room made for it. The lock is held."""
        from assay.models.runtime.batching import out_of_memory

        places = self._places()
        if not self._loaded_now():
            _HELD.make_room(self, places)
        _HELD.used(self, places)
        try:
            return self._alone_if_need_be(call, places)
        except AssayError:
            raise
        except Exception as error:
            if not out_of_memory(error):
                raise
            instead = "a smaller model" if places[0].type == "cpu" else "a smaller model, or device=cpu"
            kind = InputError if self._loaded_now() else NoRoom
            raise kind(f"{self.card.name} does not fit the memory of {places[0]}. Use {instead}.") from error

    def _alone_if_need_be(self, call: Callable[[], T], places: Sequence[torch.device]) -> T:
        """`call`; where memory runs out and other networks could go, once more without them."""
        try:
            return call()
        except Exception as error:
            if not _ran_out(error) or not _HELD.let_go_of_others(self, places):
                raise
        self.release()  # its batches were cut to what was left
        return call()


class _Held:
    """The metrics of this process that have loaded their networks, the one used longest ago first."""

    def __init__(self) -> None:
        self._guard = threading.Lock()
        self._known: dict[int, tuple[weakref.ref[NetworkMetric], frozenset[str], int]] = {}

    def used(self, metric: NetworkMetric, places: Sequence[torch.device]) -> None:
        """It is about to score."""
        with self._guard:
            self._known.pop(id(metric), None)
            self._known[id(metric)] = weakref.ref(metric), _names(places), _size(metric)

    def make_room(self, metric: NetworkMetric, places: Sequence[torch.device]) -> None:
        """Let networks go until there is room for another one, or none is left."""
        for other, largest in self._others(metric, places):
            if _fits(_size(metric), max(largest, _size(metric)), places):
                return
            self._let_go(other)

    def let_go_of_others(self, metric: NetworkMetric, places: Sequence[torch.device]) -> bool:
        """Let all others on the same devices go; whether there was one."""
        gone = [self._let_go(other) for other, _ in self._others(metric, places)]
        return any(gone)

    def _others(self, metric: NetworkMetric, places: Sequence[torch.device]) -> list[tuple[NetworkMetric, int]]:
        """Other metrics whose networks are on the same devices, and the size of the largest of them."""
        with self._guard:
            self._known = {key: known for key, known in self._known.items() if known[0]() is not None}
            found = [(other(), size) for other, names, size in self._known.values() if names & _names(places)]
        there = [(other, size) for other, size in found if other is not None and other is not metric]
        there = [(other, size) for other, size in there if other._loaded_now()]
        return [(other, max(size for _, size in there)) for other, _ in there]

    def _let_go(self, metric: NetworkMetric) -> bool:
        """Release a metric, unless another thread is scoring with it."""
        if not metric._lock.acquire(blocking=False):
            return False
        try:
            metric.release()
        finally:
            metric._lock.release()
        return True


_HELD = _Held()


def _names(places: Sequence[torch.device]) -> frozenset[str]:
    return frozenset(str(place) for place in places)


def _size(metric: NetworkMetric) -> int:
    """Bytes of the files that the network is read from."""
    weights = getattr(getattr(metric, "files", None), "weights", ())  # one whose weights are not here has no files
    paths: Sequence[Path] = (weights,) if isinstance(weights, Path) else weights
    return sum(path.stat().st_size for path in paths)


def _fits(size: int, largest: int, places: Sequence[torch.device]) -> bool:
    """Whether a network of this file size can be loaded beside what is there, with enough left for the batches of the `largest`."""
    share, spare = (LAID_OUT, SPARE) if places[0].type == "cpu" else (1.0, SPARE_ON_GPU)
    return all(size * share + largest / 4 + spare <= _free(place) for place in places)


def _free(place: torch.device) -> int:
    """Bytes that a device has left for this process; 0 where nobody says."""
    import torch

    if place.type == "cuda":
        cached = torch.cuda.memory_reserved(place) - torch.cuda.memory_allocated(place)
        return int(torch.cuda.mem_get_info(place)[0]) + cached
    from assay.core.memory import available

    return available()


def _ran_out(error: BaseException | None) -> bool:
    """Whether memory ran out, or that is what an error was raised over; it may also be what ended a process of several GPUs."""
    from concurrent.futures import BrokenExecutor

    from assay.models.runtime.batching import out_of_memory

    if not isinstance(error, Exception):
        return False
    return isinstance(error, BrokenExecutor) or out_of_memory(error) or _ran_out(error.__cause__ or error.__context__)
