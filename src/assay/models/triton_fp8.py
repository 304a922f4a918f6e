"""The triton kernels behind `assay.models.fp8`. Each program takes one sequence, or a few rows of one, so that what all of its rows
read lies in the nearest cache: one program a row, these tables were most of the traffic.

Annotations are evaluated here, since triton reads them.
"""

import os
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.nn import functional

ROWS = 8
"""Rows of a sequence that a program reads, at most."""
COLUMNS = 512
FAST: Any = os.environ.get("TRITON_INTERPRET") != "1"
"""Triton's interpreter knows no assembler."""


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _gelu(x, fast: tl.constexpr):  # type: ignore[no-untyped-def]
    """GELU by way of tanh, which the hardware has: within 1e-3, where 8 bits are off by thirty times as much."""
    y = x * (0.7978845608 + 0.0356774081 * x * x)
    if fast:
        tanh = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [y], dtype=tl.float32, is_pure=True, pack=1)
    else:
        tanh = 1.0 - 2.0 / (tl.exp(2.0 * y) + 1.0)
    return 0.5 * x * (1.0 + tanh)


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _sequences(  # type: ignore[no-untyped-def]
    rows, starts, table, width, stride, table_stride, mean: tl.constexpr, lines: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    """One program a sequence and some columns: the mean of its rows but the first into the table's line, or the line into the
    rows."""
    sequence = tl.program_id(0)
    columns = tl.program_id(1) * block + tl.arange(0, block)
    start, stop = tl.load(starts + sequence), tl.load(starts + sequence + 1)
    inside = columns < width
    line = table + sequence.to(tl.int64) * table_stride + columns
    if mean:
        total = tl.zeros([block], dtype=tl.float32)
        first = start + 1
    else:
        total = tl.load(line, mask=inside, other=0.0).to(tl.float32)
        first = start
    for at in range(first, stop, lines):
        here = at + tl.arange(0, lines)
        mask = (here < stop)[:, None] & inside[None, :]
        place = rows + here[:, None].to(tl.int64) * stride + columns[None, :]
        x = tl.load(place, mask=mask, other=0.0).to(tl.float32)
        if mean:
            total += tl.sum(x, axis=0)
        else:
            tl.store(place, (x + total[None, :]).to(rows.dtype.element_ty), mask=mask)
    if mean:
        count = tl.maximum(stop - first, 1).to(tl.float32)
        tl.store(line, (total / count).to(table.dtype.element_ty), mask=inside)


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _difference(  # type: ignore[no-untyped-def]
    rows, centres, shifts, at, own, columns, width: tl.constexpr, has_shift: tl.constexpr, fast: tl.constexpr,
):  # fmt: skip
    inside = columns < width
    x = tl.load(rows + at + columns, mask=inside, other=0.0).to(tl.float32)
    if has_shift:
        x = _gelu(x + tl.load(shifts + own + columns, mask=inside, other=0.0).to(tl.float32), fast)
    return x - tl.load(centres + own + columns, mask=inside, other=0.0).to(tl.float32)


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _quantise(  # type: ignore[no-untyped-def]
    rows, starts, centres, shifts, found, scales, width: tl.constexpr, has_shift: tl.constexpr, fast: tl.constexpr,
    lines: tl.constexpr, block: tl.constexpr, rest: tl.constexpr,
):  # fmt: skip
    """One program a few rows of a sequence, for which its centre and shift lie in the cache: find each one's largest number and
    write it in 8 bits."""
    sequence = tl.program_id(0)
    own = sequence.to(tl.int64) * width
    first = tl.load(starts + sequence) + tl.program_id(1) * lines
    stop = tl.minimum(first + lines, tl.load(starts + sequence + 1))
    columns = tl.arange(0, block)
    others = block + tl.arange(0, rest if rest else 1)
    for line in range(first, stop):
        row = tl.cast(line, tl.int64)
        at = row * width
        x = _difference(rows, centres, shifts, at, own, columns, width, has_shift, fast)
        largest = tl.max(tl.abs(x), axis=0)
        if rest:
            y = _difference(rows, centres, shifts, at, own, others, width, has_shift, fast)
            largest = tl.maximum(largest, tl.max(tl.abs(y), axis=0))
        scale = tl.maximum(largest / 448.0, 1e-12)
        tl.store(found + at + columns, (x * (1.0 / scale)).to(found.dtype.element_ty), mask=columns < width)
        if rest:
            tl.store(found + at + others, (y * (1.0 / scale)).to(found.dtype.element_ty), mask=others < width)
        tl.store(scales + row, scale)


def centre(rows: Tensor, starts: Tensor) -> Tensor:
    """See `assay.models.fp8.centre`."""
    table = torch.empty(len(starts) - 1, rows.shape[1], dtype=torch.float16, device=rows.device)
    _by_sequence(rows.contiguous(), starts, table, True)
    return table


def spread(rows: Tensor, starts: Tensor, table: Tensor) -> Tensor:
    """See `assay.models.fp8.spread`."""
    _by_sequence(rows, starts, table, False)
    return rows


def _by_sequence(rows: Tensor, starts: Tensor, table: Tensor, mean: bool) -> None:
    width = table.shape[1]
    grid: Any = (len(starts) - 1, triton.cdiv(width, COLUMNS))
    strides = rows.stride(0), table.stride(0)
    _sequences[grid](rows, starts, table, width, *strides, mean=mean, lines=ROWS, block=COLUMNS, num_warps=4)


def quantise(
    rows: Tensor, starts: Tensor, longest: int, centres: Tensor, shift: Tensor | None
) -> tuple[Tensor, Tensor]:
    """See `assay.models.fp8.quantise`."""
    rows = rows.contiguous()
    count, width = rows.shape
    found = torch.empty(count, width, dtype=torch.float8_e4m3fn, device=rows.device)
    scales = torch.empty(count, 1, dtype=torch.float32, device=rows.device)
    block, rest = parts(width)
    grid: Any = (len(starts) - 1, triton.cdiv(longest, ROWS))
    _quantise[grid](
        rows, starts, centres, centres if shift is None else shift, found, scales, width,
        has_shift=shift is not None, fast=FAST, lines=ROWS, block=block, rest=rest, num_warps=warps(width),
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


def agree(device: torch.device) -> bool:
    """Whether the kernels give on a small example what plain torch gives."""
    from assay.models import fp8
    from assay.models.packing import Places

    generator = torch.Generator(device).manual_seed(0)
    rows = torch.randn(34, 320, device=device, generator=generator).bfloat16()
    shift = torch.randn(3, 320, device=device, generator=generator).half()
    starts = torch.tensor([0, 1, 20, 34], dtype=torch.int32, device=device)
    owners = Places(starts, 34, 19).owners
    means = torch.stack([torch.zeros(320, device=device), rows[2:20].float().mean(0), rows[21:].float().mean(0)])
    with torch.no_grad():
        centres = centre(rows, starts)
        right = torch.allclose(centres.float(), means, atol=4e-3)
        for table in (None, shift):
            wide = rows.float() if table is None else functional.gelu(rows.float() + table.index_select(0, owners))
            exact = wide - centres.float().index_select(0, owners)
            largest = exact.abs().amax(dim=1, keepdim=True)
            small, scale = quantise(rows, starts, 19, centres, table)
            right = right and torch.allclose(scale, largest / fp8.LARGEST, rtol=0.01)
            right = right and bool(((small.float() * scale - exact).abs() <= largest / 16).all())
        summed = spread(rows.half(), starts, shift[:, :160])
    expected = rows.float()
    expected[:, :160] += shift[:, :160].index_select(0, owners)
    return right and torch.allclose(summed.float(), expected, atol=4e-3, rtol=1e-3)
