"""Which records make the batch of which step: a function of seed, phase and step alone."""

from __future__ import annotations

import hashlib
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from assay.models.training.config import PhaseConfig


def order_of(epoch: int, n: int, seed: int, phase: int) -> np.ndarray:
    """The order of an epoch: a function of seed, phase and epoch alone, so that a resumed run needs no iterator's state."""
    return np.random.default_rng([seed, phase, epoch, 0x0DE2]).permutation(n)


def batches(
    epoch: int, tokens: Sequence[int], seed: int, phase: int, batch_size: int, batch_tokens: int
) -> list[list[int]]:
    """The batches of an epoch as rows: of `batch_size` rows, or of about `batch_tokens` tokens and similar lengths."""
    order = order_of(epoch, len(tokens), seed, phase).tolist()
    if not batch_tokens:
        return [order[start : start + batch_size] for start in range(0, len(order), batch_size)]
    made: list[list[int]] = []
    window = 100 * max(1, batch_tokens * len(tokens) // max(1, sum(tokens)))
    for start in range(0, len(order), window):
        batch: list[int] = []
        held = 0
        for row in sorted(order[start : start + window], key=lambda row: (tokens[row], row)):
            if batch and held + tokens[row] > batch_tokens:
                made.append(batch)
                batch, held = [], 0
            batch.append(row)
            held += tokens[row]
        made.append(batch)
    return [made[place] for place in order_of(epoch, len(made), seed + 1, phase).tolist()]


@dataclass
class Plan:
    """The steps of a phase: which rows make the batch of each, and how long the encoder stays frozen."""

    phase: PhaseConfig
    number: int
    seed: int
    tokens: Sequence[int]
    _epochs: dict[int, list[list[int]]] = field(default_factory=dict)

    def epoch(self, number: int) -> list[list[int]]:
        """The batches of one epoch."""
        if number not in self._epochs:
            self._epochs = {key: value for key, value in self._epochs.items() if key == 0}
            self._epochs[number] = batches(
                number, self.tokens, self.seed, self.number, self.phase.batch_size, self.phase.batch_tokens
            )
        return self._epochs[number]

    @property
    def steps(self) -> int:
        """Steps in all."""
        whole, part = divmod(self.phase.epochs, 1)
        total = sum(len(self.epoch(i)) for i in range(int(whole)))
        total += math.ceil(part * len(self.epoch(int(whole)))) if part else 0
        return min(total, self.phase.max_steps) if self.phase.max_steps else total

    @property
    def frozen_steps(self) -> int:
        """Steps before the encoder begins to learn."""
        return round(self.phase.nr_frozen_epochs * len(self.epoch(0)))

    def batch(self, step: int) -> list[int]:
        """The rows of a step."""
        epoch = 0
        while step >= len(self.epoch(epoch)):
            step -= len(self.epoch(epoch))
            epoch += 1
        return self.epoch(epoch)[step]


def mixed(*parts: int) -> int:
    """One seed out of several numbers."""
    return int.from_bytes(hashlib.blake2b(repr(parts).encode(), digest_size=8).digest(), "big") >> 1
