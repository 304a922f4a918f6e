"""Attention within each sequence of a packed batch."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from torch.nn import functional

from assay.models.packing import Packed, PackedBlock


def attend(
    qkv: Tensor,
    packed: Packed,
    heads: int,
    dropout: float = 0.0,
    bias: Tensor | None = None,
    value: Tensor | None = None,
) -> Tensor:
    """Multi-head attention of (tokens, 3 x hidden) queries, keys and values; (tokens, hidden) comes out. Values may come apart.

    In half precision on a GPU one variable-length flash kernel does the whole batch. Elsewhere neighbours of about equal
    length are one dense call each: batches are sorted by length, so these are few and little is padded, in this step only.
    `bias` (heads, longest, longest) is added to what two places of a sequence have to say to each other.
    """
    tokens, width = qkv.shape
    half = qkv.is_cuda and qkv.dtype in (torch.float16, torch.bfloat16)
    kernel = _varlen() if half and not dropout and bias is None else None
    if kernel is not None:
        count = 3 if value is None else 2
        parts = [*qkv.view(tokens, count, heads, width // (count * heads)).unbind(1)]
        if value is not None:
            parts.append(value.view_as(parts[0]))
        longest = packed.longest
        mixed: Tensor = kernel(*parts, packed.starts, packed.starts, longest, longest)
        return mixed.reshape(tokens, -1)
    qkv = qkv if value is None else torch.cat((qkv, value), dim=1)
    parts = [_dense(qkv, group, heads, dropout, bias) for group in packed.groups]
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _dense(qkv: Tensor, group: PackedBlock, heads: int, dropout: float, bias: Tensor | None) -> Tensor:
    """Attention of a few sequences of about equal length; what is padded is masked as a key and dropped as a query."""
    rows = qkv[group.first : group.last] if group.places is None else qkv.index_select(0, group.places)
    query, key, value = rows.view(group.count, group.longest, 3, heads, -1).permute(2, 0, 3, 1, 4)
    mask = group.mask
    if bias is not None:
        added = bias[None, :, : group.longest, : group.longest]
        mask = added if mask is None else added.masked_fill(~mask, -torch.inf)
    mixed = functional.scaled_dot_product_attention(query, key, value, attn_mask=mask, dropout_p=dropout)
    flat = mixed.transpose(1, 2).reshape(group.count * group.longest, -1)
    return flat if group.real is None else flat.index_select(0, group.real)


@functools.cache
def _varlen() -> Callable[..., Any] | None:
    """torch's variable-length attention where this torch has it (2.10 and later)."""
    try:
        from torch.nn.attention.varlen import varlen_attn
    except ImportError:
        return None
    return varlen_attn if _learns(varlen_attn) else None


def _learns(kernel: Callable[..., Any]) -> bool:
    """Whether the kernel's output and gradients on a small example are those of dense attention."""
    try:
        with torch.inference_mode(False), torch.enable_grad():
            generator = torch.Generator("cuda").manual_seed(0)
            drawn = torch.randn(4, 24, 2, 32, device="cuda", dtype=torch.bfloat16, generator=generator)
            parts, weights = [one.clone().requires_grad_() for one in drawn[:3]], drawn[3]
            starts = torch.tensor([0, 9, 24], dtype=torch.int32, device="cuda")
            mixed = kernel(*parts, starts, starts, 15, 15)
            dense = torch.cat(
                [
                    functional.scaled_dot_product_attention(*(part[a:b].transpose(0, 1) for part in parts)).transpose(
                        0, 1
                    )
                    for a, b in ((0, 9), (9, 24))
                ]
            )
            ours = [mixed, *torch.autograd.grad((mixed * weights).sum(), parts)]
            theirs = [dense, *torch.autograd.grad((dense * weights).sum(), parts)]
            return all(
                float((a - b).detach().float().norm() / b.detach().float().norm()) < 0.03
                for a, b in zip(ours, theirs, strict=True)
            )
    except Exception:  # a kernel that this GPU or this torch cannot run must never stop a score
        return False
