"""Prediction for text pairs that are joined into one sequence each, in packed batches sorted by length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.models.encoders.config import EncoderConfig
from assay.models.runtime.batching import encoder_runner
from assay.models.runtime.packing import Packed, pack

WINDOW = 8_192
"""Number of sequences that are sorted and computed together."""


@dataclass(frozen=True, slots=True)
class TokenPair:
    """One sequence made of two texts: its token ids with special tokens, and the tokens that the model outputs.

    `first` is the number of tokens of the first type, `cut` says whether texts were cut, and `leading` is the number of
    leading tokens that are read.
    """

    ids: list[int]
    first: int
    cut: bool
    leading: int = 1


class PairPredictor:
    """Runner for a model that returns one row for each token that is read. Not thread-safe."""

    def __init__(
        self,
        model: Callable[[Packed], Tensor],
        config: EncoderConfig,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
        budget: int | None = None,
    ) -> None:
        self.model, self.config = model, config
        self.runner = encoder_runner(config, device, dtype, budget)

    def scores(self, pairs: Sequence[TokenPair]) -> NDArray[np.float64]:
        """Return one number per pair, in order; a single token of each pair is read."""
        return np.array([rows[0] for rows in self.rows(pairs)], np.float64)

    def rows(self, pairs: Sequence[TokenPair]) -> list[NDArray[np.float32]]:
        """Return the model's output for the tokens that are read in every pair, in order. Identical sequences are computed once."""
        numbers_of_pairs: dict[tuple[int, ...], int] = {}
        order = [
            numbers_of_pairs.setdefault((pair.leading, pair.first, *pair.ids), len(numbers_of_pairs)) for pair in pairs
        ]
        distinct = list(dict(zip(reversed(order), reversed(pairs), strict=True)).items())
        distinct.sort(key=lambda pair: pair[0])
        outputs: list[NDArray[np.float32]] = []
        for start in range(0, len(distinct), WINDOW):
            part = [pair for _, pair in distinct[start : start + WINDOW]]

            def compute(batch: list[int], part: list[TokenPair] = part) -> Tensor:
                return self.model(self._pack([part[i] for i in batch]))

            outputs_of_window: dict[int, NDArray[np.float32]] = {}
            for batch, output in list(self.runner.run([len(pair.ids) for pair in part], compute)):
                ends = np.cumsum([part[i].leading for i in batch])[:-1]
                numbers = self.runner.check_finite(output.float().cpu().numpy())
                outputs_of_window.update(zip(batch, np.split(numbers, ends), strict=True))
            outputs += [outputs_of_window[i] for i in range(len(part))]
        return [outputs[number] for number in order]

    def _pack(self, part: list[TokenPair]) -> Packed:
        bert = self.config.family == "bert"
        return pack(
            [pair.ids for pair in part],
            pad=-1 if bert else self.config.pad,  # a padding token spelled out in a text is an ordinary token in BERT
            first_type=[pair.first for pair in part] if bert else None,
            pad_restarts=not bert,
            leading=[pair.leading for pair in part],
            device=self.runner.device,
        )
