"""Residual sum and norm (LayerNorm, or T5's RMSNorm) in one pass over memory with triton, or in plain torch."""

from __future__ import annotations

import functools
from typing import Any

import torch
from torch import Tensor, nn

from assay.models.runtime.packing import Places

Norm = nn.LayerNorm | nn.RMSNorm


def add_norm(
    residual: Tensor,
    added: Tensor | None,
    norm: Norm,
    dtype: torch.dtype,
    *,
    wide: bool = True,
    shared: tuple[Tensor, Places] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Return ``residual + added``, its norm in float32, and the norm in `dtype`.

    `residual` is float32, `added` has the precision of the matrix products. With ``wide=False`` the float32 norm is not
    needed, and the last two results may be the same tensor. `shared` is as in `summed`.
    """
    kernel = _kernel() if residual.is_cuda and not torch.is_grad_enabled() else None
    if kernel is not None:
        return kernel(residual, added, norm, dtype, wide, shared)  # type: ignore[no-any-return]
    total = residual if added is None else summed(residual, added, shared)
    normed = norm(total)
    return total, normed, normed if dtype == torch.float32 else normed.to(dtype)


def summed(residual: Tensor, added: Tensor, shared: tuple[Tensor, Places] | None = None) -> Tensor:
    """Return ``residual + added``.

    `shared` is a table with two rows per sequence (`assay.models.runtime.fp8.Product`). The first half replaces the values
    added to the first row of each sequence. The second half is added to its other rows.
    """
    total = residual + added
    if shared is None:
        return total
    table, places = shared
    firsts, others = table.chunk(2)
    total += others.index_select(0, places.owners)
    return total.index_copy_(0, places.firsts, residual.index_select(0, places.firsts) + firsts)


@functools.cache
def _kernel() -> Any:
    """Return the triton kernel if it agrees with torch on a small example, else None."""
    try:
        from assay.models.runtime.triton_norm import fused_add_norm

        generator = torch.Generator("cuda").manual_seed(0)
        residual = torch.randn(33, 160, device="cuda", generator=generator)
        added = torch.randn(33, 160, device="cuda", generator=generator).bfloat16()
        norms: tuple[Norm, ...] = (nn.LayerNorm(160, device="cuda"), nn.RMSNorm(160, eps=1e-6, device="cuda"))
        right = True
        for norm in norms:
            nn.init.normal_(norm.weight)
            with torch.no_grad():
                total, wide, narrow = fused_add_norm(residual, added, norm, torch.bfloat16, True)
                expected = norm(residual + added)
                right = right and torch.allclose(total, residual + added) and torch.allclose(wide, expected, atol=1e-4)
                right = right and torch.allclose(narrow.float(), expected, atol=0.05)
                table = torch.randn(6, 160, device="cuda", generator=generator).half()
                shared = table, Places(torch.tensor([0, 1, 20, 33], dtype=torch.int32, device="cuda"), 33, 19)
                total, _, _ = fused_add_norm(residual, added, norm, torch.bfloat16, True, shared)
                right = right and torch.allclose(total, summed(residual, added, shared), atol=1e-5)
        return fused_add_norm if right else None
    except Exception:  # scoring must work without a suitable triton
        return None
