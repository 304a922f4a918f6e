"""What all metric models share: an encoder, the mix of its layers, and one pooled vector a sequence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Protocol

import torch
from torch import Tensor, nn

from assay.core.errors import InputError
from assay.models.config import EncoderConfig, ModelConfig
from assay.models.encoder import Encoder
from assay.models.heads import FeedForward, LayerMix
from assay.models.packing import Packed, segment_max, segment_sum


class StateEncoder(Protocol):
    """What a model needs of an encoder."""

    config: EncoderConfig

    def states(self, packed: Packed, last: int | None = None) -> Iterator[Tensor]:
        """Hidden states of a packed batch, layer by layer."""

    def cast(self, dtype: torch.dtype) -> None:
        """The precision of the matrix products."""

    def prepack(self) -> None:
        """Weights laid out for inference, where that helps."""


class CometModel(nn.Module):
    """Base of the five official classes. Heads and pooling run in float32 whatever the encoder's precision."""

    features = 1
    """Vectors of the encoder's size that the estimator reads."""

    def __init__(self, config: ModelConfig, encoder: EncoderConfig) -> None:
        super().__init__()
        self.config, self.encoder_config = config, encoder
        self.encoder: StateEncoder = build_encoder(encoder)
        self.mix: LayerMix | None = None
        if config.layer == "mix":
            self.mix = LayerMix(
                encoder.layers + 1,
                transformation=config.layer_transformation,
                layer_norm=config.layer_norm,
                dropout=config.dropout,
            )
        elif not (isinstance(config.layer, int) and 0 <= config.layer <= encoder.layers):
            raise InputError(
                f"layer {config.layer!r} in the hyperparameters is not one of 0 to {encoder.layers} or mix."
            )
        self.estimator = FeedForward(
            encoder.hidden * self.features,
            config.hidden_sizes,
            activations=config.activations,
            final_activation=config.final_activation,
            dropout=config.dropout,
        )
        self.pool = "cls" if config.unified else config.pool
        if self.pool not in ("cls", "avg", "max", "default"):
            raise InputError(f"pool {self.pool!r} in the hyperparameters is none of cls, avg, max or default.")
        self._plan: tuple[float, ...] | None = None

    @property
    def _reads_leading_tokens(self) -> bool:
        """Whether a sequence's first token gives its vector, so that of the last layer only what is tagged is read besides."""
        return self.pool == "cls" and not (self.mix is not None and self.mix.layer_norm)

    @property
    def device(self) -> torch.device:
        """Where the weights are."""
        return next(self.parameters()).device

    def prepare(self, dtype: torch.dtype = torch.float32) -> None:
        """Make ready for inference: the encoder in `dtype`, and the shares of the layers known once and for all."""
        self.eval()
        self.requires_grad_(False)
        self.encoder.cast(dtype)
        self.encoder.prepack()
        self._plan = tuple(self.mix.shares().tolist()) if self.mix is not None else None

    def train(self, mode: bool = True) -> CometModel:
        """Training mode; forgets what `prepare` found, since the shares move again."""
        self._plan = None
        super().train(mode)
        return self

    def encode(self, packed: Packed, word_layer: int | None = None) -> tuple[Tensor, Tensor | None]:
        """One pooled vector a sequence (float32), and the hidden states of `word_layer` for every token that is read.

        The mix is linear, so each layer is pooled as it comes and none is kept; layers whose share is 0, and layers above
        the last one that counts, cost nothing.
        """
        shares, wanted = self._shares()
        last = max(wanted) if word_layer is None else max(*wanted, word_layer)
        if self.pool == "default":
            last = self.encoder_config.layers
        total: Tensor | None = None
        words: Tensor | None = None
        hidden: Tensor | None = None
        computed = packed if self._reads_leading_tokens else replace(packed, read=None)
        for index, hidden in enumerate(self.encoder.states(computed, last)):
            selected = index == last and computed.read is not None
            if index == word_layer:
                words = hidden if selected else packed.select(hidden)
            if index in wanted and self.pool != "default":
                piece = shares[index] * self._reduce(hidden, packed, selected)
                total = piece if total is None else total + piece
        if self.pool == "default":
            assert hidden is not None
            return hidden[packed.firsts].float(), words
        assert total is not None
        if self.mix is not None:
            total = self.mix.gamma * total
        if self.pool == "max":
            if packed.keep is not None:
                total = total.masked_fill(packed.keep[:, None] == 0, -torch.inf)
            return segment_max(total, packed), words
        return total, words

    def _shares(self) -> tuple[Tensor | tuple[float, ...], frozenset[int]]:
        count = self.encoder_config.layers + 1
        if self.mix is None:
            assert isinstance(self.config.layer, int)
            return tuple(float(i == self.config.layer) for i in range(count)), frozenset({self.config.layer})
        if self._plan is not None:
            return self._plan, frozenset(i for i, share in enumerate(self._plan) if share) or frozenset({0})
        return self.mix.shares(), frozenset(range(count))

    def _reduce(self, hidden: Tensor, packed: Packed, selected: bool) -> Tensor:
        """One layer pooled over each sequence (for max, which is not linear: every token as it is), normalised where asked."""
        norm = self.mix is not None and self.mix.layer_norm
        mean, scale = _statistics(hidden, packed) if norm else (None, None)
        if self.pool == "cls":
            pooled = hidden[packed.firsts_of(selected)].float()
        elif self.pool == "avg":
            kept = hidden if packed.keep is None else hidden * packed.keep[:, None]
            pooled = segment_sum(kept, packed) / packed.lengths[:, None]
            if mean is not None and packed.keep is not None:
                mean = mean * (segment_sum(packed.keep, packed) / packed.lengths)
        else:
            pooled = hidden.float()
            if mean is not None and scale is not None:
                mean, scale = packed.of_tokens(mean), packed.of_tokens(scale)
        return pooled if mean is None or scale is None else (pooled - mean[:, None]) / scale[:, None]


def _statistics(hidden: Tensor, packed: Packed) -> tuple[Tensor, Tensor]:
    """Mean and standard deviation over all tokens and units of each sequence."""
    count = packed.lengths * hidden.shape[1]
    mean = segment_sum(hidden.float().sum(1), packed) / count
    centred = hidden.float() - packed.of_tokens(mean)[:, None]
    variance = segment_sum(centred.square().sum(1), packed) / count
    return mean, torch.sqrt(variance + 1e-12)


def build_encoder(config: EncoderConfig) -> StateEncoder:
    """An encoder of this shape with fresh weights: ours, or the one that transformers makes."""
    if config.family == "other":
        from assay.models.foreign import ForeignEncoder

        return ForeignEncoder(config)
    return Encoder(config)
