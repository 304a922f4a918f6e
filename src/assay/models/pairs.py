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
    """One sequence: its ids with special tokens, how many of them are of the first type, and whether texts were cut."""

    ids: list[int]
    first: int
    cut: bool


class PairPredictor:
    """A network from packed sequences to one number each. Not for several threads at a time."""

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
        """A number for every pair, in their order; equal sequences are computed once."""
        known: dict[tuple[int, ...], int] = {}
        places = [known.setdefault((pair.first, *pair.ids), len(known)) for pair in pairs]
        distinct = [(key[0], list(key[1:])) for key in known]
        found = np.empty(len(distinct))
        with torch.inference_mode():
            for start in range(0, len(distinct), WINDOW):
                part = distinct[start : start + WINDOW]
                for batch, scores in self._run(part):
                    found[np.array(batch) + start] = scores.double().cpu().numpy()
        if not np.isfinite(found).all():
            if self.dtype == torch.float16:
                raise InputError("this model's numbers are too large for fp16. Score with precision=bf16 (or fp32).")
            raise InputError("the model gives no finite number for some segment: its weights may be damaged.")
        return found[places] if pairs else np.empty(0)

    def _run(self, part: list[tuple[int, list[int]]]) -> list[tuple[list[int], Tensor]]:
        """All batches, the longest first; after running out of memory what is left is cut to half the tokens."""
        done: list[tuple[list[int], Tensor]] = []
        waiting = list(batches([len(ids) for _, ids in part], self.budget))[::-1]
        while waiting:
            batch = waiting.pop()
            try:
                done.append((batch, self.model(self._pack([part[i] for i in batch]))))
            except (torch.OutOfMemoryError, RuntimeError) as error:
                if not out_of_memory(error):
                    raise
                tokens = sum(len(part[i][1]) for i in batch)
                if len(batch) == 1:
                    raise InputError(
                        f"one sequence of {tokens} tokens does not fit the memory of {self.device}. Use device=cpu."
                    ) from None
                if self.device.type == "cuda":
                    torch.cuda.empty_cache()
                self.budget = max(1, tokens // 2)
                left = [i for each in (*waiting, batch) for i in each]
                again = batches([len(part[i][1]) for i in left], self.budget)
                waiting = [[left[i] for i in each] for each in again][::-1]
        return done

    def _pack(self, part: list[tuple[int, list[int]]]) -> Packed:
        return pack(
            [ids for _, ids in part],
            pad=-1,  # a vocabulary's padding, spelt out in a text, is a token like others here
            first_type=[first for first, _ in part],
            leading=[1] * len(part),
            device=self.device,
        )
