"""Triton kernels for matrix products in 8-bit floats (`assay.models.runtime.fp8`).

Each program processes one sequence, or a few of its rows, so the data that all rows read stays in the nearest cache. With one
program per row, reading these tables caused most of the memory traffic. Annotations are evaluated here, since triton reads
them.
"""

import os
from typing import Any

import torch
import triton
import triton.language as tl
from torch import Tensor
from torch.nn import functional

from assay.models.runtime.packing import Places, centres_of

ROWS = 2
"""Maximum number of rows in a sequence that one program converts to 8 bits."""
LINES, COLUMNS = 8, 128
"""Part of a sequence that a warp processes at a time."""
FAST: Any = os.environ.get("TRITON_INTERPRET") != "1"
"""Whether to use inline assembly, which triton's interpreter does not support."""


@triton.jit  # type: ignore[untyped-decorator, unused-ignore]
def _gelu(x, fast: tl.constexpr):  # type: ignore[no-untyped-def]
    """Compute GELU with the hardware's tanh, to within 1e-3; the error of 8 bits is thirty times as large."""
    y = x * (0.7978845608 + 0.0356774081 * x * x)
    if fast:
        tanh = tl.inline_asm_elementwise("tanh.approx.f32 $0, $1;", "=f,f", [y], dtype=tl.float32, is_pure=True, pack=1)
    else:
        tanh = 1.0 - 2.0 / (tl.exp(2.0 * y) + 1.0)
    return 0.5 * x * (1.0 + tanh)


