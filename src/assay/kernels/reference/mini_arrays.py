"""Array functions of the reference implementation of assay-mini."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.kernels.reference.mini_text import Cover

Floats = NDArray[np.float32]


def three(x: Floats, aligned: Floats) -> Floats:
    """Return the aligned vector, its product with `x`, and their distance."""
    return np.concatenate([aligned, x * aligned, np.abs(x - aligned)], axis=1)


def spread(near: Sequence[Floats]) -> list[Floats]:
    """Return similarities scaled for the head: those of deeper layers are close to 0.8 and are spread."""
    return [near[0], *((each - np.float32(0.8)) * 4 for each in near[1:])]


def shares(covered: Cover | None, rows: int) -> Floats:
    """Return the coverage of every token from 0 to 1, or zeros for the token of an empty text."""
    out = np.zeros((rows, 4), np.float32)
    if covered is not None:
        out[: len(covered.pieces)] = covered.pieces / np.float32(255)
    return out


def cosine(a: Floats, b: Floats) -> float:
    """Return the cosine of two vectors; 0 if one of them is zero."""
    return float(a @ b / max(float(np.linalg.norm(a)) * float(np.linalg.norm(b)), 1e-8))


def unit(x: Floats) -> Floats:
    """Return rows scaled to length 1."""
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12), np.float32)


def softmax(x: Floats) -> Floats:
    """Return the softmax along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def gelu(x: Floats) -> Floats:
    """Return x times the cumulative normal probability of x."""
    erf = np.frompyfunc(math.erf, 1, 1)(x / math.sqrt(2)).astype(np.float32)
    return np.asarray(x * (1 + erf) / 2, np.float32)


def softplus(x: Floats) -> Floats:
    """Return log(1 + exp(x))."""
    return np.logaddexp(np.float32(0), x)


def sigmoid(x: Floats) -> Floats:
    """Return the probability for a logit."""
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)
