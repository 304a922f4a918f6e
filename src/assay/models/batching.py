"""Batches by tokens: sequences sorted by length and cut where the budget is full."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import torch

from assay.models.config import EncoderConfig
from assay.models.fp8 import FP8, stored_as

MOST_TOKENS = 16_384
"""Of an encoder as wide as XLM-R XL: a larger batch makes no product faster, since from 8,192 tokens on an H200 multiplies at
the limit of its power supply. A narrower one takes more, so that a GPU computes for longer than it takes to tell it what."""
XL_WIDTH = 2_560
FP8_SHARE = 2
"""In 8 bits products take half the time, and what is done once a batch counts for twice as much."""
CPU_TOKENS = 2_048


def batches(lengths: Sequence[int], budget: int) -> Iterator[list[int]]:
    """Indices of sequences, longest first (what does not fit shows at once), each batch within `budget` tokens and all of about
    the same size: a small last batch would leave processors idle."""
    order = sorted(range(len(lengths)), key=lambda i: (-lengths[i], i))
    share = sum(lengths) / max(1, -(-sum(lengths) // budget))
    batch: list[int] = []
    tokens = 0
    for i in order:
        if batch and (tokens >= share or tokens + lengths[i] > budget):
            yield batch
            batch, tokens = [], 0
        batch.append(i)
        tokens += lengths[i]
    if batch:
        yield batch


def token_budget(config: EncoderConfig, device: torch.device, dtype: torch.dtype) -> int:
    """Tokens of a batch that fit the free memory of a GPU by half, from what one layer keeps a token; a fixed number on a CPU."""
    if device.type != "cuda":
        return CPU_TOKENS
    free, _ = torch.cuda.mem_get_info(device)
    size = torch.finfo(stored_as(dtype)).bits // 8
    a_token = size * (2 * config.feed_forward + 6 * config.hidden) + 4 * 6 * config.hidden
    most = MOST_TOKENS * max(1.0, XL_WIDTH / config.hidden) * (FP8_SHARE if dtype == FP8 else 1)
    return max(512, int(min(most, 0.5 * free / a_token)))


def out_of_memory(error: Exception) -> bool:
    """Whether an error says that memory ran out: torch's own, or what the libraries below it put into words."""
    signs = ("can't allocate memory", "Cannot allocate memory", "CUDA error: out of memory", "_ALLOC_FAILED")
    return isinstance(error, torch.OutOfMemoryError | MemoryError) or any(sign in str(error) for sign in signs)
