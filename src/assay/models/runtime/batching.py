"""Model runner: splits sequences into batches by token count, runs them, and halves the token budget when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
import torch

from assay.core.errors import InputError
from assay.models.encoders.config import EncoderConfig
from assay.models.runtime.fp8 import FP8, stored_as

if TYPE_CHECKING:
    from numpy.typing import NDArray

Output = TypeVar("Output")
Numbers = TypeVar("Numbers", bound="NDArray[np.floating[Any]]")
MOST_TOKENS = 16_384
"""Token budget for an encoder as wide as XLM-R XL. Larger batches are not faster: from 8,192 tokens on, an H200 computes at
its power limit. Narrower encoders get a larger budget, so a GPU computes for longer than a kernel launch takes.
"""
XL_WIDTH = 2_560
FP8_SHARE = 2
"""Budget factor for 8-bit products: they take half the time, so the fixed cost of a batch matters twice as much."""
CPU_TOKENS = 2_048


class BatchRunner:
    """Runner that feeds a model batches of tokens on one device. Not thread-safe.

    When memory runs out, the budget is halved permanently and the remaining items are split again.
    """

    def __init__(self, device: torch.device, dtype: torch.dtype, budget: int) -> None:
        self.device, self.dtype, self.budget = device, dtype, budget

    def run(
        self, sizes: Sequence[int], compute: Callable[[list[int]], Output], order: Sequence[int] | None = None
    ) -> Iterator[tuple[list[int], Output]]:
        """Yield each batch of indices with the output of `compute`, longest items first unless `order` is given."""
        waiting = list(batches(sizes, self.budget, order))[::-1]
        while waiting:
            batch = waiting.pop()
            try:
                with torch.inference_mode():
                    output = compute(batch)
            except (MemoryError, RuntimeError) as error:
                if not out_of_memory(error):
                    raise
                if len(batch) == 1:
                    raise InputError(
                        f"a segment of {sizes[batch[0]]} tokens does not fit into the memory of {self.device}. Use a smaller "
                        "model, or device=cpu."
                    ) from error
            else:
                yield batch, output
                continue
            # Outside the handler: the traceback no longer holds references to the failed batch's tensors.
            if self.device.type == "cuda":
                torch.cuda.empty_cache()
            self.budget = max(1, sum(sizes[i] for i in batch) // 2)
            remaining = [i for part in (batch, *waiting[::-1]) for i in part]
            waiting = list(batches(sizes, self.budget, remaining))[::-1]

    def check_finite(self, numbers: Numbers) -> Numbers:
        """Return the numbers. Raise an error if any of them is infinite or NaN."""
        if np.isfinite(numbers).all():
            return numbers
        if stored_as(self.dtype) == torch.float16:
            raise InputError("this model's numbers are too large for fp16. Use precision=bf16 or fp32.")
        raise InputError("the model's output for some segment is not finite: its weights may be damaged.")


def batches(sizes: Sequence[int], budget: int, order: Sequence[int] | None = None) -> Iterator[list[int]]:
    """Split items into batches of similar size within `budget` tokens, since a small last batch would leave processors idle.

    Unless `order` is given, the longest items come first, so a batch that does not fit into memory fails at once.
    """
    if order is None:
        order = sorted(range(len(sizes)), key=lambda i: (-sizes[i], i))
    total = sum(sizes[i] for i in order)
    share = total / max(1, -(-total // budget))
    batch: list[int] = []
    tokens = 0
    for i in order:
        if batch and (tokens >= share or tokens + sizes[i] > budget):
            yield batch
            batch, tokens = [], 0
        batch.append(i)
        tokens += sizes[i]
    if batch:
        yield batch


def token_budget(device: torch.device, token_bytes: int, most: float = MOST_TOKENS) -> int:
    """Return how many tokens of `token_bytes` per layer fit into half of a GPU's free memory; on a CPU, a fixed number."""
    if device.type != "cuda":
        return CPU_TOKENS
    free, _ = torch.cuda.mem_get_info(device)
    return max(512, int(min(most, 0.5 * free / token_bytes)))


def encoder_runner(config: EncoderConfig, device: torch.device, dtype: torch.dtype, budget: int | None) -> BatchRunner:
    """Return a runner for an encoder of this shape."""
    size = torch.finfo(stored_as(dtype)).bits // 8
    token_bytes = size * (2 * config.feed_forward + 6 * config.hidden) + 4 * 6 * config.hidden
    most = MOST_TOKENS * max(1.0, XL_WIDTH / config.hidden) * (FP8_SHARE if dtype == FP8 else 1)
    return BatchRunner(device, dtype, budget or token_budget(device, token_bytes, most))


def out_of_memory(error: Exception) -> bool:
    """Return whether an error means that memory ran out, as a torch exception or according to the message of a library."""
    signs = ("can't allocate memory", "Cannot allocate memory", "CUDA error: out of memory", "_ALLOC_FAILED")
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(sign in str(error) for sign in signs)
