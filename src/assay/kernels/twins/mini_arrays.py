"""Small functions of arrays that assay-mini's twin is written with."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from assay.kernels.twins.mini_text import Cover

Floats = NDArray[np.float32]


def three(x: Floats, aligned: Floats) -> Floats:
    """What a vector and the one aligned to it have to say to each other."""
    return np.concatenate([aligned, x * aligned, np.abs(x - aligned)], axis=1)


def spread(near: Sequence[Floats]) -> list[Floats]:
    """Similarities as the head reads them: deeper ones lie close to 0.8 and are drawn apart."""
    return [near[0], *((each - np.float32(0.8)) * 4 for each in near[1:])]


def shares(covered: Cover | None, rows: int) -> Floats:
    """The cover of every piece from 0 to 1; nothing for a mark that stands for an empty text."""
    out = np.zeros((rows, 4), np.float32)
    if covered is not None:
        out[: len(covered.pieces)] = covered.pieces / np.float32(255)
    return out


def cosine(a: Floats, b: Floats) -> float:
    """The cosine of two vectors; 0 where one is nothing."""
    return float(a @ b / max(float(np.linalg.norm(a)) * float(np.linalg.norm(b)), 1e-8))


def unit(x: Floats) -> Floats:
    """Rows of length 1."""
    return np.asarray(x / np.maximum(np.linalg.norm(x, axis=-1, keepdims=True), 1e-12), np.float32)


def softmax(x: Floats) -> Floats:
    """Shares that sum to 1 along the last axis."""
    powers = np.exp(x - x.max(axis=-1, keepdims=True))
    return np.asarray(powers / powers.sum(axis=-1, keepdims=True), np.float32)


def gelu(x: Floats) -> Floats:
    """x times the normal distribution's cumulative probability of x."""
    erf = np.frompyfunc(math.erf, 1, 1)(x / math.sqrt(2)).astype(np.float32)
    return np.asarray(x * (1 + erf) / 2, np.float32)


def softplus(x: Floats) -> Floats:
    """log(1 + exp(x))."""
    return np.logaddexp(np.float32(0), x)


def sigmoid(x: Floats) -> Floats:
    """A probability out of its logit."""
    return np.asarray(1 / (1 + np.exp(-x)), np.float32)
