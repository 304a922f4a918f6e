"""COMET models: the base class with encoder, layer mix and estimator, and the five official classes.

Regression models embed each text separately: COMET-20 to COMET-22 (Rei et al. 2020, 2022), COMET-QE and COMET-RANK.
Unified models read all texts in one sequence: UniTE, CometKiwi and xCOMET.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.core.errors import InputError
from assay.models.encoders.config import EncoderConfig, ModelConfig
from assay.models.encoders.pretrained import StateEncoder, build_encoder
from assay.models.runtime.packing import Packed, segment_max, segment_sum


class CometModel(nn.Module):
    """Base class of the five official classes. Heads and pooling run in float32 whatever the encoder's precision."""

    features = 1
    """Number of vectors of the encoder's width that the estimator reads."""

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
                f"layer {config.layer!r} in the hyperparameters is neither mix nor a layer from 0 to {encoder.layers}."
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
            raise InputError(f"pool {self.pool!r} in the hyperparameters must be cls, avg, max or default.")
        self._plan: tuple[float, ...] | None = None

    @property
    def _reads_leading_tokens(self) -> bool:
        """Whether only the tagged tokens and the first token of each sequence are read from the last layer."""
        return self.pool == "cls" and not (self.mix is not None and self.mix.layer_norm)

    @property
    def device(self) -> torch.device:
        return next(self.parameters()).device

    def prepare(self, dtype: torch.dtype = torch.float32) -> None:
        """Prepare for inference: convert the encoder to `dtype` and compute the shares of the layers once."""
        self.eval()
        self.requires_grad_(False)
        self.encoder.cast(dtype)
        self.encoder.prepack()
        self._plan = tuple(self.mix.shares().tolist()) if self.mix is not None else None

    def train(self, mode: bool = True) -> CometModel:
        """Set the training mode and drop the shares that `prepare` computed, since training changes them."""
        self._plan = None
        super().train(mode)
        return self

    def encode(self, packed: Packed, word_layer: int | None = None) -> tuple[Tensor, Tensor | None]:
        """Return one pooled vector per sequence (float32), and the states of `word_layer` for every token that is read.

        The mix is linear, so each layer is pooled at once and none is retained. Layers with share 0 and layers above the last
        one in use are not computed.
        """
        shares, used = self._shares()
        last = max(used) if word_layer is None else max(*used, word_layer)
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
            if index in used and self.pool != "default":
                part = shares[index] * self._reduce(hidden, packed, selected)
                total = part if total is None else total + part
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
        """Pool one layer over each sequence, after normalising it if the mix requires that.

        Max pooling, which is not linear, returns all tokens.
        """
        norm = self.mix is not None and self.mix.layer_norm
        mean, scale = _statistics(hidden, packed) if norm else (None, None)
        if self.pool == "cls":
            pooled = hidden[packed.firsts_of(selected)].float()
        elif self.pool == "avg":
            unpadded = hidden if packed.keep is None else hidden * packed.keep[:, None]
            pooled = segment_sum(unpadded, packed) / packed.lengths[:, None]
            if mean is not None and packed.keep is not None:
                mean = mean * (segment_sum(packed.keep, packed) / packed.lengths)
        else:
            pooled = hidden.float()
            if mean is not None and scale is not None:
                mean, scale = packed.of_tokens(mean), packed.of_tokens(scale)
        return pooled if mean is None or scale is None else (pooled - mean[:, None]) / scale[:, None]


def _statistics(hidden: Tensor, packed: Packed) -> tuple[Tensor, Tensor]:
    """Return mean and standard deviation over all tokens and units of each sequence."""
    count = packed.lengths * hidden.shape[1]
    mean = segment_sum(hidden.float().sum(1), packed) / count
    centred = hidden.float() - packed.of_tokens(mean)[:, None]
    variance = segment_sum(centred.square().sum(1), packed) / count
    return mean, torch.sqrt(variance + 1e-12)


def sparsemax(scores: Tensor) -> Tensor:
    """Project a vector onto the probability simplex (Martins and Astudillo 2016, algorithm 1); many weights become 0."""
    ordered = torch.sort(scores, descending=True).values
    ranks = torch.arange(1, len(scores) + 1, device=scores.device, dtype=scores.dtype)
    sums = ordered.cumsum(0) - 1
    support = (ranks * ordered > sums).sum()
    threshold = sums[support - 1] / support.to(scores.dtype)
    return torch.clamp(scores - threshold, min=0)


