"""BLEURT (Sellam et al. 2020; Pu et al. 2021): BERT or RemBERT over reference and translation, a dense layer, one number.

Weights come from Google's TensorFlow checkpoint (`assay.io.files.tensor_bundle`) or from a port to PyTorch. The sequence is
``[CLS] reference [SEP] translation [SEP]``, cut by taking tokens off whichever is longer.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from assay.core.errors import InputError
from assay.io.files.tensor_bundle import read_bundle
from assay.models.bleurt_files import BleurtFiles
from assay.models.config import EncoderConfig
from assay.models.encoder import Encoder
from assay.models.packing import Packed
from assay.models.pairs import PairPredictor, TokenPair
from assay.models.pieces import WrittenPieces
from assay.models.pretrained import our_weights
from assay.models.quantised import quantise
from assay.models.weights import read_state

WIDENED = "encoder.embedding_hidden_mapping_in"
"""The layer behind narrow embeddings, as RemBERT calls it."""
_PROJECTIONS = ("encoder.embedding_projection.", "embeddings_project.", "encoder.embedding_hidden_mapping_in.")
_LAYER = re.compile(r"^bert/encoder/layer_(\d+)/")
_SKIPPED = ("global_step", "_CHECKPOINTABLE_OBJECT_GRAPH", "save_counter")
_OPTIMIZER = re.compile(r"/(adam_m|adam_v|Adam(_\d+)?|AdamWeightDecayOptimizer(_\d+)?)$")


class BleurtModel(nn.Module):
    """The first token's vector through a dense layer with tanh, then to one number; both in float32."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.pooler = nn.Linear(config.hidden, config.hidden)
        self.head = nn.Linear(config.hidden, 1)

    def forward(self, packed: Packed) -> Tensor:
        """One score a sequence; of the last layer only first tokens are computed."""
        *_, last = self.encoder.states(packed)
        scores: Tensor = self.head(torch.tanh(self.pooler(last.float()))).squeeze(1)
        return scores


@dataclass(frozen=True, slots=True)
class LoadedBleurt:
    """A model ready for inference, with its vocabulary."""

    model: BleurtModel
    pieces: WrittenPieces
    limit: int

    def pairs(self, references: Sequence[str], hypotheses: Sequence[str]) -> list[TokenPair]:
        """The sequences of reference and translation, each different text tokenized once."""
        distinct = list(dict.fromkeys([*references, *hypotheses]))
        known = dict(zip(distinct, self.pieces.encode(distinct), strict=True))
        return [self._pair(known[a], known[b]) for a, b in zip(references, hypotheses, strict=True)]

    def _pair(self, reference: list[int], hypothesis: list[int]) -> TokenPair:
        first, second = shortened(len(reference), len(hypothesis), self.limit - 3)
        ids = [self.pieces.first, *reference[:first], self.pieces.last, *hypothesis[:second], self.pieces.last]
        return TokenPair(ids, first + 2, first + second < len(reference) + len(hypothesis))


def shortened(first: int, second: int, most: int) -> tuple[int, int]:
    """How many tokens of two texts are kept: one after the other goes from the longer text, from the second where they tie."""
    over = first + second - most
    if over <= 0:
        return first, second
    level = min(over, abs(first - second))
    first, second = (first - level, second) if first > second else (first, second - level)
    left = over - level
    return first - left // 2, second - (left - left // 2)