@triton.jit(do_not_specialize=["sequences"])  # type: ignore[untyped-decorator, unused-ignore]
def _exact_rows(  # type: ignore[no-untyped-def]
    rows, starts, exact, width, sequences, lines: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    """Compute the first row and the mean of the other rows; one program per sequence and block of columns."""
    sequence = tl.program_id(0)
    columns = tl.program_id(1) * block + tl.arange(0, block)
    start, stop = tl.load(starts + sequence), tl.load(starts + sequence + 1)
    inside = columns < width
    own = tl.load(rows + start.to(tl.int64) * width + columns, mask=inside, other=0.0)
    tl.store(exact + sequence.to(tl.int64) * width + columns, own.to(exact.dtype.element_ty), mask=inside)
    total = tl.zeros([lines, block], dtype=tl.float32)
    for at in range(start + 1, stop, lines):
        here = at + tl.arange(0, lines)
        mask = (here < stop)[:, None] & inside[None, :]
        place = rows + here[:, None].to(tl.int64) * width + columns[None, :]
        total += tl.load(place, mask=mask, other=0.0).to(tl.float32)
    mean = tl.sum(total, axis=0) / tl.maximum(stop - start - 1, 1).to(tl.float32)
    tl.store(
        exact + (sequences + sequence).to(tl.int64) * width + columns, mean.to(exact.dtype.element_ty), mask=inside
    )


@triton.jit(do_not_specialize=["sequences"])  # type: ignore[untyped-decorator, unused-ignore]
def _query_key(  # type: ignore[no-untyped-def]
    rows, starts, exact, width, sequences, lines: tl.constexpr, block: tl.constexpr,
):  # fmt: skip
    """Restore the first row and add the centres to the other queries; one program per sequence, block and side."""
    sequence = tl.program_id(0)
    columns = tl.program_id(1) * block + tl.arange(0, block)
    key = tl.program_id(2)
    start, stop = tl.load(starts + sequence), tl.load(starts + sequence + 1)
    inside = columns < width
    across = 2 * width
    columns += key * width
    centre = tl.load(exact + (sequences + sequence).to(tl.int64) * across + columns, mask=inside, other=0.0).to(
        tl.float32
    )
    own = tl.load(exact + sequence.to(tl.int64) * across + columns, mask=inside, other=0.0).to(tl.float32)
    if key:
        own -= centre
        stop = tl.minimum(stop, start + 1)
    for at in range(start, stop, lines):
        here = at + tl.arange(0, lines)
        mask = (here < stop)[:, None] & inside[None, :]
        place = rows + here[:, None].to(tl.int64) * across + columns[None, :]
        x = tl.load(place, mask=mask, other=0.0).to(tl.float32) + centre[None, :]
        x = tl.where((here == start)[:, None], own[None, :], x)
        tl.store(place, x.to(rows.dtype.element_ty), mask=mask)


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
    """Find the largest absolute value in each row and write the row in 8 bits; one program per few rows of a sequence."""
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


def exact_rows(rows: Tensor, starts: Tensor) -> Tensor:
    """Run `assay.models.runtime.fp8.exact_rows` as a kernel."""
    sequences, width = len(starts) - 1, rows.shape[1]
    exact = torch.empty(2 * sequences, width, dtype=torch.float16, device=rows.device)
    grid: Any = (sequences, triton.cdiv(width, COLUMNS))
    _exact_rows[grid](rows.contiguous(), starts, exact, width, sequences, lines=LINES, block=COLUMNS, num_warps=1)
    return exact


def query_key(rows: Tensor, starts: Tensor, exact: Tensor) -> Tensor:
    """Run `assay.models.runtime.fp8.Product.query_key` as a kernel, in place."""
    sequences, width = len(starts) - 1, rows.shape[1] // 2
    grid: Any = (sequences, triton.cdiv(width, COLUMNS), 2)
    _query_key[grid](rows, starts, exact, width, sequences, lines=LINES, block=COLUMNS, num_warps=1)
    return rows


def quantise(rows: Tensor, starts: Tensor, longest: int, exact: Tensor, shift: Tensor | None) -> tuple[Tensor, Tensor]:
    """Run `assay.models.runtime.fp8.quantise` as a kernel."""
    rows = rows.contiguous()
    count, width = rows.shape
    found = torch.empty(count, width, dtype=torch.float8_e4m3fn, device=rows.device)
    scales = torch.empty(count, 1, dtype=torch.float32, device=rows.device)
    block, rest = parts(width)
    grid: Any = (len(starts) - 1, triton.cdiv(longest, ROWS))
    centres = centres_of(exact)
    _quantise[grid](
        rows, starts, centres, centres if shift is None else centres_of(shift), found, scales, width,
        has_shift=shift is not None, fast=FAST, lines=ROWS, block=block, rest=rest, num_warps=warps(width),
    )  # fmt: skip
    return found, scales


def parts(width: int) -> tuple[int, int]:
    """Split a row into one or two powers of two.

    XLM-R's widths 2,560 and 10,240 would leave three of eight lanes idle in the next power of two.
    """
    block = triton.next_power_of_2(width)
    if block == width or block < 256:
        return block, 0
    return block // 2, triton.next_power_of_2(width - block // 2)


def warps(width: int) -> int:
    """Return the warps per row, as measured on an H200: few are best, since finding a row's maximum synchronises them."""
    return min(8, 1 << ((width - 1) // 2560).bit_length())


def agree(device: torch.device) -> bool:
    """Return whether the kernels agree with plain torch on a small example."""
    generator = torch.Generator(device).manual_seed(0)
    rows = torch.randn(34, 320, device=device, generator=generator).half()
    shift = torch.randn(6, 320, device=device, generator=generator).half()
    starts = torch.tensor([0, 1, 20, 34], dtype=torch.int32, device=device)
    places = Places(starts, 34, 19)
    means = torch.stack([torch.zeros(320, device=device), rows[2:20].float().mean(0), rows[21:].float().mean(0)])
    with torch.no_grad():
        exact = exact_rows(rows, starts)
        right = torch.equal(exact[:3], rows[places.firsts])
        right = right and torch.allclose(centres_of(exact).float(), means, atol=4e-3)
        for table in (None, shift):
            wide = rows.float()
            if table is not None:
                wide = functional.gelu(wide + centres_of(table).index_select(0, places.owners))
            wide = wide - centres_of(exact).float().index_select(0, places.owners)
            largest = wide.abs().amax(dim=1, keepdim=True)
            small, scale = quantise(rows, starts, 19, exact, table)
            right = right and torch.allclose(scale, largest / torch.finfo(torch.float8_e4m3fn).max, rtol=0.01)
            right = right and bool(((small.float() * scale - wide).abs() <= largest / 16).all())
        expected = rows.float()
        expected[:, :160] += shift[3:, :160].index_select(0, places.owners)
        expected[places.firsts] = shift[:3].float()
        expected[places.firsts, 160:] -= shift[3:, 160:].float()
        found = query_key(rows.clone(), starts, shift).float()
    return right and torch.allclose(found, expected, atol=4e-3, rtol=1e-3)
