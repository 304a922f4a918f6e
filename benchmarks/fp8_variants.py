"""Emulation of 8-bit products on a CPU: the accuracy of many variants, and the calculated speed of each.

::

    PYTHONPATH=. python benchmarks/fp8_variants.py                          # random weights of 12 layers of 384
    PYTHONPATH=. python benchmarks/fp8_variants.py --trained cut.pt         # a trained model (benchmarks/cut_model.py)
    PYTHONPATH=. python benchmarks/fp8_variants.py --layers 36 --only built bf16

Products are computed in float32 from rounded numbers, which is what the hardware does except for the order of its sums.
`built` is `assay.models.runtime.fp8` itself. Noise is the deviation from fp32 relative to the spread of the scores. Speeds are
calculated for XL on an H200: products at the rates measured there, everything else by the bytes that it reads and writes.
"""

from __future__ import annotations

import argparse
import copy
import time
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn
from torch.nn import functional

from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.encoder import Encoder, Layer
from assay.models.heads.checkpoint import LoadedCheckpoint
from assay.models.heads.inference import Predictor
from assay.models.heads.prediction import PASSES
from assay.models.runtime.fp8 import FP8, by_rows, exact_rows
from assay.models.runtime.packing import Packed, Places, centres_of, pack
from benchmarks.comet_gpu import Numbers, random_model, ranked, texts
from benchmarks.cut_model import Texts, read

MATRICES = ("q", "k", "v", "out", "up", "down")
COST = {"q": 1, "k": 1, "v": 1, "out": 1, "up": 4, "down": 4}
"""Products of a layer, in squares of the hidden size."""
E5M2 = torch.float8_e5m2


@dataclass(frozen=True)
class Variant:
    """Variant of 8-bit products.

    `small`: the matrices in 8 bits. `centre`: what is subtracted first (nothing, the mean of a typical batch, or each
    sequence's own mean). `firsts`: first tokens in float16. `layers`: the first and last layer (as shares of the depth) that
    use it.
    """

    small: tuple[str, ...] = MATRICES
    centre: str = "sequence"
    firsts: bool = True
    layers: tuple[float, float] = (0.0, 1.0)
    weights: str = "e4m3"
    tokens: str = "e4m3"
    block: int = 0
    turned: bool = False
    smooth: bool = False
    half: torch.dtype = torch.float16


OLD = Variant(("out", "up", "down"), "typical")
NEW = Variant(("q", "k", "out", "up", "down"))
VARIANTS = {
    "fp16": Variant(()),
    "bf16": Variant((), half=torch.bfloat16),
    "all": Variant(centre="none", firsts=False),
    "all; first tokens": Variant(centre="none"),
    "all; first tokens, typical means": Variant(centre="typical"),
    "version 1: all but qkv": OLD,
    "version 1, only weights rounded": replace(OLD, tokens="whole"),
    "version 1, only tokens rounded": replace(OLD, weights="whole"),
    "version 1, scales of 128": replace(OLD, block=128),
    "version 1, tokens in e5m2": replace(OLD, tokens="e5m2"),
    "version 1, rotated": replace(OLD, turned=True),
    "version 1, ranges folded into weights": replace(OLD, smooth=True),
    "version 1, without first quarter of layers": replace(OLD, layers=(0.25, 1.0)),
    "version 1, without last quarter of layers": replace(OLD, layers=(0.0, 0.75)),
    "up and down": replace(OLD, small=("up", "down")),
    "up": replace(OLD, small=("up",)),
    "down": replace(OLD, small=("down",)),
    "out": replace(OLD, small=("out",)),
    "own means: all": Variant(),
    "own means: all but qk": replace(NEW, small=("v", "out", "up", "down")),
    "own means: all but v": NEW,
    "own means: all but qkv": replace(NEW, small=("out", "up", "down")),
}


