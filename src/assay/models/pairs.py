"""Pairs of texts in one sequence each, through a network in packed batches sorted by length."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.core.errors import InputError
from assay.models.batching import batches, out_of_memory, token_budget
from assay.models.config import EncoderConfig
from assay.models.packing import Packed, pack

WINDOW = 8_192
"""Sequences that are sorted and computed together."""


@dataclass(frozen=True, slots=True)
class TokenPair:
    """One sequence: its ids with special tokens, how many of them are of the first type, whether texts were cut, and how many of
    the first tokens are read."""

    ids: list[int]
    first: int
    cut: bool
    leading: int = 1


class PairPredictor:
    """A network from packed sequences to a row for each token that is read of them. Not for several threads at a time."""

    def __init__(
        self,
        model: Callable[[Packed], Tensor],
        config: EncoderConfig,
        device: torch.device,
        dtype: torch.dtype = torch.float32,
        budget: int | None = None,
    ) -> None:
        self.model, self.config, self.device, self.dtype = model, config, device, dtype
        self.budget = budget or token_budget(config, device, dtype)

    def scores(self, pairs: Sequence[TokenPair]) -> NDArray[np.float64]:
        """A number for every pair of which one token is read, in their order."""
        return np.array([rows[0] for rows in self.rows(pairs)], np.float64)

    def rows(self, pairs: Sequence[TokenPair]) -> list[NDArray[np.float32]]:
        """What the network says of the tokens that are read of every pair, in their order; equal sequences are computed once."""
        known: dict[tuple[int, ...], int] = {}
        places = [known.setdefault((pair.leading, pair.first, *pair.ids), len(known)) for pair in pairs]
        distinct = list(dict(zip(reversed(places), reversed(pairs), strict=True)).items())
        distinct.sort(key=lambda pair: pair[0])
        found: list[NDArray[np.float32]] = []
        with torch.inference_mode():
            for start in range(0, len(distinct), WINDOW):
                part = [pair for _, pair in distinct[start : start + WINDOW]]
                here: dict[int, NDArray[np.float32]] = {}
                for batch, made in self._run(part):
                    numbers = made.float().cpu().numpy()
                    ends = np.cumsum([part[i].leading for i in batch])[:-1]
                    here.update(zip(batch, np.split(self._finite(numbers), ends), strict=True))
                found += [here[i] for i in range(len(part))]
        return [found[place] for place in places]

    def _finite(self, numbers: NDArray[np.float32]) -> NDArray[np.float32]:
        if np.isfinite(numbers).all():
            return numbers
        if self.dtype == torch.float16:
            raise InputError("this model's numbers are too large for fp16. Score with precision=bf16 (or fp32).")
        raise InputError("the model gives no finite number for some segment: its weights may be damaged.")

    def _run(self, part: list[TokenPair]) -> list[tuple[list[int], Tensor]]:
        """All batches, the longest first; after running out of memory what is left is cut to half the tokens."""
        done: list[tuple[list[int], Tensor]] = []
        waiting = list(batches([len(pair.ids) for pair in part], self.budget))[::-1]
        while waiting:
            batch = waiting.pop()
            try:
                done.append((batch, self.model(self._pack([part[i] for i in batch]))))
            except (torch.OutOfMemoryError, RuntimeError) as error:
                if not out_of_memory(error):
                    raise
                tokens = sum(len(part[i].ids) for i in batch)
                if len(batch) == 1:
                    raise InputError(
                        f"one sequence of {tokens} tokens does not fit the memory of {self.device}. Use device=cpu."
                    ) from None
                if self.device.type == "cuda":
                    torch.cuda.empty_cache()
                self.budget = max(1, tokens // 2)
                left = [i for each in (*waiting, batch) for i in each]
                again = batches([len(part[i].ids) for i in left], self.budget)
                waiting = [[left[i] for i in each] for each in again][::-1]
        return done

    def _pack(self, part: list[TokenPair]) -> Packed:
        bert = self.config.family == "bert"
        return pack(
            [pair.ids for pair in part],
            pad=-1 if bert else self.config.pad,  # BERT's padding, spelt out in a text, is a token like others
            first_type=[pair.first for pair in part] if bert else None,
            pad_restarts=not bert,
            leading=[pair.leading for pair in part],
            device=self.device,
        )
