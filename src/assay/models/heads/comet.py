"""The official COMET classes: regression models embed each text by itself, unified models read all in one sequence.

Regression: COMET-20 to COMET-22 (Rei et al. 2020, 2022), COMET-QE and COMET-RANK. Unified: UniTE, CometKiwi and xCOMET.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.core.errors import InputError
from assay.models.encoders.config import EncoderConfig, ModelConfig
from assay.models.heads.base import CometModel
from assay.models.runtime.packing import Packed


class RegressionModel(CometModel):
    """Source, translation and reference are embedded separately; the estimator reads them, their products and distances."""

    features = 6

    def embed(self, packed: Packed) -> Tensor:
        """One vector a text."""
        return self.encode(packed)[0]

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        """Scores from the embeddings."""
        assert reference is not None
        parts = [hypothesis, reference, hypothesis * reference, (hypothesis - reference).abs()]
        parts += [hypothesis * source, (hypothesis - source).abs()]
        return self.estimator(torch.cat(parts, dim=1))  # type: ignore[no-any-return]


class ReferencelessModel(RegressionModel):
    """The same without a reference: quality estimation."""

    features = 4

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        """Scores from the embeddings; a reference is not looked at."""
        parts = [hypothesis, source, hypothesis * source, (hypothesis - source).abs()]
        return self.estimator(torch.cat(parts, dim=1))  # type: ignore[no-any-return]


class RankingModel(RegressionModel):
    """COMET-RANK (Rei et al. 2020, section 2.5): no estimator, but how near the translation lies to source and reference."""

    def __init__(self, config: ModelConfig, encoder: EncoderConfig) -> None:
        super().__init__(config, encoder)
        del self.estimator

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        """1 / (1 + d), d being the harmonic mean of the distances to source and reference."""
        assert reference is not None
        to_source = functional.pairwise_distance(hypothesis, source)
        to_reference = functional.pairwise_distance(hypothesis, reference)
        return 1 / (1 + 2 * to_source * to_reference / (to_source + to_reference))


@dataclass(frozen=True, slots=True)
class UnifiedOutput:
    """`scores`, one a sequence; `logits` (tokens, labels), one row a token, for models that tag."""

    scores: Tensor
    logits: Tensor | None = None


class UnifiedModel(CometModel):
    """A sentence score from the first token and, where trained for it, a severity for every token."""

    def __init__(self, config: ModelConfig, encoder: EncoderConfig) -> None:
        super().__init__(config, encoder)
        self.tagger: nn.Linear | None = None
        if config.labels:
            if not 0 <= config.word_layer <= encoder.layers:
                raise InputError(f"word_layer {config.word_layer} is not one of the encoder's 0 to {encoder.layers}.")
            self.tagger = nn.Linear(encoder.hidden, len(config.labels))

    def forward(self, packed: Packed) -> UnifiedOutput:
        """Scores and tags of sequences ``<s> translation </s></s> other texts </s>``."""
        sentence, words = self.encode(packed, self.config.word_layer if self.tagger is not None else None)
        logits: Tensor | None = None
        if self.tagger is not None and words is not None:
            with torch.autocast(words.device.type, enabled=False):
                logits = self.tagger(words.float())
        return UnifiedOutput(self.estimator(sentence), logits)


class XcometModel(UnifiedModel):
    """xCOMET: the unified model whose final score also counts the error spans (equations 5 to 7; `heads.prediction`)."""


MODELS: dict[str, type[CometModel]] = {
    "regression_metric": RegressionModel,
    "referenceless_regression_metric": ReferencelessModel,
    "ranking_metric": RankingModel,
    "unified_metric": UnifiedModel,
    "xcomet_metric": XcometModel,
}


def build_model(config: ModelConfig, encoder: EncoderConfig) -> CometModel:
    """The model class that the configuration names, with fresh weights."""
    return MODELS[config.class_identifier](config, encoder)
