"""Attention layouts of packed batches: within a sequence, causal, or from a target to its source.

A layout is created once per batch and used by all layers. On a GPU in half precision, one variable-length flash kernel
processes the whole batch. Otherwise, and if positions are a bias on the attention logits (T5), neighbours of similar length are
one dense call.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from assay.models.runtime.packing import runs, to_device

Bias = Callable[[int], Tensor]
"""A function from a length to the bias on the attention logits: (heads, length, length)."""


@dataclass(frozen=True, slots=True)
class _DenseBlock:
    """A few neighbouring sequences as a dense block: the row at each position, which positions are real, and the bias on the
    logits.
    """

    count: int
    queries: Tensor | slice
    keys: Tensor | slice
    real: Tensor | None
    mask: Tensor | None


class AttentionLayout:
    """Attention of a packed batch whose sequences have `lengths`, to themselves or, with `sources`, to other rows."""

    def __init__(
        self,
        lengths: Sequence[int],
        *,
        device: torch.device,
        dtype: torch.dtype,
        sources: tuple[Sequence[int], Sequence[int]] | None = None,
        causal: bool = False,
        bias: Bias | None = None,
    ) -> None:
        """`sources` contains, for each sequence, the first row and the number of rows that it attends to."""
        self.causal = causal
        self.lengths = list(lengths)
        self.first = _starts(self.lengths)
        self.key_first, self.key_lengths = sources or (self.first, self.lengths)
        self.device, self.dtype = device, dtype
        half = device.type == "cuda" and dtype in (torch.float16, torch.bfloat16)
        self.kernel = _varlen(causal) if half and bias is None else None
        self.blocks: list[_DenseBlock] = []
        if self.kernel is None:
            self.blocks = self._blocks(bias)
        else:
            self._flat(alone=sources is None)

    def attend(self, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        """Return attention for (rows, heads, size) tensors as (query rows, heads x size)."""
        if self.kernel is not None:
            if self.rows is not None:
                key, value = key.index_select(0, self.rows), value.index_select(0, self.rows)
            places = (self.starts, self.key_starts, self.most, self.most_keys)
            mixed: Tensor = self.kernel(query, key, value, *places, scale)
            return mixed.flatten(1)
        parts = [self._dense(block, query, key, value, scale) for block in self.blocks]
        return parts[0] if len(parts) == 1 else torch.cat(parts)

    def _dense(self, block: _DenseBlock, query: Tensor, key: Tensor, value: Tensor, scale: float) -> Tensor:
        def rows(of: Tensor, places: Tensor | slice) -> Tensor:
            selected = of[places] if isinstance(places, slice) else of.index_select(0, places)
            return selected.view(block.count, -1, *of.shape[1:]).transpose(1, 2)

        mixed = functional.scaled_dot_product_attention(
            rows(query, block.queries),
            rows(key, block.keys),
            rows(value, block.keys),
            attn_mask=block.mask,
            is_causal=self.causal and block.mask is None,
            scale=scale,
        )
        flat = mixed.transpose(1, 2).flatten(0, 1).flatten(1)
        return flat if block.real is None else flat.index_select(0, block.real)

    def _flat(self, alone: bool) -> None:
        self.starts = _on(torch.tensor([*self.first, sum(self.lengths)], dtype=torch.int32), self.device)
        self.most, self.most_keys = max(self.lengths, default=0), max(self.key_lengths, default=0)
        ends = [*_starts(self.key_lengths), sum(self.key_lengths)]
        self.key_starts = self.starts if alone else _on(torch.tensor(ends, dtype=torch.int32), self.device)
        self.rows: Tensor | None = None
        if not alone and list(self.key_first) != ends[:-1]:
            each = [torch.arange(a, a + n) for a, n in zip(self.key_first, self.key_lengths, strict=True)]
            self.rows = _on(torch.cat(each), self.device)

    def _blocks(self, bias: Bias | None) -> list[_DenseBlock]:
        blocks, at = [], 0
        for count, longest in runs(self.lengths):
            block_slice = slice(at, at + count)
            at += count
            queries, inside = _places(self.first[block_slice], self.lengths[block_slice], longest)
            keys, real_keys = _places(
                self.key_first[block_slice], self.key_lengths[block_slice], max(self.key_lengths[block_slice])
            )
            mask = self._mask(real_keys, bias(longest) if bias is not None else None)
            real = None if bool(inside.all()) else _on(inside.flatten().nonzero().squeeze(1), self.device)
            blocks.append(_DenseBlock(count, self._moved(queries), self._moved(keys), real, mask))
        return blocks

    def _moved(self, places: Tensor) -> Tensor | slice:
        """Return the row indices on the device. Consecutive rows become a slice."""
        first, size = int(places[0]), len(places)
        if torch.equal(places, torch.arange(first, first + size)):
            return slice(first, first + size)
        return _on(places, self.device)

    def _mask(self, seen: Tensor, bias: Tensor | None) -> Tensor | None:
        """Return the values to add to the attention logits: a bias, and minus infinity for padding or later keys."""
        padded = not bool(seen.all())
        if bias is None:
            # Padding comes after all tokens, so causal attention never reaches it.
            return _on(seen[:, None, None, :], self.device) if padded and not self.causal else None
        length = bias.shape[-1]
        if self.causal:
            ahead = torch.ones(length, length, dtype=torch.bool, device=self.device).triu(1)
            return bias.masked_fill(ahead, -torch.inf)[None].to(self.dtype)
        if not padded:
            return bias[None].to(self.dtype)
        unseen = _on(~seen[:, None, None, :], self.device)
        return bias[None].to(self.dtype).masked_fill(unseen, -torch.inf)


def _starts(lengths: Sequence[int]) -> list[int]:
    starts, at = [], 0
    for length in lengths:
        starts.append(at)
        at += length
    return starts


def _places(first: Sequence[int], lengths: Sequence[int], longest: int) -> tuple[Tensor, Tensor]:
    """Return the rows of a padded block, flattened (an arbitrary one for padding), and which positions are real."""
    sizes, starts = torch.tensor(lengths)[:, None], torch.tensor(first)[:, None]
    at = torch.arange(longest)[None, :]
    inside = at < sizes
    return torch.where(inside, starts + at, starts).flatten(), inside


def _on(tensor: Tensor, device: torch.device) -> Tensor:
    return to_device(tensor, device)


@functools.cache
def _varlen(causal: bool) -> Callable[..., Any] | None:
    """Return torch's variable-length attention (causal or not) if it matches dense attention on an example."""
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    parameters = inspect.signature(varlen_attn).parameters
    if "scale" not in parameters or ("window_size" not in parameters and "is_causal" not in parameters):
        return None
    backwards: dict[str, Any] = {"window_size": (-1, 0)} if "window_size" in parameters else {"is_causal": True}
    further = backwards if causal else {}

    def kernel(
        q: Tensor, k: Tensor, v: Tensor, a: Tensor, b: Tensor, most: int, most_keys: int, scale: float
    ) -> Tensor:
        output = varlen_attn(q, k, v, a, b, most, most_keys, scale=scale, **further)
        return output if isinstance(output, Tensor) else output[0]

    return kernel if _agrees(kernel, causal) else None


def _agrees(kernel: Callable[..., Tensor], causal: bool) -> bool:
    try:
        with torch.inference_mode():
            generator = torch.Generator("cuda").manual_seed(0)
            parts = torch.randn(3, 24, 2, 32, device="cuda", dtype=torch.bfloat16, generator=generator).unbind(0)
            starts = torch.tensor([0, 9, 24], dtype=torch.int32, device="cuda")
            mixed = kernel(*parts, starts, starts, 15, 15, 0.2)
            dense = []
            for first, last in ((0, 9), (9, 24)):
                query, key, value = (part[first:last].transpose(0, 1) for part in parts)
                whole = functional.scaled_dot_product_attention(query, key, value, is_causal=causal, scale=0.2)
                dense.append(whole.transpose(0, 1))
            return bool(torch.allclose(mixed.float(), torch.cat(dense).float(), atol=0.03))
    except Exception:  # scoring must work if this GPU or torch cannot run the kernel
        return False