class LayerMix(nn.Module):
    """Learned weighted sum of all layers, with softmax or sparsemax over the weights (xCOMET and earlier models).

    With `layer_norm`, each layer is first normalised over all tokens and units of its sequence. During training, a layer is
    left out with probability `dropout`, and its share is distributed among the others.
    """

    def __init__(self, layers: int, *, transformation: str = "softmax", layer_norm: bool = False, dropout: float = 0.0):
        super().__init__()
        self.weights = nn.Parameter(torch.zeros(layers))
        self.gamma = nn.Parameter(torch.ones(1))
        self.transformation, self.layer_norm, self.dropout = transformation, layer_norm, dropout

    def shares(self) -> Tensor:
        """Return each layer's share in the mix. ``sparsemax_patch`` marks checkpoints that were trained with softmax."""
        weights: Tensor = self.weights
        if self.training and self.dropout:
            retained = torch.rand(len(weights), device=weights.device) > self.dropout
            weights = torch.where(retained, weights, torch.full_like(weights, -1e20))
        if self.transformation == "sparsemax":
            return sparsemax(weights)
        return torch.softmax(weights, dim=0)


class FeedForward(nn.Module):
    """Estimator: linear layers with an activation and dropout between them, and one output."""

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
        """Map (sequences, features) to one number per sequence, in float32 even if the encoder trains in bfloat16."""
        with torch.autocast(features.device.type, enabled=False):
            return self.ff(features.float()).view(-1)  # type: ignore[no-any-return]


def activation(name: str) -> nn.Module:
    """Return torch's activation for this name. The official package uses both ``tanh`` and ``Tanh``."""
    layer = getattr(nn, name.title(), None)
    if not (isinstance(layer, type) and issubclass(layer, nn.Module)):
        raise InputError(f"{name!r} in the hyperparameters is not an activation of torch.")
    return layer()


class RegressionModel(CometModel):
    """Regression model whose estimator reads the embeddings of the texts, their products and their distances."""

    features = 6

    def embed(self, packed: Packed) -> Tensor:
        return self.encode(packed)[0]

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        assert reference is not None
        parts = [hypothesis, reference, hypothesis * reference, (hypothesis - reference).abs()]
        parts += [hypothesis * source, (hypothesis - source).abs()]
        return self.estimator(torch.cat(parts, dim=1))  # type: ignore[no-any-return]


class ReferencelessModel(RegressionModel):
    """Regression model without a reference, for quality estimation."""

    features = 4

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        """Return scores computed from the embeddings; a reference is ignored."""
        parts = [hypothesis, source, hypothesis * source, (hypothesis - source).abs()]
        return self.estimator(torch.cat(parts, dim=1))  # type: ignore[no-any-return]


class RankingModel(RegressionModel):
    """COMET-RANK (Rei et al. 2020, section 2.5): based on the translation's distances from source and reference, without an
    estimator.
    """

    def __init__(self, config: ModelConfig, encoder: EncoderConfig) -> None:
        super().__init__(config, encoder)
        del self.estimator

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        """Return 1 / (1 + d), where d is the harmonic mean of the distances from source and reference."""
        assert reference is not None
        to_source = functional.pairwise_distance(hypothesis, source)
        to_reference = functional.pairwise_distance(hypothesis, reference)
        return 1 / (1 + 2 * to_source * to_reference / (to_source + to_reference))


@dataclass(frozen=True, slots=True)
class UnifiedOutput:
    """Output of a unified model: `scores` per sequence and, for models with a tagger, `logits` (tokens, labels)."""

    scores: Tensor
    logits: Tensor | None = None


class UnifiedModel(CometModel):
    """Model that returns a sentence score from the first token and, if it was trained for it, a severity for every token."""

    def __init__(self, config: ModelConfig, encoder: EncoderConfig) -> None:
        super().__init__(config, encoder)
        self.tagger: nn.Linear | None = None
        if config.labels:
            if not 0 <= config.word_layer <= encoder.layers:
                raise InputError(f"word_layer {config.word_layer} is not one of the encoder's 0 to {encoder.layers}.")
            self.tagger = nn.Linear(encoder.hidden, len(config.labels))

    def forward(self, packed: Packed) -> UnifiedOutput:
        """Return scores and tags for sequences ``<s> translation </s></s> other texts </s>``."""
        sentence, words = self.encode(packed, self.config.word_layer if self.tagger is not None else None)
        logits: Tensor | None = None
        if self.tagger is not None and words is not None:
            with torch.autocast(words.device.type, enabled=False):
                logits = self.tagger(words.float())
        return UnifiedOutput(self.estimator(sentence), logits)


class XcometModel(UnifiedModel):
    """xCOMET, a unified model whose final score includes the error spans (equations 5 to 7; `heads.prediction`)."""


MODELS: dict[str, type[CometModel]] = {
    "regression_metric": RegressionModel,
    "referenceless_regression_metric": ReferencelessModel,
    "ranking_metric": RankingModel,
    "unified_metric": UnifiedModel,
    "xcomet_metric": XcometModel,
}


def build_model(config: ModelConfig, encoder: EncoderConfig) -> CometModel:
    """Return a model of the configured class with newly initialised weights."""
    return MODELS[config.class_identifier](config, encoder)
