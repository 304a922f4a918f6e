"""COMET models from Marian NMT, such as Cometoid: weights under their official names, and the tokenizer.

Marian's encoder is XLM-R's with different ids for the same subwords: it uses sentencepiece ids, puts id 0 in front of a text,
and counts positions from 0. Its matrices are transposed.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from assay.core.errors import InputError
from assay.io.files.marian import read_marian
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.tokenizer import Tokenizer, Tokens, read_sentencepiece, replace_surrogates
from assay.models.files.comet import read_settings

_LINEAR = "as<marian::nn::Linear>()"
_LAYER = "encoder->layers->at({})->as<marian::nn::TransformerEncoderLayer>()->"
_PARTS = {
    "selfAttentionBlock->selfAttention->qProj": "attention.self.query",
    "selfAttentionBlock->selfAttention->kProj": "attention.self.key",
    "selfAttentionBlock->selfAttention->vProj": "attention.self.value",
    "selfAttentionBlock->selfAttention->oProj": "attention.output.dense",
    "selfAttentionBlock->postprocessor->norm": "attention.output.LayerNorm",
    f"filterBlock->layers->at(0)->{_LINEAR}": "intermediate.dense",
    f"filterBlock->layers->at(3)->{_LINEAR}": "output.dense",
    "filterBlock->postprocessor->norm": "output.LayerNorm",
}
_WORDS, _PLACES = "Wemb", "CometEncoder->encoder->positionEmbedding->embeddings"


class MarianTokenizer(Tokenizer):
    """Sentencepiece tokenizer as Marian runs it: id 0 in front (also the unknown token), ``</s>`` at the end, no padding."""

    def __init__(self, path: Path, limit: int) -> None:
        self.spoken: Any = read_sentencepiece(path)
        self.where, self.limit = str(path), limit
        self.first, self.last, self.pad = 0, self.spoken.eos_id(), -1
        if self.last < 0:
            raise InputError(f"{path} has no token </s>: it is not the vocabulary of a COMET model of Marian.")

    def __len__(self) -> int:
        return int(self.spoken.get_piece_size())

    def encode(self, texts: Sequence[str], limit: int, *, offsets: bool = False) -> list[Tokens]:
        """Tokenize texts, truncated to the model's positions. As in Marian, COMET's lower `limit` does not apply."""
        result = []
        for inner in self.spoken.encode([replace_surrogates(text) for text in texts]):
            cut = len(inner) + 2 > self.limit
            result.append(Tokens([self.first, *inner[: self.limit - 2], self.last], None, cut))
        return result


def read_model(model: Path, vocabulary: Path) -> tuple[EncoderConfig, dict[str, Tensor], MarianTokenizer]:
    """Return the encoder's shape, the weights by their official names (memory-mapped), and the tokenizer."""
    settings, (_, arrays) = read_settings(model), read_marian(model)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="The given NumPy array is not writable")
        tensors = {name: torch.from_numpy(array) for name, array in arrays.items()}
    words, positions = tensors.get(_WORDS), tensors.get(_PLACES)
    up = tensors.get(f"CometEncoder->{_LAYER.format(0)}filterBlock->layers->at(0)->{_LINEAR}->weight")
    if words is None or positions is None or up is None or any(each.dim() != 2 for each in (words, positions, up)):
        raise InputError(f"{model} contains no encoder like COMET's: it is another kind of model.")
    encoder = EncoderConfig(
        "xlm-roberta",
        hidden=words.shape[1],
        layers=settings.enc_depth,
        heads=settings.transformer_heads,
        feed_forward=up.shape[1],
        vocabulary=words.shape[0],
        positions=positions.shape[0],
        types=0,
        pad=-1,  # positions start at 0, and there is no padding id
    )
    renamed = {official: tensors[name] for name, official in _names(settings.enc_depth).items() if name in tensors}
    mixed = tensors.get("CometEncoder->encoder->weights")
    if mixed is not None:
        renamed |= {f"layerwise_attention.scalar_parameters.{i}": one for i, one in enumerate(mixed.reshape(-1, 1))}
    state = {name: _turned(name, tensor) for name, tensor in renamed.items()}
    return encoder, state, MarianTokenizer(vocabulary, encoder.positions)


def _names(layers: int) -> dict[str, str]:
    """Return Marian's weight names with the corresponding official names."""
    names = {_WORDS: "encoder.model.embeddings.word_embeddings.weight"}
    names[_PLACES] = "encoder.model.embeddings.position_embeddings.weight"
    names["CometEncoder->encoder->gamma"] = "layerwise_attention.gamma"
    for kind in ("weight", "bias"):
        names[f"CometEncoder->encoder->preprocessor->norm->{kind}"] = f"encoder.model.embeddings.LayerNorm.{kind}"
        for i in range(layers):
            for part, official in _PARTS.items():
                names[f"CometEncoder->{_LAYER.format(i)}{part}->{kind}"] = (
                    f"encoder.model.encoder.layer.{i}.{official}.{kind}"
                )
        for i in range(0, 30, 3):
            names[f"CometQEPooler->layers->at({i})->{_LINEAR}->{kind}"] = f"estimator.ff.{i}.{kind}"
    return names


def _turned(name: str, tensor: Tensor) -> Tensor:
    """Return a matrix in torch's layout, or a vector with one dimension."""
    if name.endswith("embeddings.weight"):
        return tensor
    linear = name.endswith(".weight") and "LayerNorm" not in name
    return tensor.T if linear and tensor.dim() == 2 else tensor.reshape(-1)
