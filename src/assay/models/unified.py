"""Models that read translation, source and reference in one sequence: UniTE, CometKiwi, xCOMET (Guerreiro et al. 2023, 4)."""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor, nn

from assay.core.errors import InputError
from assay.models.base import CometModel
from assay.models.config import EncoderConfig, ModelConfig
from assay.models.packing import Packed


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
    """xCOMET: the unified model whose final score also counts the error spans (equations 5 to 7; `assay.models.spans`)."""