class Emulated(nn.Module):
    """Linear layer whose weights and tokens are rounded by a variant."""

    now: Packed

    def __init__(self, linear: nn.Linear, variant: Variant, typical: Tensor, largest: Tensor, small: bool) -> None:
        super().__init__()
        self.variant, self.small, self.typical = variant, small, typical
        self.exact, self.bias = _half(linear.weight.detach(), variant.half), linear.bias.detach()
        self.turn: Tensor | None = None
        self.fold = torch.ones_like(largest)
        if variant.smooth:
            self.fold = (largest.clamp_min(1e-5) / linear.weight.detach().abs().amax(dim=0).clamp_min(1e-5)).sqrt()
        weight = linear.weight.detach() * self.fold
        if variant.turned:
            drawn = torch.randn(len(typical), len(typical), generator=torch.Generator().manual_seed(0))
            self.turn = torch.linalg.qr(drawn)[0]
            weight = weight @ self.turn
        self.weight = _round(weight, variant.weights, variant.block) if small else self.exact

    def forward(self, rows: Tensor) -> Tensor:
        half = self.variant.half
        rows = _half(rows, half)
        if not self.small:
            return _half(functional.linear(rows, self.exact, self.bias), half)
        packed = Emulated.now
        places = packed.places if len(rows) == len(packed.ids) else packed.read_places
        centres = self._centres(rows, places)
        differences = (rows - centres.index_select(0, places.owners)) / self.fold
        differences = differences if self.turn is None else differences @ self.turn
        found = functional.linear(_round(differences, self.variant.tokens, self.variant.block), self.weight)
        found = _half(found, torch.bfloat16)
        found += _half(functional.linear(centres, self.exact, self.bias), half).index_select(0, places.owners)
        if self.variant.firsts:
            exact = functional.linear(rows.index_select(0, places.firsts), self.exact, self.bias)
            found.index_copy_(0, places.firsts, _half(exact, half))
        return found

    def _centres(self, rows: Tensor, places: Places) -> Tensor:
        count = len(places.starts) - 1
        if self.variant.centre != "sequence":
            return (self.typical * (self.variant.centre == "typical")).expand(count, -1)
        return centres_of(exact_rows(rows, places)).float()


class Thirds(nn.Module):
    """Queries, keys and values, each in its own precision."""

    def __init__(self, parts: list[Emulated]) -> None:
        super().__init__()
        self.parts = parts

    def forward(self, rows: Tensor) -> Tensor:
        return torch.cat([part(rows) for part in self.parts], dim=1)


def _half(numbers: Tensor, dtype: torch.dtype) -> Tensor:
    return numbers.to(dtype).float()


def _round(rows: Tensor, how: str, block: int) -> Tensor:
    if how == "whole":
        return rows
    parts = rows.reshape(-1, block) if block and rows.shape[1] % block == 0 else rows
    if how == "e5m2":
        scale = (parts.abs().amax(dim=1, keepdim=True) / 57344).clamp_min(1e-12)
        return ((parts / scale).to(E5M2).float() * scale).view_as(rows)
    small, scale = by_rows(parts)
    return (small.float() * scale).view_as(rows)


@torch.no_grad()
def emulate(encoder: Encoder, variant: Variant) -> None:
    """Replace an encoder's products."""
    seen: dict[int, Tensor] = {}

    def watch(module: nn.Module, given: tuple[Tensor, ...]) -> None:
        seen[id(module)] = given[0]

    linears = [
        (i, name, getattr(layer, name)) for i, layer in enumerate(encoder.layers) for name in ("qkv", *MATRICES[3:])
    ]
    hooks = [linear.register_forward_pre_hook(watch) for _, _, linear in linears]
    for _ in encoder.states(pack(typical_ids(encoder.config.vocabulary), pad=-1)):
        pass
    for hook in hooks:
        hook.remove()
    first, last = (share * encoder.config.layers for share in variant.layers)
    for i, name, linear in linears:
        rows, inside = seen[id(linear)], first <= i < last
        mean, largest = rows.mean(dim=0), rows.abs().amax(dim=0)

        def made(
            part: nn.Linear, matrix: str, mean: Tensor = mean, largest: Tensor = largest, inside: bool = inside
        ) -> Emulated:
            return Emulated(part, variant, mean, largest, inside and matrix in variant.small)

        layer: Any = encoder.layers[i]
        assert isinstance(layer, Layer)
        if name != "qkv":
            setattr(layer, name, made(linear, name))
            continue
        parts = []
        for matrix, weight, bias in zip("qkv", linear.weight.chunk(3), linear.bias.chunk(3), strict=True):
            part = nn.Linear(weight.shape[1], weight.shape[0])
            part.weight.data, part.bias.data = weight.detach(), bias.detach()
            parts.append(made(part, matrix))
        layer.qkv = Thirds(parts)
    states: Any = encoder.states

    def remembered(packed: Packed, last: int | None = None) -> Any:
        Emulated.now = packed
        return states(packed, last)

    encoder.states = remembered  # type: ignore[method-assign]
    encoder.prepack = lambda: None  # type: ignore[method-assign]


