"""Models that embed every text by itself: COMET-20 to COMET-22 (Rei et al. 2020, 2022), COMET-QE and COMET-RANK."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

from assay.models.base import CometModel
from assay.models.config import EncoderConfig, ModelConfig
from assay.models.packing import Packed


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
