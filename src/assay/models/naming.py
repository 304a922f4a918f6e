"""Names of weights: the official package's (Hugging Face's inside ``encoder.model``) and ours, both ways."""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

from assay.models.config import EncoderConfig

_EMBEDDINGS = {
    "words": "embeddings.word_embeddings",
    "places": "embeddings.position_embeddings",
    "types": "embeddings.token_type_embeddings",
    "embedding_norm": "embeddings.LayerNorm",
    "final_norm": "encoder.LayerNorm",
    "distances": "encoder.relative_attention_bias",
    "widen": "encoder.embedding_hidden_mapping_in",
}
_LAYER = {
    "out": "attention.output.dense",
    "up": "intermediate.dense",
    "down": "output.dense",
    "attention_norm": "attention.output.LayerNorm",
    "feed_forward_norm": "output.LayerNorm",
}
_OTHERWISE = {
    "xlm-roberta-xl": {"attention_norm": "attention.self_attn_layer_norm", "feed_forward_norm": "LayerNorm"},
    "mpnet": {"out": "attention.attn.o", "attention_norm": "attention.LayerNorm"},
}
_QKV = ("attention.self.query", "attention.self.key", "attention.self.value")
_QKV_OTHERWISE = {"mpnet": ("attention.attn.q", "attention.attn.k", "attention.attn.v")}
_HEADS = {"estimator.": "estimator.", "tagger.": "hidden2tag.", "mix.gamma": "layerwise_attention.gamma"}


def official_names(name: str, config: EncoderConfig) -> list[str]:
    """The official weights that ours under `name` is made of; several are joined end to end in this order."""
    if name == "mix.weights":
        return [f"layerwise_attention.scalar_parameters.{i}" for i in range(config.layers + 1)]
    for ours, theirs in _HEADS.items():
        if name.startswith(ours):
            return [theirs + name.removeprefix(ours)]
    inner = name.removeprefix("encoder.")
    if config.family == "other":
        return [f"encoder.{inner}"]
    if inner.startswith("layers."):
        _, index, part, kind = inner.split(".")
        layer = f"encoder.model.encoder.layer.{index}"
        if part == "qkv":
            return [f"{layer}.{each}.{kind}" for each in _QKV_OTHERWISE.get(config.family, _QKV)]
        parts = _LAYER | _OTHERWISE.get(config.family, {})
        return [f"{layer}.{parts[part]}.{kind}"]
    part, kind = inner.split(".")
    return [f"encoder.model.{_EMBEDDINGS[part]}.{kind}"]


def to_official(state: Mapping[str, Tensor], config: EncoderConfig) -> dict[str, Tensor]:
    """Our weights under official names, as a Lightning checkpoint's ``state_dict`` has them."""
    found: dict[str, Tensor] = {}
    for name, tensor in state.items():
        names = official_names(name, config)
        parts = [tensor] if len(names) == 1 else torch.chunk(tensor, len(names))
        found |= {theirs: part.detach().clone() for theirs, part in zip(names, parts, strict=True)}
    return found
