"""Official COMET classes: regression models embed each text separately, unified models read all texts in one sequence.

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
    """Regression model whose estimator reads the embeddings of the texts, their products and their distances."""

    features = 6

    def embed(self, packed: Packed) -> Tensor:
        """Return one vector per text."""
        return self.encode(packed)[0]

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        """Return scores from the embeddings."""
        assert reference is not None
        parts = [hypothesis, reference, hypothesis * reference, (hypothesis - reference).abs()]
        parts += [hypothesis * source, (hypothesis - source).abs()]
        return self.estimator(torch.cat(parts, dim=1))  # type: ignore[no-any-return]


class ReferencelessModel(RegressionModel):
    """Regression model without a reference, for quality estimation."""

    features = 4

    def estimate(self, source: Tensor, hypothesis: Tensor, reference: Tensor | None = None) -> Tensor:
        """Return scores from the embeddings; a reference is ignored."""
        parts = [hypothesis, source, hypothesis * source, (hypothesis - source).abs()]
        return self.estimator(torch.cat(parts, dim=1))  # type: ignore[no-any-return]


class RankingModel(RegressionModel):
    """COMET-RANK (Rei et al. 2020, section 2.5): distances of the translation from source and reference, no estimator."""

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
    """Output of a unified model: `scores` per sequence and, for models that tag, `logits` (tokens, labels)."""

    scores: Tensor
    logits: Tensor | None = None


class UnifiedModel(CometModel):
    """Model with a sentence score from the first token and, if it was trained for it, a severity for every token."""

    def __init__(self, config: ModelConfig, encoder: EncoderConfig) -> None:
        super().__init__(config, encoder)
        self.tagger: nn.Linear | None = None
        if config.labels:
            if not 0 <= config.word_layer <= encoder.layers:
                raise InputError(f"word_layer {config.word_layer} is not one of the encoder's 0 to {encoder.layers}.")
            self.tagger = nn.Linear(encoder.hidden, len(config.labels))

    def forward(self, packed: Packed) -> UnifiedOutput:
        """Return scores and tags of sequences ``<s> translation </s></s> other texts </s>``."""
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
    """Return a model of the configured class with fresh weights."""
    return MODELS[config.class_identifier](config, encoder)
