"""From a configuration to a model with random weights."""

from __future__ import annotations

from assay.models.base import CometModel
from assay.models.config import EncoderConfig, ModelConfig
from assay.models.regression import RankingModel, ReferencelessModel, RegressionModel
from assay.models.unified import UnifiedModel, XcometModel

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
