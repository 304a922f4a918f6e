"""Rounding: 4-bit codes with one scale for 32 weights (embeddings), 8-bit rows with one scale each (matrices)."""

from __future__ import annotations

import torch
from torch import Tensor

BLOCK = 32
_RANGES = (-8.0, -7.4, -6.8, 7.0, 7.6)
"""Codes that the largest weight of a block is tried at; the one with the least squared error is taken."""


def four_bits(weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Codes from 0 to 15 (blocks, 32), half-precision scales (blocks), and the rounded weights in the shape given."""
    blocks = weights.detach().float().reshape(-1, BLOCK)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    best_error = torch.full_like(largest, torch.inf)
    best_codes, best_scale = torch.zeros_like(blocks), torch.zeros_like(largest)
    for code in _RANGES:
        scale = (largest / code).half().float()
        codes = (blocks / torch.where(scale == 0, 1.0, scale)).round().clamp(-8, 7)
        error = ((codes * scale - blocks) ** 2).sum(1, keepdim=True)
        better = error < best_error
        best_error = torch.where(better, error, best_error)
        best_codes = torch.where(better, codes, best_codes)
        best_scale = torch.where(better, scale, best_scale)
    return (best_codes + 8).to(torch.uint8), best_scale[:, 0].half(), (best_codes * best_scale).reshape(weights.shape)


def nibbles(codes: Tensor) -> Tensor:
    """Codes (blocks, 32) as bytes (blocks, 16): the first sixteen in the low halves, the others in the high ones."""
    return codes[:, : BLOCK // 2] | (codes[:, BLOCK // 2 :] << 4)


def eight_bits(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Codes from -127 to 127 and a half-precision scale for each row."""
    rows = weights.detach().float()
    scale = (rows.abs().amax(1) / 127).half()
    scale[scale == 0] = 1
    return (rows / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8), scale
