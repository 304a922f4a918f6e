"""Matrix products in 8-bit floats for GPUs that support them (Hopper and later), with one scale per row.

An 8-bit float has three fraction bits, so a product has an error of about 3%. Three measures keep the error small compared with
the differences between texts (measured in docs/decisions/0004-models.md):

- The mean of a sequence's tokens, its centre, is multiplied in float16. Only each token's difference from the centre is in
  8 bits.
  A rounded weight causes an error in the same direction for every token. This largest of all errors is in the mean.
- A sequence's first token, from which COMET models read their score, is multiplied in float16 as well. Together these are
  two rows
  per sequence and take 4% of the time.
- Values of attention stay in float16. They are a twelfth of the products and cause most of the remaining error.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.models.runtime.fused import Norm, add_norm, summed
from assay.models.runtime.packing import Places, centres_of

FP8 = torch.float8_e4m3fn
LARGEST = 448.0
"""Largest number in the format."""


def stored_as(dtype: torch.dtype) -> torch.dtype:
    """Return the precision of loaded weights and embeddings; 8-bit matrices are made from float16."""
    return torch.float16 if dtype == FP8 else dtype


def can_multiply(device: torch.device) -> bool:
    """Return whether a device supports 8-bit float products."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 9)


def by_rows(rows: Tensor) -> tuple[Tensor, Tensor]:
    """Return rows in 8 bits, and the scale of each row."""
    wide = rows.float()
    scale = (wide.abs().amax(dim=1, keepdim=True) / LARGEST).clamp_min(1e-12)
    return (wide / scale).clamp(-LARGEST, LARGEST).to(FP8), scale


def exact_rows(rows: Tensor, places: Places) -> Tensor:
    """Return the rows to multiply in float16: the first row of each sequence, then the centre of each sequence's other rows."""
    kernels = _kernels() if rows.is_cuda else None
    if kernels is not None:
        return kernels.exact_rows(rows, places.starts)  # type: ignore[no-any-return]
    lengths = places.starts.diff().long()
    others = rows.float().index_fill(0, places.firsts, 0.0)
    total = torch.segment_reduce(others, "sum", lengths=lengths, axis=0, unsafe=True)
    centres = total / (lengths - 1).clamp_min(1)[:, None]
    return torch.cat((rows.index_select(0, places.firsts).half(), centres.half()))


def quantise(rows: Tensor, places: Places, exact: Tensor, shift: Tensor | None = None) -> tuple[Tensor, Tensor]:
    """Return how rows differ from their sequence's centre in `exact`, in 8 bits with scales.

    With `shift`, a table like `exact`, its centres are added to the rows first, and GELU is applied.
    """
    kernels = _kernels() if rows.is_cuda else None
    if kernels is not None:
        return kernels.quantise(rows, places.starts, places.longest, exact, shift)  # type: ignore[no-any-return]
    wide = rows.float()
    if shift is not None:
        wide = functional.gelu(wide + centres_of(shift).index_select(0, places.owners))
    return by_rows(wide - centres_of(exact).index_select(0, places.owners))


@dataclass(frozen=True, slots=True)
class Product:
    """Output of a linear layer for all tokens: each row's difference from its sequence's centre, and `exact`.

    `exact` is a table in the form that `exact_rows` returns; it includes the biases.
    """

    rows: Tensor
    exact: Tensor
    places: Places

    def onto(self, residual: Tensor) -> Tensor:
        """Return the sum with a residual stream."""
        return summed(residual, self.rows, (self.exact, self.places))

    def onto_normed(
        self, residual: Tensor, norm: Norm, dtype: torch.dtype, *, wide: bool
    ) -> tuple[Tensor, Tensor, Tensor]:
        """Call `add_norm` with a residual stream."""
        return add_norm(residual, self.rows, norm, dtype, wide=wide, shared=(self.exact, self.places))

    def query_key(self) -> Tensor:
        """Return complete queries and keys from a layer that computes both side by side.

        Keys are returned without their sequence's centre, since a term that all keys share does not change attention.
        """
        rows, places, width = self.rows.half(), self.places, self.rows.shape[1] // 2
        kernels = _kernels() if rows.is_cuda else None
        if kernels is not None:
            return kernels.query_key(rows, places.starts, self.exact)  # type: ignore[no-any-return]
        firsts, centres = self.exact.chunk(2)
        rows[:, :width] += centres[:, :width].index_select(0, places.owners)
        own = torch.cat((firsts[:, :width], firsts[:, width:] - centres[:, width:]), dim=1)
        return rows.index_copy_(0, places.firsts, own)


