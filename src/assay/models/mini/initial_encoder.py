"""Encoder that training starts from: a pretrained encoder reduced to the subwords in use; 4-bit weights are copied unchanged."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from assay.core.errors import InputError
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write
from assay.io.files.tensors import read_tensors, write_tensors
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.encoder import Encoder
from assay.models.mini.config import EncoderSection
from assay.models.mini.subwords import Arrays, SubwordModel, subwords_of_texts, subwords_of_tokenizer, with_unknown
from assay.models.training.encoders import E5File, e5_path, encoder_of_folder, scales_of, unpacked

EPSILON = 1e-12
"""Epsilon of the encoder's norms in the runtime, whatever value the encoder was trained with."""
ENCODER, SHAPE = "encoder.safetensors", "encoder.json"
KINDS = 3
"""Number of token types: hypothesis, reference, source."""


@dataclass(frozen=True)
class InitialEncoder:
    """Shape, subwords and weights: a tensor NAME, or ``NAME.codes`` and ``NAME.scales``; no weights for a random encoder."""

    config: EncoderConfig
    subwords: SubwordModel
    tensors: Arrays

    def restricted(self, used: NDArray[np.int64], recut: bool = False) -> InitialEncoder:
        """Return the encoder with the embeddings of some subwords; with `recut`, texts are tokenized again with these subwords."""
        subwords = self.subwords.restricted(used)
        if recut:
            subwords = with_unknown(subwords.subwords, subwords.scores, subwords.replacements)
        cut = {name: _rows(value, name, used, self.config) for name, value in self.tensors.items()}
        return InitialEncoder(replace(self.config, vocabulary=len(used), raw={}), subwords, cut)

    def write(self, folder: Path) -> None:
        write_tensors(folder / ENCODER, self.tensors)
        with atomic_write(folder / SHAPE, "w") as out:
            json.dump(self.config.to_json(), out, indent=1)


def _rows(value: NDArray[Any], name: str, used: NDArray[np.int64], config: EncoderConfig) -> NDArray[Any]:
    if not name.startswith("words.weight"):
        return value
    return value.reshape(config.vocabulary, -1, *value.shape[1:])[used].reshape(-1, *value.shape[1:])


def initial_encoder(section: EncoderSection, texts: Iterable[str]) -> InitialEncoder:
    """Return the configured encoder; the tiny one learns its subwords from `texts`."""
    if section.name == "tiny":
        subwords = subwords_of_texts(texts, section.tiny_vocabulary)
        hidden = section.tiny_hidden
        config = EncoderConfig(
            "bert", hidden, section.tiny_layers, section.tiny_heads, 4 * hidden, len(subwords.subwords), 512
        )
        return InitialEncoder(config, subwords, {})
    if section.name == "e5-small":
        return _of_e5(E5File.read(e5_path()))
    if not Path(section.name).is_dir():
        raise InputError(f"the encoder {section.name!r} does not exist. Use tiny, e5-small or a folder.")
    pretrained = encoder_of_folder(Path(section.name))
    if pretrained.config.family == "xlm-roberta-xl":
        raise InputError(
            f"{section.name} normalises before its blocks; assay-mini supports only encoders that normalise after them."
        )
    if pretrained.config.hidden % 32:
        raise InputError(
            f"{section.name} has {pretrained.config.hidden} units; 4-bit embeddings need a multiple of 32."
        )
    assert pretrained.weights is not None
    tensors = {name: value.numpy() for name, value in pretrained.weights.items()}
    return InitialEncoder(pretrained.config, subwords_of_tokenizer(pretrained.tokenizer, section.name), tensors)


def _of_e5(file: E5File) -> InitialEncoder:
    tensors: Arrays = {}
    with torch.device("meta"):
        names = list(Encoder(file.config).state_dict())
    for name in names:
        blocks = file.blocks(name)
        if blocks is None:
            tensors[name] = file.weights(name)
        else:
            tensors[f"{name}.codes"] = np.ascontiguousarray(blocks[:, 2:])
            tensors[f"{name}.scales"] = scales_of(blocks)
    return InitialEncoder(file.config, with_unknown(file.subwords, file.scores, file.replacements), tensors)


def read_encoder(folder: Path, dropout: float) -> tuple[EncoderConfig, dict[str, Tensor]]:
    """Return the shape and the weights (none if random) of the encoder to train, as `InitialEncoder.write` wrote them.

    Positions count from 0, and each of the three token types is initialised with the encoder's first one.
    """
    arrays = read_tensors(folder / ENCODER)
    stored = EncoderConfig.from_json(read_document(folder / SHAPE), str(folder / SHAPE))
    config = replace(
        stored,
        family="bert",
        types=KINDS,
        epsilon=EPSILON,
        dropout=dropout,
        pad=1,
        positions=stored.positions - stored.offset,
    )
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in Encoder(stored).state_dict().items()}
    weights: dict[str, Tensor] = {}
    for name, shape in shapes.items():
        if name in arrays:
            flat = np.array(arrays[name], np.float32).ravel()
        elif f"{name}.codes" in arrays:
            flat = unpacked(arrays[f"{name}.codes"], arrays[f"{name}.scales"])[: shape.numel()]
        else:
            continue
        weights[name] = torch.from_numpy(flat).reshape(shape)
    if weights:
        weights["places.weight"] = weights["places.weight"][stored.offset :].contiguous()
        weights["types.weight"] = weights["types.weight"][:1].expand(KINDS, -1).contiguous()
    return config, weights