def typical_ids(vocabulary: int) -> list[list[int]]:
    """Return sequences of token ids that resemble text: small ids are frequent, as in real vocabularies."""
    drawn = torch.rand(32, 62, generator=torch.Generator().manual_seed(8)) ** 3
    return [[0, *row, 2] for row in (3 + drawn * (vocabulary - 3)).long().tolist()]


def expected(variant: Variant, built: bool = False) -> tuple[float, float]:
    """Return the share of products in 8 bits, and segments per second of XL on an H200 at 240 tokens each."""
    hidden, rows = 2560, 36 * 240
    share = sum(COST[name] for name in variant.small) / 12 * (variant.layers[1] - variant.layers[0])
    products = 2 * 12 * hidden**2 * rows
    seconds = products * (1 - share) / 639e12 + products * share / 1280e12
    exact = variant.firsts + (variant.centre == "sequence")
    seconds += products * share * exact * 3 / 240 / 639e12
    inputs = {"qkv" if name in "qkv" else name for name in variant.small}
    own = variant.centre == "sequence"
    passed = {
        "qkv": 3 + own * (6 if built else 10),
        "out": 3 + own * 2,
        "up": 3 + own * 2,
        "down": -4 + own * 8 * (not built),
    }
    moved = 24 + 16 + sum(passed[name] for name in inputs) * (variant.layers[1] - variant.layers[0])
    seconds += moved * hidden * rows / 3.5e12 + 0.22e-3
    return share, 1 / seconds


def scores(predictor: Predictor, rows: Texts, alone: bool) -> NDArray[np.float64]:
    found = predictor.predict(rows[1], None if alone else rows[0], rows[2])
    return np.array([found.components[name] for name in (["ref"] if alone else PASSES)], dtype=np.float64)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--trained", metavar="FILE", help="a model of benchmarks/cut_model.py (default: random weights)"
    )
    parser.add_argument("--segments", type=int, default=512)
    parser.add_argument("--layers", type=int, default=12)
    parser.add_argument("--hidden", type=int, default=384)
    parser.add_argument("--reference-only", action="store_true", help="one pass of three: a quarter of the time")
    parser.add_argument("--only", nargs="+", metavar="VARIANT", default=("built", *VARIANTS))
    args = parser.parse_args()
    if args.trained:
        loaded, rows = read(args.trained)
    else:
        config = EncoderConfig("xlm-roberta-xl", args.hidden, args.layers, args.hidden // 64, 4 * args.hidden, 30_000)
        loaded = LoadedCheckpoint(random_model(config, torch.device("cpu")), Numbers(30_000), "random")  # type: ignore[arg-type]
        rows = texts(args.segments)
    rows = rows[0][: args.segments], rows[1][: args.segments], rows[2][: args.segments]

    def fresh(dtype: torch.dtype, variant: Variant | None = None) -> NDArray[np.float64]:
        model = copy.deepcopy(loaded.model)
        if variant is not None:
            assert isinstance(model.encoder, Encoder)
            emulate(model.encoder.eval(), variant)
        return scores(Predictor(replace(loaded, model=model), dtype=dtype), rows, args.reference_only)

    exact = fresh(torch.float32)
    print(f"{len(rows[0])} segments; passes spread by {', '.join(f'{spread:.1e}' for spread in exact.std(axis=1))}")
    print(f"{'':44} {'8 bits':>6} {'score':>7} {'passes':>20} {'noise':>6} {'XL/s':>5}", flush=True)
    for name in args.only:
        started = time.monotonic()
        found = fresh(FP8) if name == "built" else fresh(torch.float32, VARIANTS[name])
        share, rate = expected(NEW if name == "built" else VARIANTS[name], name == "built")
        error, whole = found.mean(axis=0), exact.mean(axis=0)
        passes = " ".join(f"{ranked(one, other):.4f}" for one, other in zip(found, exact, strict=True))
        noise = np.std(error - whole) / np.std(whole)
        print(
            f"{name:44} {share:6.0%} {ranked(error, whole):7.4f} {passes:>20} {noise:6.3f} {rate:5.0f}"
            f"   ({time.monotonic() - started:.0f} s)",
            flush=True,
        )


if __name__ == "__main__":
    main()
