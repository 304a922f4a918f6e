"""Matrix products in 8-bit floats, for GPUs that have them (Hopper and later): weights and tokens are scaled row by row.

An 8-bit float keeps three bits of fraction, so such a product is off by some three in a hundred. Three things keep that small
beside what tells one text from another (measured in docs/decisions/0004-models.md):

- Of what a product reads, the mean over a typical batch is taken off first, and comes back with the bias, in float32.
- A sequence's first token, from which COMET models read their score, goes through all products in float16 beside the others.
  It is one row in twenty-five, and costs next to nothing.
- Queries, keys and values stay in float16: a quarter of the products, and half of the error.
"""

from __future__ import annotations

import functools
from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

FP8 = torch.float8_e4m3fn
LARGEST = 448.0
"""The largest number that the format has."""


def stored_as(dtype: torch.dtype) -> torch.dtype:
    """The precision in which weights are loaded and embeddings kept: 8-bit matrices are made from float16."""
    return torch.float16 if dtype == FP8 else dtype


def can_multiply(device: torch.device) -> bool:
    """Whether a device multiplies 8-bit floats itself."""
    return device.type == "cuda" and torch.cuda.get_device_capability(device) >= (8, 9)


def quantise(
    rows: Tensor, mean: Tensor | None = None, *, shift: Tensor | None = None, gelu: bool = False
) -> tuple[Tensor, Tensor]:
    """Rows, plus `shift`, through a GELU if asked, less `mean`: in 8 bits, and the number that each is to be multiplied with."""
    kernel = _kernel() if rows.is_cuda else None
    if kernel is not None:
        return kernel(rows, mean, shift, gelu)  # type: ignore[no-any-return]
    wide = rows.float() if shift is None else rows.float() + shift
    wide = functional.gelu(wide) if gelu else wide
    wide = wide if mean is None else wide - mean
    scale = (wide.abs().amax(dim=1, keepdim=True) / LARGEST).clamp_min(1e-12)
    return (wide / scale).clamp(-LARGEST, LARGEST).to(FP8), scale


class Fp8Linear:
    """A linear layer whose weights are 8-bit floats with one scale an output; `mean` is what its inputs have in common.

    What it gives lacks `constant`: the bias and the product of `mean`, to be added in float32.
    """

    def __init__(self, linear: nn.Linear, mean: Tensor) -> None:
        self.weight, scale = quantise(linear.weight.detach())
        self.scale, self.mean = scale.T.contiguous(), mean
        self.constant = linear.bias.detach().float() + linear.weight.detach().float() @ mean

    def __call__(self, rows: Tensor, *, shift: Tensor | None = None, gelu: bool = False) -> Tensor:
        """The product in bfloat16 (the only output of row-scaled products); `shift` and `gelu` as in `quantise`."""
        small, scale = quantise(rows, self.mean, shift=shift, gelu=gelu)
        if small.is_cuda and not (small.shape[1] % 16 or self.weight.shape[0] % 16):
            return torch._scaled_mm(
                small, self.weight.T, scale, self.scale, out_dtype=torch.bfloat16, use_fast_accum=True
            )
        return functional.linear(small.float() * scale, self.weight.float() * self.scale.T).bfloat16()


class WholeLayer:
    """The three linear layers as they are, taking down the mean of what each of them reads."""

    constants: tuple[Tensor | None, Tensor | None] = (None, None)

    def __init__(self, out: nn.Linear, up: nn.Linear, down: nn.Linear) -> None:
        self.linears = out, up, down
        self.means: list[Tensor] = []

    def out(self, mixed: Tensor, firsts: Tensor) -> Tensor:
        """What attention adds."""
        return self._product(0, mixed)

    def feed_forward(self, hidden: Tensor, firsts: Tensor) -> Tensor:
        """Up, GELU and down again."""
        return self._product(2, functional.gelu(self._product(1, hidden)))

    def _product(self, which: int, rows: Tensor) -> Tensor:
        self.means.append(rows.float().mean(dim=0))
        found: Tensor = self.linears[which](rows)
        return found

    def smaller(self) -> Fp8Layer:
        """The same in 8 bits, after a batch went through."""
        return Fp8Layer(self.linears, [Fp8Linear(*each) for each in zip(self.linears, self.means, strict=True)])


class Fp8Layer:
    """Attention's output and the feed-forward network of a transformer block in 8 bits, but for the first tokens."""

    def __init__(self, whole: Sequence[nn.Linear], small: Sequence[Fp8Linear]) -> None:
        self.whole, self.small = whole, small
        self.constants = small[0].constant, small[2].constant
        """What is still to be added to `out` and to `feed_forward`."""

    def out(self, mixed: Tensor, firsts: Tensor) -> Tensor:
        """What attention adds."""
        return self._with_firsts(0, self.small[0](mixed), firsts, self.whole[0](mixed.index_select(0, firsts)))

    def feed_forward(self, hidden: Tensor, firsts: Tensor) -> Tensor:
        """Up, GELU and down again."""
        _, up, down = self.whole
        added = self.small[2](self.small[1](hidden), shift=self.small[1].constant, gelu=True)
        return self._with_firsts(2, added, firsts, down(functional.gelu(up(hidden.index_select(0, firsts)))))

    def _with_firsts(self, which: int, found: Tensor, firsts: Tensor, exact: Tensor) -> Tensor:
        return found.index_copy_(0, firsts, (exact.float() - self.small[which].constant).bfloat16())


def typical_ids(vocabulary: int, first: int = 0, last: int = 2) -> list[list[int]]:
    """Sequences of token ids that stand for text when means are taken down: small ids often, as vocabularies are ordered, and
    always the same ones."""
    drawn = torch.rand(64, 62, generator=torch.Generator().manual_seed(8)) ** 3
    return [[first, *row, last] for row in (3 + drawn * (vocabulary - 3)).long().tolist()]


@functools.cache
def _kernel() -> Any:
    """The triton kernel, after it has shown on a small example that it agrees with torch; None where it cannot."""
    try:
        from assay.models.triton_fp8 import quantise_rows

        generator = torch.Generator("cuda").manual_seed(0)
        rows = torch.randn(33, 160, device="cuda", generator=generator).bfloat16()
        mean, shift = torch.randn(2, 160, device="cuda", generator=generator)
        with torch.no_grad():
            for gelu in (False, True):
                found, scale = quantise_rows(rows, mean, shift, gelu)
                exact = (functional.gelu(rows.float() + shift) if gelu else rows.float() + shift) - mean
                error = (found.float() * scale - exact).abs().amax(dim=1)
                if not bool((error <= exact.abs().amax(dim=1) / 16).all()):
                    return None
        return quantise_rows
    except Exception:  # a missing or mismatched triton must never stop a score
        return None
