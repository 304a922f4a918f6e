"""int8 on a CPU: the weights of an encoder's blocks as whole numbers with a scale for each row, a quarter of their size.

What they multiply is rounded to int8 token by token, so that a score does not depend on what else is in the batch; the product of
whole numbers is exact.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from assay.core.errors import InputError
from assay.models.encoder import Encoder, Layer


class Int8Linear(nn.Module):
    """A linear layer in int8, from one in float32."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach().float()
        self.scale = (weight.abs().amax(1) / 127).clamp_min(1e-12)
        self.codes = (weight / self.scale[:, None]).round().to(torch.int8).t().contiguous()
        self.bias = linear.bias.detach().float()

    def forward(self, hidden: Tensor) -> Tensor:
        """The product in whole numbers, scaled back."""
        wide = hidden.float()
        scale = (wide.abs().amax(1, keepdim=True) / 127).clamp_min(1e-12)
        product = torch._int_mm((wide / scale).round_().to(torch.int8), self.codes)
        return product.float().mul_(scale).mul_(self.scale).add_(self.bias)


def quantise(encoder: Encoder) -> None:
    """Put int8 products in the place of the four linear layers of every block; embeddings, norms and heads stay in float32."""
    if encoder.words.weight.device.type != "cpu":
        raise InputError("precision=int8 is for the CPU. On a GPU take fp16 or bf16 (or device=cpu).")
    for layer in encoder.layers:
        assert isinstance(layer, Layer)
        layer.fast = None
        for name in ("qkv", "out", "up", "down"):
            setattr(layer, name, Int8Linear(getattr(layer, name)))
