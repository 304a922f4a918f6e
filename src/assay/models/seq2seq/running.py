"""Batches by tokens through a network, cut smaller when memory runs out."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeVar

import numpy as np
import torch
from torch import Tensor

from assay.core.errors import InputError
from assay.models.batching import CPU_TOKENS, MOST_TOKENS, out_of_memory
from assay.models.packing import to_device
from assay.models.seq2seq.config import Shape

Made = TypeVar("Made")


def budget_of(shape: Shape, device: torch.device, dtype: torch.dtype) -> int:
    """Tokens of a batch that fit half of a GPU's free memory, from what one layer keeps a token; a fixed number on a CPU."""
    if device.type != "cuda":
        return CPU_TOKENS
    free, _ = torch.cuda.mem_get_info(device)
    size = torch.finfo(dtype).bits // 8
    inner = max(shape.encoder_inner, shape.decoder_inner) * (3 if shape.gated else 2)
    a_token = size * (inner + 8 * shape.heads * shape.head_size) + 4 * 6 * shape.hidden
    return max(512, min(MOST_TOKENS, int(0.5 * free / a_token)))


def cut(sizes: Sequence[int], order: Sequence[int], budget: int) -> Iterator[list[int]]:
    """The items in the given order, in batches of about equal size within `budget`."""
    total = sum(sizes)
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


def in_batches(
    sizes: Sequence[int],
    order: Sequence[int],
    budget: int,
    compute: Callable[[list[int]], Made],
    device: torch.device,
) -> Iterator[tuple[list[int], Made]]:
    """`compute` over batches of items; after running out of memory with half as many tokens."""
    waiting = list(cut(sizes, order, budget))[::-1]
    while waiting:
        batch = waiting.pop()
        try:
            yield batch, compute(batch)
        except (torch.OutOfMemoryError, RuntimeError) as error:
            if not out_of_memory(error):
                raise
            if len(batch) == 1:
                raise InputError(
                    f"one segment of {sizes[batch[0]]} tokens does not fit the memory of {device}. Use a smaller model, or "
                    "device=cpu."
                ) from None
            if device.type == "cuda":
                torch.cuda.empty_cache()
            left = [i for part in (batch, *waiting[::-1]) for i in part]
            smaller = max(1, sum(sizes[i] for i in batch) // 2)
            waiting = list(cut(sizes, left, smaller))[::-1]


def packed_ids(sequences: Sequence[Sequence[int]], device: torch.device) -> tuple[Tensor, Tensor, list[int]]:
    """Token ids end to end, each one's position in its sequence, and the lengths."""
    lengths = [len(sequence) for sequence in sequences]
    ids = np.concatenate([np.asarray(sequence, np.int64) for sequence in sequences])
    starts = np.cumsum(lengths) - lengths
    positions = np.arange(len(ids)) - np.repeat(starts, lengths)
    return to_device(torch.from_numpy(ids), device), to_device(torch.from_numpy(positions), device), lengths
