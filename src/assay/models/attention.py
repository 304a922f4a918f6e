"""Attention within each sequence of a packed batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from assay.models.packing import Packed


def attend(qkv: Tensor, packed: Packed, heads: int, dropout: float = 0.0) -> Tensor:
    """Multi-head attention of (tokens, 3 x hidden) queries, keys and values; (tokens, hidden) comes out.

    In half precision on a GPU one variable-length flash kernel does the whole batch. Elsewhere neighbours of equal length
    are one dense call each: batches are sorted by length, so these are few and nothing is padded.
    """
    tokens, width = qkv.shape
    query, key, value = qkv.view(tokens, 3, heads, width // (3 * heads)).unbind(1)
    kernel = _varlen() if qkv.is_cuda and qkv.dtype in (torch.float16, torch.bfloat16) and not dropout else None
    if kernel is not None:
        longest = packed.longest
        mixed: Tensor = kernel(query, key, value, packed.starts, packed.starts, longest, longest)
        return mixed.reshape(tokens, width // 3)
    parts, start = [], 0
    for count, length in packed.runs:
        rows = slice(start, start + count * length)
        start = rows.stop
        q, k, v = (part[rows].view(count, length, heads, -1).transpose(1, 2) for part in (query, key, value))
        mixed = functional.scaled_dot_product_attention(q, k, v, dropout_p=dropout)
        parts.append(mixed.transpose(1, 2).reshape(count * length, width // 3))
    return parts[0] if len(parts) == 1 else torch.cat(parts)


@functools.cache
def _varlen() -> Callable[..., Any] | None:
    """torch's variable-length attention where this torch has it (2.10 and later)."""
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    return varlen_attn