class Fp8Linear:
    """Linear layer with weights in 8 bits, one scale per output, and in float16."""

    def __init__(self, weight: Tensor, bias: Tensor) -> None:
        self.whole = weight.detach(), bias.detach()
        self.weight, scale = by_rows(self.whole[0])
        self.scale = scale.T.contiguous()

    def __call__(self, rows: Tensor, places: Places) -> Product:
        """Return the product with these rows."""
        return self._product(rows, exact_rows(rows, places), places)

    def after_gelu(self, before: Product, gelu: str = "none") -> Product:
        """Return the product with the GELU of another product.

        The GELU of the centre replaces the centre of the GELU. The error is similar for every sequence, so rankings do not
        change.
        """
        exact = functional.gelu(before.exact, approximate=gelu)
        return self._product(before.rows, exact, before.places, before.exact)

    def _product(self, rows: Tensor, exact: Tensor, places: Places, shift: Tensor | None = None) -> Product:
        small, scale = quantise(rows, places, exact, shift)
        return Product(self._multiply(small, scale), _linear(exact, *self.whole), places)

    def _multiply(self, small: Tensor, scale: Tensor) -> Tensor:
        if small.is_cuda and not (small.shape[1] % 16 or self.weight.shape[0] % 16):
            return torch._scaled_mm(
                small, self.weight.T, scale, self.scale, out_dtype=_output(small.device), use_fast_accum=True
            )
        return functional.linear(small.float() * scale, self.weight.float() * self.scale.T).half()


class Fp8Layer:
    """Linear layers of a transformer block in 8 bits, except for the values of attention."""

    def __init__(self, qkv: nn.Linear, out: nn.Linear, up: nn.Linear, down: nn.Linear, gelu: str = "none") -> None:
        values = 2 * (len(qkv.weight) // 3)
        self.values = qkv.weight.detach()[values:], qkv.bias.detach()[values:]
        self.query_key = Fp8Linear(qkv.weight[:values], qkv.bias[:values])
        self.out, self.up, self.down = (Fp8Linear(each.weight, each.bias) for each in (out, up, down))
        self.gelu = gelu

    def attended(self, hidden: Tensor, places: Places) -> tuple[Tensor, Tensor]:
        """Return queries and keys side by side, and values."""
        return self.query_key(hidden, places).query_key(), _linear(hidden, *self.values)

    def feed_forward(self, hidden: Tensor, places: Places) -> Product:
        """Return the output of the feed-forward layers."""
        return self.down.after_gelu(self.up(hidden, places), self.gelu)


def _linear(rows: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
    """Compute a matrix product in float16; on a CPU, compute in float32 and round."""
    if rows.is_cuda:
        return functional.linear(rows, weight, bias)
    return functional.linear(rows.float(), weight.float(), bias.float()).half()


@functools.cache
def _output(device: torch.device) -> torch.dtype:
    """Return the output type of row-scaled products: float16, or bfloat16 if torch supports nothing else."""
    small, scale = by_rows(torch.ones(16, 16, device=device))
    try:
        torch._scaled_mm(small, small.T, scale, scale.T.contiguous(), out_dtype=torch.float16, use_fast_accum=True)
    except (RuntimeError, ValueError):
        return torch.bfloat16
    return torch.float16


@functools.cache
def _kernels() -> Any:
    """Return the triton kernels if they agree with torch on a small example, else None."""
    try:
        from assay.models.runtime import triton_fp8

        return triton_fp8 if triton_fp8.agree(torch.device("cuda")) else None
    except Exception:  # scoring must work without a suitable triton
        return None
