"""Training state on disk: one safetensors file, written atomically, and a log that never runs ahead of it.

The file contains tensors, with everything else as JSON in its header; there are no pickles. Shuffling and dropout depend only
on seed and step, so the position is all that is needed to resume. The first Ctrl-C writes a checkpoint after the current step;
the second stops at once.
"""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import AssayError, InputError, Interrupted
from assay.core.schema import Place, typed
from assay.io.documents import decode
from assay.io.files.atomic import atomic_write

if TYPE_CHECKING:
    from torch import Tensor

    from assay.models.training.config import PhaseConfig, TrainConfig
    from assay.models.training.evaluation import Evaluation

STATE = "state.safetensors"
LOG = "log.jsonl"


@dataclass(frozen=True)
class LossWeights:
    """Loss weights that a search selected for a phase."""

    loss_lambda: float
    class_weights: tuple[float, float, float, float]


@dataclass
class TrainingProgress:
    """Position of a run: next step, micro-batch that fits into memory, log length, and data hash."""

    phase: int = 0
    step: int = 0
    micro_batch: int = 0
    log_bytes: int = 0
    data: str = ""
    """Hash of the phase's examples."""
    finished: bool = False
    choices: Mapping[str, LossWeights] = field(default_factory=dict)
    """Search results by phase number (from 1)."""


def save_state(
    folder: Path,
    progress: TrainingProgress,
    config: dict[str, Any],
    model: dict[str, Tensor],
    optimizer: dict[str, Tensor],
) -> None:
    """Replace the state atomically."""
    from safetensors.torch import save

    tensors = {f"model/{name}": value.detach().cpu().contiguous() for name, value in model.items()}
    tensors |= {f"optimizer/{name}": value.detach().cpu().contiguous() for name, value in optimizer.items()}
    # One entry, since safetensors writes several in random order, and identical states must give identical files.
    header = {"run": json.dumps({"progress": asdict(progress), "config": config})}
    with atomic_write(folder / STATE) as file:
        file.write(save(tensors, header))


def load_state(folder: Path) -> tuple[TrainingProgress, dict[str, Any], dict[str, Tensor], dict[str, Tensor]]:
    """Return position, configuration, weights and optimizer state of an unfinished run."""
    from safetensors import SafetensorError, safe_open

    path = folder / STATE
    model: dict[str, Tensor] = {}
    optimizer: dict[str, Tensor] = {}
    try:
        with safe_open(path, framework="pt") as file:
            header = typed(_Header, decode((file.metadata() or {})["run"]), Place(), strict=False)
            for key in file.keys():  # noqa: SIM118 (not a dictionary)
                kind, _, name = key.partition("/")
                (model if kind == "model" else optimizer)[name] = file.get_tensor(key)
    except (SafetensorError, AssayError, OSError, KeyError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{path} is damaged ({reason}). Remove it and start again.") from error
    return header.progress, dict(header.config), model, optimizer


@dataclass(frozen=True)
class _Header:
    progress: TrainingProgress
    config: Mapping[str, Any]


class Log:
    """Log with one JSON object per line. On resuming, lines after the last checkpoint are removed."""

    def __init__(self, path: Path, keep_bytes: int = 0) -> None:
        self.path = path
        if path.is_symlink():
            path.unlink()
        path.touch()
        os.truncate(path, min(keep_bytes, path.stat().st_size))
        self._file = path.open("a", encoding="utf-8")

    def write(self, **entry: Any) -> None:
        self._file.write(json.dumps(entry) + "\n")

    def size(self) -> int:
        """Return the size in bytes after flushing everything to disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        return self.path.stat().st_size

    def close(self) -> None:
        self._file.close()


def plain_config(config: TrainConfig) -> dict[str, Any]:
    """Return the configuration as JSON values, except values that may change on resuming. A run may be moved with its data."""
    plain: dict[str, Any] = json.loads(json.dumps(asdict(config)))
    for section in (plain["held_out"], *plain["phases"]):
        for one in section["data"]:
            one["path"] = Path(one["path"]).name
    for key in ("output", "device", "checkpoint_every", "licence"):
        del plain[key]
    return plain


def difference(old: Any, new: Any, where: str = "") -> str | None:
    """Return the path of the first difference between two plain structures, such as ``phases.2.learning_rate``."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(key for key in new if key not in old)]:
            if (place := difference(old.get(key), new.get(key), f"{where}.{key}" if where else str(key))) is not None:
                return place
        return None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        for i, (a, b) in enumerate(zip(old, new, strict=True), 1):
            if (place := difference(a, b, f"{where}.{i}")) is not None:
                return place
        return None
    return None if old == new else where


class OutOfTime(Exception):
    """Raised when a run reaches its time limit; its last checkpoint is complete."""


@dataclass
class Listener:
    """Callbacks for a training run, which do nothing by default, and the conditions for stopping it."""

    note: Callable[[str], None] = lambda sentence: None
    phase: Callable[[PhaseConfig, int, int, int], None] = lambda phase, records, first, steps: None
    step: Callable[[int, float], None] = lambda step, loss: None
    evaluated: Callable[[PhaseConfig, int, Evaluation], None] = lambda phase, step, evaluation: None
    stage_step: Callable[[str, int, int, float], None] = lambda stage, step, steps, loss: None
    until: float = math.inf
    """Value of `time.monotonic` after which no new step begins."""
    stop: bool = False

    @classmethod
    def of(cls, watcher: object, until: float = math.inf) -> Listener:
        """Return a listener that calls those methods that `watcher` has."""
        names = ("note", "phase", "step", "evaluated", "stage_step")
        return cls(**{name: getattr(watcher, name) for name in names if hasattr(watcher, name)}, until=until)

    def check(self, where: str) -> None:
        """Raise an exception if the user asked to stop or the time limit is reached."""
        if self.stop:
            raise Interrupted(f"stopped {where}. Use --resume to continue.")
        if time.monotonic() >= self.until:
            raise OutOfTime

    @contextmanager
    def interruptible(self) -> Iterator[None]:
        """Let the first Ctrl-C set `stop`. Only the main thread receives signals; in other threads nothing changes."""
        if threading.current_thread() is not threading.main_thread():
            yield
            return

        def stop(*_: Any) -> None:
            if self.stop:
                raise KeyboardInterrupt
            self.stop = True

        before = signal.signal(signal.SIGINT, stop)
        try:
            yield
        finally:
            signal.signal(signal.SIGINT, before)
