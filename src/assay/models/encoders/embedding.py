"""Embeddings of tokens and texts from a pretrained encoder.

Texts are packed and sorted by length; duplicate texts are embedded once. Text embeddings pool the tokens as specified in the
encoder's folder (``modules.json`` of sentence-transformers). LaBSE passes the first token through a dense layer with tanh. The
multilingual paraphrase models average all tokens. A folder without ``modules.json`` uses its pooler if it has one, otherwise
the mean.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from assay.core.errors import InputError
from assay.io.documents import read_document
from assay.models.encoders.pretrained import LoadedEncoder, load_encoder
from assay.models.encoders.tokenizer import Tokens
from assay.models.files.encoder import EncoderFiles, weight_files
from assay.models.files.weights import read_state
from assay.models.runtime.batching import encoder_runner
from assay.models.runtime.packing import Packed, pack, segment_max, segment_sum
from assay.models.runtime.precision import DTYPES


@dataclass(frozen=True, slots=True)
class Vectors:
    """Token vectors of several texts in one array: text i has the rows ``starts[i]`` to ``starts[i + 1]``."""

    rows: Tensor
    starts: NDArray[np.int64]


class Embedder:
    """A loaded encoder that embeds texts. Not thread-safe."""

    def __init__(
        self,
        files: EncoderFiles,
        *,
        precision: str = "fp32",
        device: torch.device | str = "cpu",
        layer: int | None = None,
        budget: int | None = None,
    ) -> None:
        self.device = torch.device(device)
        dtype = DTYPES[precision]
        self.loaded: LoadedEncoder = load_encoder(files, dtype=dtype, device=self.device)
        self.loaded.tokenizer.with_leading_blank()
        self.config = self.loaded.encoder.config
        self.layer = self.config.layers if layer is None else layer
        if not 0 <= self.layer <= self.config.layers:
            raise InputError(
                f"{files.folder} has layers 0 to {self.config.layers}, but layer {self.layer} was requested."
            )
        self.runner = encoder_runner(self.config, self.device, dtype, budget)

    def tokens(self, texts: Sequence[str]) -> list[Tokens]:
        """Tokenize texts after stripping surrounding whitespace; texts are truncated to the encoder's positions."""
        return self.loaded.tokenizer.encode([text.strip() for text in texts], self.config.longest)

    def vectors(self, sequences: Sequence[Sequence[int]]) -> Vectors:
        """Return unit-length vectors from one layer for every token of every sequence, in order."""

        def compute(packed: Packed) -> Tensor:
            *_, hidden = self.loaded.encoder.states(packed, self.layer)
            return torch.nn.functional.normalize(hidden.float(), dim=1, eps=1e-30)

        parts = list(self.run(sequences, compute))
        lengths = np.array([len(ids) for ids in sequences], np.int64)
        starts = np.concatenate([[0], np.cumsum(lengths)])
        if not parts:
            return Vectors(torch.empty(0, self.config.hidden, device=self.device), starts)
        order = np.concatenate([np.array(batch) for batch, _ in parts])
        came = np.cumsum(lengths[order]) - lengths[order]
        first = np.empty(len(order), np.int64)
        first[order] = came
        rows_in_order = np.repeat(first - starts[:-1], lengths) + np.arange(lengths.sum())
        rows = torch.cat([rows for _, rows in parts])
        self.check(rows)
        return Vectors(rows[torch.from_numpy(rows_in_order).to(self.device)], starts)

    def check(self, numbers: Tensor) -> None:
        """Raise an error if vectors contain infinite numbers or NaN."""
        if not bool(torch.isfinite(numbers).all()):
            self.runner.check_finite(numbers.float().cpu().numpy())

    def run(
        self, sequences: Sequence[Sequence[int]], compute: Callable[[Packed], Tensor]
    ) -> Iterator[tuple[list[int], Tensor]]:
        """Yield the output of `compute` for packed batches of the sequences, with their indices, longest sequences first."""
        sizes = [len(ids) for ids in sequences]
        return self.runner.run(sizes, lambda batch: compute(self._pack([sequences[i] for i in batch])))

    def _pack(self, sequences: list[Sequence[int]]) -> Packed:
        restarts = self.config.family != "bert"
        return pack(sequences, pad=self.loaded.tokenizer.pad, pad_restarts=restarts, device=self.device)


Pooling = Literal["cls", "mean", "max"]
_MODES: dict[str, Pooling] = {
    "pooling_mode_cls_token": "cls",
    "pooling_mode_mean_tokens": "mean",
    "pooling_mode_max_tokens": "max",
}


