"""What a permutation test draws: which judged cells of two metrics change places, and sums over them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

import numpy as np

from assay.core.errors import InputError
from assay.kernels import _native
from assay.stats.groups import Groups

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.stats.groups import Floats

    Bools = NDArray[np.bool_]
    Random = np.random.Generator | np.random.RandomState

Swap = Literal["cells", "inputs", "systems", "both"]


def swaps(rng: Random, groups: Groups, draws: int, swap: Swap, everywhere: bool = False) -> Bools:
    """Which judged cells are swapped, for every draw."""
    systems, items = groups.shape
    if swap == "cells":
        if everywhere:
            return _coins(rng, draws, systems * items, swap)[:, groups.cells]
        return _coins(rng, draws, len(groups.gold), swap)
    if swap == "systems":
        return _coins(rng, draws, systems, swap)[:, groups.systems]
    if swap == "inputs":
        return _coins(rng, draws, items, swap)[:, groups.items]
    if swap != "both":
        raise InputError(f"swap {swap!r} is none of cells, inputs, systems, both.")
    flips = _coins(rng, draws, systems + items, swap)
    return np.asarray(flips[:, groups.systems] ^ flips[:, systems + groups.items])


def _coins(rng: Random, draws: int, units: int, swap: Swap) -> Bools:
    if isinstance(rng, np.random.RandomState):
        return np.asarray(
            rng.binomial(1, 0.5, (draws, units)) == 0 if swap == "cells" else rng.rand(draws, units) > 0.5
        )
    noise = np.frombuffer(rng.bytes(draws * ((units + 7) // 8)), np.uint8).reshape(draws, -1)
    return np.unpackbits(noise, axis=1, count=units).astype(bool)


def masked_sums(masks: Bools, rows: Floats) -> Floats:
    """The sum of each row's cells under each mask (masks by rows), in an order that does not depend on the machine."""
    packed = np.packbits(masks, axis=1, bitorder="little")
    return _native.masked_sums(np.ascontiguousarray(packed.T), np.ascontiguousarray(rows))
