"""The log-probability of one word a row, without keeping the distributions over the vocabulary."""

from __future__ import annotations

import torch
from torch import Tensor, nn
from torch.nn import functional

KEPT, KEPT_ON_GPU = 1 << 25, 1 << 28
"""Products (rows x vocabulary) that lie in memory at a time."""


def log_shares(hidden: Tensor, head: nn.Linear, asked: Tensor, scale: float = 1.0) -> Tensor:
    """log softmax(scale x (head of `hidden`)) at `asked`, one float32 a row."""
    words = head.weight.shape[0]
    rows = max(16, (KEPT_ON_GPU if hidden.is_cuda else KEPT) // words)
    parts = [
        _shares(states, head, wanted, scale)
        for states, wanted in zip(torch.split(hidden, rows), torch.split(asked, rows), strict=True)
    ]
    return parts[0] if len(parts) == 1 else torch.cat(parts)


def _shares(hidden: Tensor, head: nn.Linear, asked: Tensor, scale: float) -> Tensor:
    products = functional.linear(hidden, head.weight, head.bias)
    if products.dtype == torch.float32:
        products = products if scale == 1.0 else products * scale
        return products.gather(1, asked[:, None]).squeeze(1) - torch.logsumexp(products, dim=1)
    # In half precision the asked product is computed once more in float32; in the sum over all words rounding evens out.
    own = (hidden.float() * head.weight[asked].float()).sum(1)
    if head.bias is not None:
        own = own + head.bias[asked].float()
    return own * scale - torch.logsumexp(products.float() * scale, dim=1)
