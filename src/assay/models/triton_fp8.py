"""The triton kernel behind `assay.models.fp8`: one program a row finds its largest number and writes the row in 8 bits.

Annotations are evaluated here, since triton reads them.
"""

from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _gelu(x):  # type: ignore[no-untyped-def]
    """GELU by way of tanh, which the hardware has: within 1e-3, where 8 bits are off by thirty times as much."""
    y = x * (0.7978845608 + 0.0356774081 * x * x)
    tanh = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [y], dtype=tl.float32, is_pure=True, pack=1)
    return 0.5 * x * (1.0 + tanh)


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _read(  # type: ignore[no-untyped-def]
    rows, mean, shift, columns, inside, has_mean: tl.constexpr, has_shift: tl.constexpr, gelu: tl.constexpr,
):  # fmt: skip
    x = tl.load(rows + columns, mask=inside, other=0.0).to(tl.float32)
    if has_shift:
        x += tl.load(shift + columns, mask=inside, other=0.0)
    if gelu:
        x = _gelu(x)
    if has_mean:
        x -= tl.load(mean + columns, mask=inside, other=0.0)
    return x


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _quantise_rows(  # type: ignore[no-untyped-def]
    rows, mean, shift, found, scales, width: tl.constexpr,
    has_mean: tl.constexpr, has_shift: tl.constexpr, gelu: tl.constexpr, block: tl.constexpr, rest: tl.constexpr,
):  # fmt: skip
    row = tl.program_id(0).to(tl.int64)
    rows += row * width
    found += row * width
    columns = tl.arange(0, block)
    x = _read(rows, mean, shift, columns, columns < width, has_mean, has_shift, gelu)
    largest = tl.max(tl.abs(x), axis=0)
    if rest:
        others = block + tl.arange(0, rest)
        y = _read(rows, mean, shift, others, others < width, has_mean, has_shift, gelu)
        largest = tl.maximum(largest, tl.max(tl.abs(y), axis=0))
    scale = tl.maximum(largest / 448.0, 1e-12)
    tl.store(found + columns, (x * (1.0 / scale)).to(found.dtype.element_ty), mask=columns < width)
    if rest:
        tl.store(found + others, (y * (1.0 / scale)).to(found.dtype.element_ty), mask=others < width)
    tl.store(scales + row, scale)


def quantise_rows(rows: Tensor, mean: Tensor | None, shift: Tensor | None, gelu: bool) -> tuple[Tensor, Tensor]:
    """See `assay.models.fp8.quantise`."""
    rows = rows.contiguous()
    count, width = rows.shape
    found = torch.empty(count, width, dtype=torch.float8_e4m3fn, device=rows.device)
    scales = torch.empty(count, 1, dtype=torch.float32, device=rows.device)
    block, rest = parts(width)
    grid: Any = (count,)
    _quantise_rows[grid](
        rows, scales if mean is None else mean, scales if shift is None else shift, found, scales, width,
        has_mean=mean is not None, has_shift=shift is not None, gelu=gelu, block=block, rest=rest, num_warps=warps(width),
    )  # fmt: skip
    return found, scales


def parts(width: int) -> tuple[int, int]:
    """A row as one or two powers of two: XLM-R's 2,560 and 10,240 would leave three lanes of eight idle in the next power."""
    block = triton.next_power_of_2(width)
    if block == width or block < 256:
        return block, 0
    return block // 2, triton.next_power_of_2(width - block // 2)


def warps(width: int) -> int:
    """Warps a row, as measured on an H200: few for short rows."""
    return 2 if width <= 4096 else 8