def load_bleurt(
    files: BleurtFiles, *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu", int8: bool = False
) -> LoadedBleurt:
    """The network of a checkpoint in `dtype` on `device`."""
    path, config = files.weights[0], files.encoder
    state = _tensorflow(read_bundle(path.with_suffix("")), path) if files.tensorflow else read_state(files.weights)
    state = {_renamed(name): tensor for name, tensor in state.items()}
    with torch.device("meta"):
        model = BleurtModel(config)
    shapes = {name: tensor.shape for name, tensor in model.encoder.state_dict().items()}
    weights, rest = our_weights(shapes, state, config, path)
    whole = {f"encoder.{name}": tensor.to(device, _narrow(name, dtype)) for name, tensor in weights.items()}
    for ours, theirs in (("pooler", "pooler.dense"), ("head", "classifier")):
        for kind in ("weight", "bias"):
            whole[f"{ours}.{kind}"] = _head(rest, f"{theirs}.{kind}", model.get_parameter(f"{ours}.{kind}").shape, path)
    model.load_state_dict(whole, assign=True)
    model.to(device).eval().requires_grad_(False)
    if int8:
        quantise(model.encoder)
    else:
        model.encoder.prepack()
    pieces = WrittenPieces(files.vocabulary, lowercase=files.lowercase)
    if len(pieces) > config.vocabulary:
        raise InputError(
            f"{files.vocabulary} has {len(pieces):,} pieces, the network {config.vocabulary:,}: it is the vocabulary of another."
        )
    return LoadedBleurt(model, pieces, files.limit)


def predictor(
    files: BleurtFiles, *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu", int8: bool = False
) -> tuple[LoadedBleurt, PairPredictor]:
    """The loaded model, and what runs its sequences in packed batches."""
    loaded = load_bleurt(files, dtype=dtype, device=device, int8=int8)
    return loaded, PairPredictor(loaded.model, files.encoder, torch.device(device), dtype)


def _narrow(name: str, dtype: torch.dtype) -> torch.dtype:
    return torch.float32 if "norm" in name else dtype


def _head(rest: Mapping[str, Tensor], name: str, shape: torch.Size, path: Path) -> Tensor:
    tensor = rest.get(name)
    if tensor is None:
        raise InputError(f"{path} lacks {name}: it is an encoder without BLEURT's head, or it is cut.")
    if tensor.shape != shape:
        raise InputError(f"{path}: {name} has the shape {tuple(tensor.shape)}, BLEURT's is {tuple(shape)}.")
    if not bool(torch.isfinite(tensor).all()):
        raise InputError(f"{path}: {name} contains NaN or infinite values. The checkpoint is damaged.")
    return tensor.float()


def _renamed(name: str) -> str:
    """The layer behind narrow embeddings by one name, whatever a port calls it."""
    for theirs in _PROJECTIONS:
        before, found, after = name.partition(theirs)
        if found:
            return f"{before}{WIDENED}.{after}"
    return name


def _tensorflow(variables: Mapping[str, np.ndarray], path: Path) -> dict[str, Tensor]:
    """TensorFlow's variables under the names and in the layout that PyTorch's ports have; strange ones are refused."""
    found: dict[str, Tensor] = {}
    for name, array in variables.items():
        if name.startswith(_SKIPPED) or _OPTIMIZER.search(name):
            continue
        if not name.startswith("bert/") and name not in ("dense/kernel", "dense/bias"):
            raise InputError(f"{path}: there is a variable {name[:80]!r}, which BLEURT does not have.")
        found[_theirs(name)] = _laid_out(name, array)
    return found


def _theirs(name: str) -> str:
    """``bert/encoder/layer_0/attention/self/query/kernel`` as ``bert.encoder.layer.0.attention.self.query.weight``."""
    if name.startswith("dense/"):
        return f"classifier.{'weight' if name.endswith('kernel') else 'bias'}"
    plain = _LAYER.sub(r"bert/encoder/layer/\1/", name).replace("/", ".")
    head, _, last = plain.rpartition(".")
    kinds = {"kernel": "weight", "gamma": "weight", "beta": "bias"}
    if last.endswith("_embeddings"):
        return f"{plain}.weight"
    return f"{head}.{kinds.get(last, last)}"


def _laid_out(name: str, array: np.ndarray) -> Tensor:
    """Kernels turned round: TensorFlow multiplies from the left. Those of attention may have their heads apart."""
    plain = np.array(array, dtype=np.float32)
    if name.endswith("/kernel"):
        if plain.ndim == 3:
            out = "/attention/output/" in name
            plain = plain.reshape(-1, plain.shape[2]) if out else plain.reshape(plain.shape[0], -1)
        plain = np.ascontiguousarray(plain.T)
    elif name.endswith("/bias"):
        plain = plain.reshape(-1)
    return torch.from_numpy(plain)
