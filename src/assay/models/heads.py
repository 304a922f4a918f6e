"""What stands on an encoder: the mix of its layers, the feed-forward estimator, and sparsemax."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn

from assay.core.errors import InputError


def sparsemax(scores: Tensor) -> Tensor:
    """Projection of a vector onto the probability simplex (Martins and Astudillo 2016, algorithm 1): many weights become 0."""
    ordered = torch.sort(scores, descending=True).values
    ranks = torch.arange(1, len(scores) + 1, device=scores.device, dtype=scores.dtype)
    sums = ordered.cumsum(0) - 1
    support = (ranks * ordered > sums).sum()
    threshold = sums[support - 1] / support.to(scores.dtype)
    return torch.clamp(scores - threshold, min=0)


class LayerMix(nn.Module):
    """A learned weighted sum of all layers (xCOMET and its forebears), with softmax or sparsemax over the weights.

    With `layer_norm` each layer is first normalised over all tokens and units of its sequence. In training a layer is left
    out with probability `dropout` and the others take its share.
    """

    def __init__(self, layers: int, *, transformation: str = "softmax", layer_norm: bool = False, dropout: float = 0.0):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(1))
        self.transformation, self.layer_norm, self.dropout = transformation, layer_norm, dropout

    def shares(self) -> Tensor:
        """How much of each layer goes into the mix. ``sparsemax_patch`` marks checkpoints that were trained with softmax."""
        weights: Tensor = self.weights
        if self.training and self.dropout:
            kept = torch.rand(len(weights), device=weights.device) > self.dropout
            weights = torch.where(kept, weights, torch.full_like(weights, -1e20))
        if self.transformation == "sparsemax":
            return sparsemax(weights)
        return torch.softmax(weights, dim=0)


class FeedForward(nn.Module):
    """The estimator: linear layers with an activation and dropout between them, one number out."""

    def __init__(
        self,
        inputs: int,
        hidden_sizes: Sequence[int],
        *,
        activations: str = "Tanh",
        final_activation: str | None = None,
        dropout: float = 0.1,
    ) -> None:
        super().__init__()
        modules: list[nn.Module] = []
        for size in hidden_sizes:
            modules += [nn.Linear(inputs, size), activation(activations), nn.Dropout(dropout)]
            inputs = size
        modules.append(nn.Linear(inputs, 1))
        if final_activation is not None:
            modules.append(activation(final_activation))
        self.ff = nn.Sequential(*modules)

    def forward(self, features: Tensor) -> Tensor:
        """(sequences, features) to one number a sequence, in float32 even where the encoder trains in bfloat16."""
        with torch.autocast(features.device.type, enabled=False):
            return self.ff(features.float()).view(-1)  # type: ignore[no-any-return]


def activation(name: str) -> nn.Module:
    """The activation that torch has under this name; the official package writes ``tanh`` and ``Tanh`` alike."""
    found = getattr(nn, name.title(), None)
    if not (isinstance(found, type) and issubclass(found, nn.Module)):
        raise InputError(f"{name!r} in the hyperparameters is no activation that torch knows.")
    return found()
