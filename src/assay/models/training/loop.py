"""Training loop for every recipe: takes steps, writes log and checkpoints, and stops so that a later run can resume.

A step depends only on the weights, the seed and the step number. On a CPU, a run that was interrupted and resumed is therefore
bit-identical to an uninterrupted one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol

import torch
from torch import Tensor

from assay.core.errors import AssayError, InputError, Interrupted
from assay.models.training.state import (
    LOG,
    STATE,
    Listener,
    Log,
    OutOfTime,
    TrainingProgress,
    difference,
    load_state,
    save_state,
)

if TYPE_CHECKING:
    from assay.models.mini.config import MiniConfig
    from assay.models.training.config import TrainConfig

Tensors = dict[str, Tensor]


class TrainingStopped(AssayError):
    """Error raised when training cannot continue: the loss is not finite, or a single record does not fit into memory."""


class Recipe(Protocol):
    """The steps of one phase or stage."""

    @property
    def name(self) -> str:
        """The name of the phase or stage."""

    @property
    def steps(self) -> int:
        """Number of steps."""

    def batches(self, first: int) -> Iterable[Any]:
        """Yield the batches, starting with step `first`."""

    def step(self, number: int, batch: Any) -> Any:
        """Take step `number`, counted from 0, and return what `report` needs."""

    def report(self, done: int, values: Any) -> None:
        """Log and show the values of the step after which `done` steps are finished."""

    def state(self) -> tuple[Tensors, Tensors]:
        """Return the weights and the optimizer state."""


class Loop:
    """Trainer for one run folder: device, precision, state and log, and the loop over a recipe's steps."""

    log: Log

    def __init__(
        self, folder: Path, plain: dict[str, Any], config: TrainConfig | MiniConfig, listener: Listener | None
    ) -> None:
        self.folder, self.plain, self.listener = folder, plain, listener or Listener()
        self.checkpoint_every = config.checkpoint_every
        self.device = device_of(config.device)
        self.bf16 = config.precision == "bf16" or (config.precision == "auto" and self.device.type == "cuda")
        self.progress = TrainingProgress()

    def restore(self) -> tuple[Tensors, Tensors] | None:
        """Return the weights and optimizer state of an interrupted run, or None if the folder contains no state."""
        if not (self.folder / STATE).is_file():
            return None
        self.progress, old, model, optimizer = load_state(self.folder)
        if (changed := difference(old, self.plain)) is not None:
            raise InputError(
                f"the run in {self.folder} was started with a different value of {changed}. Resume with that configuration."
            )
        return model, optimizer

    def open_log(self) -> None:
        """Open the log, truncated to its length at the last checkpoint."""
        self.log = Log(self.folder / LOG, self.progress.log_bytes)

    def autocast(self) -> torch.autocast:
        """Return a context in which an encoder's matrix products use bfloat16, if the run is configured for it."""
        return torch.autocast(self.device.type, torch.bfloat16, enabled=self.bf16)

    def save(self, model: Tensors, optimizer: Tensors) -> None:
        """Write a checkpoint."""
        self.progress.log_bytes = self.log.size()
        save_state(self.folder, self.progress, self.plain, model, optimizer)

    def train(self, recipe: Recipe) -> None:
        """Take a recipe's remaining steps. If the user or the time limit ends the run, write a checkpoint first."""
        for step, batch in enumerate(recipe.batches(self.progress.step), self.progress.step):
            try:
                self.listener.check(f"at step {step:,} of {recipe.steps:,} of {recipe.name}")
            except (Interrupted, OutOfTime):
                self.save(*recipe.state())
                raise
            values = recipe.step(step, batch)
            self.progress.step = step + 1
            recipe.report(step + 1, values)
            if (step + 1) % self.checkpoint_every == 0 and step + 1 < recipe.steps:
                self.save(*recipe.state())


def device_of(name: str) -> torch.device:
    """Return the device specified in a configuration; ``auto`` is a GPU if there is one."""
    if name == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if name.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"the configuration requests {name}, but torch finds no GPU. Use device: auto.")
    return torch.device(name)


def mixed(*parts: int) -> int:
    """Derive one seed from several numbers."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "big") >> 1
