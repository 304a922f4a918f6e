"""Triton kernel for residual sum and norm (`assay.models.runtime.fused`): one program per token.

Annotations are evaluated here, since triton reads them.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor, nn

from assay.models.runtime.packing import Places


@triton.jit(do_not_specialize=["sequences"])  # type: ignore[untyped-decorator, unused-ignore]
def _rows(  # type: ignore[no-untyped-def]
    residual, added, table, owners, starts, weight, bias, total, wide, narrow, width, sequences, epsilon, has_mean: tl.constexpr,
    has_added: tl.constexpr, has_table: tl.constexpr, write_total: tl.constexpr, write_wide: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    columns = tl.arange(0, block)
    inside = columns < width
    at = row * width + columns
    x = tl.load(residual + at, mask=inside, other=0.0)
    if has_added:
        more = tl.load(added + at, mask=inside, other=0.0).to(tl.float32)
        if has_table:
            sequence = tl.load(owners + row)
            first = tl.load(starts + sequence) == row
            line = tl.where(first, sequence, sequence + sequences).to(tl.int64)
            x = tl.where(first, x, x + more)
            x += tl.load(table + line * width + columns, mask=inside, other=0.0).to(tl.float32)
        else:
            x += more
    if write_total:
        tl.store(total + at, x, mask=inside)
    centred = x
    if has_mean:
        centred = tl.where(inside, x - tl.sum(x, axis=0) / width, 0.0)
    scale = 1.0 / tl.sqrt(tl.sum(centred * centred, axis=0) / width + epsilon)
    w = tl.load(weight + columns, mask=inside, other=0.0).to(tl.float32)
    y = centred * scale * w
    if has_mean:
        y += tl.load(bias + columns, mask=inside, other=0.0).to(tl.float32)
    if write_wide:
        tl.store(wide + at, y, mask=inside)
    tl.store(narrow + at, y.to(narrow.dtype.element_ty), mask=inside)


def fused_add_norm(
    residual: Tensor,
    added: Tensor | None,
    norm: nn.LayerNorm | nn.RMSNorm,
    dtype: torch.dtype,
    wide: bool,
    shared: tuple[Tensor, Places] | None = None,
) -> tuple[Tensor, Tensor, Tensor]:
    """Run `assay.models.runtime.fused.add_norm` as a kernel."""
    tokens, width = residual.shape
    residual = residual.contiguous()
    narrow = torch.empty(tokens, width, dtype=dtype, device=residual.device)
    total = residual if added is None else torch.empty_like(residual)
    write_wide = wide and dtype != torch.float32
    broad = torch.empty_like(residual) if write_wide else narrow
    size = triton.next_power_of_2(width)
    bias = norm.bias if isinstance(norm, nn.LayerNorm) else norm.weight
    table, owners, starts = residual, residual, residual
    if shared is not None:
        table, owners, starts = shared[0], shared[1].owners, shared[1].starts
    grid: Any = (tokens,)
    _rows[grid](
        residual, residual if added is None else added.contiguous(), table, owners, starts,
        norm.weight, bias, total, broad, narrow, width, len(starts) - 1, norm.eps,
        has_mean=isinstance(norm, nn.LayerNorm), has_added=added is not None, has_table=shared is not None,
        write_total=added is not None, write_wide=write_wide,
        block=size, num_warps=4 if size <= 4096 else 8,
    )  # fmt: skip
    return total, broad, narrow
