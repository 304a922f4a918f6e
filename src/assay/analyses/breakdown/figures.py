"""Macro-F1 and Matthews correlation of a verdict, with bootstrap draws, and their means over languages."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.analyses.breakdown.verdicts import COIN, Setup, Verdict
from assay.stats.classification import (
    coin,
    draw,
    macro_f1,
    matthews,
)
from assay.stats.resampling import percentile_interval


def generator(seed: int, *names: str) -> np.random.Generator:
    """A generator that depends on the seed and on names, and on nothing drawn before."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])


def figures(verdict: Verdict, seed: int, samples: int) -> dict[str, Any]:
    """Macro-F1 and Matthews correlation on the test part, with draws of each."""
    drawn = draw(verdict.counts, generator(seed, verdict.setup.task, verdict.setup.language), samples)
    return {
        "f1": (float(macro_f1(verdict.counts)), macro_f1(drawn)),
        "mcc": (float(matthews(verdict.counts)), matthews(drawn)),
    }


def coin_figures(setup: Setup, good: int, bad: int, seed: int) -> dict[str, Any]:
    """The same for a coin."""
    f1, mcc = coin(good, bad, generator(seed, COIN, setup.task, setup.language))
    return {"f1": (float(f1.mean()), f1), "mcc": (float(mcc.mean()), mcc)}


def cells_of(figures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean over setups of each figure, with the interval of the mean."""
    cells: dict[str, Any] = {}
    for key in ("f1", "mcc"):
        cells[key] = float(np.mean([figure[key][0] for figure in figures]))
        cells[f"{key}_low"], cells[f"{key}_high"] = percentile_interval(
            np.mean([figure[key][1] for figure in figures], axis=0)
        )
    return cells