@dataclass(frozen=True, slots=True)
class Head:
    """Pooling of tokens into a text embedding, followed by dense layers (weight, bias, whether tanh follows)."""

    pooling: Pooling
    dense: tuple[tuple[Tensor, Tensor | None, bool], ...] = ()

    def __call__(self, hidden: Tensor, packed: Packed) -> Tensor:
        """Return one unit vector per sequence."""
        if self.pooling == "cls":
            pooled = hidden[packed.firsts].float()
        elif self.pooling == "max":
            pooled = segment_max(hidden, packed)
        else:
            pooled = segment_sum(hidden, packed) / packed.lengths[:, None]
        for weight, bias, bent in self.dense:
            pooled = functional.linear(pooled, weight, bias)
            pooled = torch.tanh(pooled) if bent else pooled
        return functional.normalize(pooled, dim=1, eps=1e-30)


def read_head(embedder: Embedder, folder: Path) -> Head:
    """Return the pooling and dense layers specified in an encoder's folder."""
    listed = folder / "modules.json"
    if not listed.is_file():
        rest = embedder.loaded.rest
        weight, bias = rest.get("pooler.dense.weight"), rest.get("pooler.dense.bias")
        if weight is None or bias is None:
            return Head("mean")
        return Head("cls", ((_ready(weight, embedder), _ready(bias, embedder), True),))
    pooling: Pooling = "mean"
    dense = []
    for module in _list(listed):
        kind, module_folder = str(module.get("type", "")).rpartition(".")[2], folder / str(module.get("path", ""))
        if ".." in Path(str(module.get("path", ""))).parts:
            raise InputError(f"{listed} refers to a path outside its folder ({module.get('path')}).")
        if kind == "Pooling":
            pooling = _pooling(module_folder / "config.json")
        elif kind == "Dense":
            dense.append(_dense(module_folder, embedder))
        elif kind not in ("Transformer", "Normalize"):
            raise InputError(f"{listed} has a module that assay does not support: {kind[:40]}.")
    return Head(pooling, tuple(dense))


def sentence_vectors(
    embedder: Embedder, head: Head, texts: Sequence[str]
) -> tuple[NDArray[np.float32], NDArray[np.bool_]]:
    """Return a unit vector for each text, and which texts were truncated. Duplicate texts are embedded once."""
    distinct = list(dict.fromkeys(texts))
    tokens = embedder.tokens(distinct)

    def compute(packed: Packed) -> Tensor:
        *_, hidden = embedder.loaded.encoder.states(packed)
        return head(hidden, packed)

    result: NDArray[np.float32] | None = None
    for batch, vectors in embedder.run([one.ids for one in tokens], compute):
        if result is None:
            result = np.empty((len(distinct), vectors.shape[1]), np.float32)
        embedder.check(vectors)
        result[batch] = vectors.float().cpu().numpy()
    assert result is not None
    number = {text: at for at, text in enumerate(distinct)}
    numbers = [number[text] for text in texts]
    return result[numbers], np.array([tokens[at].cut for at in numbers], bool)


def _pooling(path: Path) -> Pooling:
    about = read_document(path, said="cannot be read")
    on = [mode for mode, value in about.items() if mode.startswith("pooling_mode") and value is True]
    if len(on) != 1 or on[0] not in _MODES:
        raise InputError(f"{path} uses a pooling that assay does not support: {', '.join(on)[:120] or 'none'}.")
    return _MODES[on[0]]


def _dense(place: Path, embedder: Embedder) -> tuple[Tensor, Tensor | None, bool]:
    about = read_document(place / "config.json", said="cannot be read")
    bend = str(about.get("activation_function", "")).rpartition(".")[2]
    if bend not in ("Tanh", "Identity"):
        raise InputError(f"{place / 'config.json'} has an activation that assay does not support: {bend[:40]}.")
    state = read_state(weight_files(place))
    if "linear.weight" not in state:
        raise InputError(f"{place} has no linear.weight: it is not a dense layer of sentence-transformers.")
    bias = state.get("linear.bias")
    return _ready(state["linear.weight"], embedder), None if bias is None else _ready(bias, embedder), bend == "Tanh"


def _ready(tensor: Tensor, embedder: Embedder) -> Tensor:
    return tensor.float().to(embedder.device)


def _list(path: Path) -> list[dict[str, Any]]:
    content = read_document(path, said="cannot be read")
    if not isinstance(content, list) or not all(isinstance(one, dict) for one in content):
        raise InputError(f"{path} is not a list of modules.")
    return content
