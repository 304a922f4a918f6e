"""BLEURT (Sellam et al. 2020; Pu et al. 2021): BERT or RemBERT over reference and translation, with a regression head.

Weights come from Google's TensorFlow checkpoint (`assay.io.files.tensor_bundle`) or from a port to PyTorch. The sequence
is ``[CLS] reference [SEP] translation [SEP]``, cut by removing tokens from the longer text.

int8 (on a CPU) stores the weights of the blocks as integers with one scale per row, which takes a quarter of the memory.
Activations are rounded per token, so a score does not depend on the rest of the batch. Integer products are exact.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from assay.core.errors import InputError, MissingPart
from assay.io.files.tensor_bundle import read_bundle
from assay.models.encoders.config import EncoderConfig
from assay.models.encoders.encoder import Encoder, Layer
from assay.models.encoders.pretrained import fill
from assay.models.encoders.tokenizer import read_sentencepiece, replace_surrogates
from assay.models.files.bleurt import BleurtFiles
from assay.models.files.weights import read_state
from assay.models.heads.pairs import PairPredictor, TokenPair
from assay.models.runtime.packing import Packed

WIDENED = "encoder.embedding_hidden_mapping_in"
"""RemBERT's name for the layer that widens narrow embeddings."""
_PROJECTIONS = ("encoder.embedding_projection.", "embeddings_project.", "encoder.embedding_hidden_mapping_in.")
_LAYER = re.compile(r"^bert/encoder/layer_(\d+)/")
_SKIPPED = ("global_step", "_CHECKPOINTABLE_OBJECT_GRAPH", "save_counter")
_OPTIMIZER = re.compile(r"/(adam_m|adam_v|Adam(_\d+)?|AdamWeightDecayOptimizer(_\d+)?)$")


class BleurtModel(nn.Module):
    """Encoder with a dense layer with tanh on the first token and a linear output, both in float32."""

    def __init__(self, config: EncoderConfig) -> None:
        super().__init__()
        self.encoder = Encoder(config)
        self.pooler = nn.Linear(config.hidden, config.hidden)
        self.head = nn.Linear(config.hidden, 1)

    def forward(self, packed: Packed) -> Tensor:
        """Return one score per sequence. The last layer is computed for the first tokens only."""
        *_, last = self.encoder.states(packed)
        scores: Tensor = self.head(torch.tanh(self.pooler(last.float()))).squeeze(1)
        return scores


@dataclass(frozen=True, slots=True)
class LoadedBleurt:
    """A model ready for inference, with its vocabulary."""

    model: BleurtModel
    subwords: BleurtVocabulary
    limit: int

    def pairs(self, references: Sequence[str], hypotheses: Sequence[str]) -> list[TokenPair]:
        """Return the token sequences of references and translations; duplicate texts are tokenized once."""
        distinct = list(dict.fromkeys([*references, *hypotheses]))
        encoded = dict(zip(distinct, self.subwords.encode(distinct), strict=True))
        return [self._pair(encoded[a], encoded[b]) for a, b in zip(references, hypotheses, strict=True)]

    def _pair(self, reference: list[int], hypothesis: list[int]) -> TokenPair:
        first, second = shortened_lengths(len(reference), len(hypothesis), self.limit - 3)
        ids = [self.subwords.first, *reference[:first], self.subwords.last, *hypothesis[:second], self.subwords.last]
        return TokenPair(ids, first + 2, first + second < len(reference) + len(hypothesis))


def shortened_lengths(first: int, second: int, most: int) -> tuple[int, int]:
    """Return how many tokens of each text to keep. Tokens are removed from the longer text, or from the second on a tie."""
    over = first + second - most
    if over <= 0:
        return first, second
    level = min(over, abs(first - second))
    first, second = (first - level, second) if first > second else (first, second - level)
    rest = over - level
    return first - rest // 2, second - (rest - rest // 2)


def load_bleurt(
    files: BleurtFiles, *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu", int8: bool = False
) -> LoadedBleurt:
    """Load the model of a checkpoint in `dtype` on `device`."""
    path, config = files.weights[0], files.encoder
    state = _tensorflow(read_bundle(path.with_suffix("")), path) if files.tensorflow else read_state(files.weights)
    state = {_renamed(name): tensor for name, tensor in state.items()}
    with torch.device("meta"):
        model = BleurtModel(config)
    fill(model, state, config, path, _official_head, "BLEURT", dtype=dtype, device=device)
    if int8:
        quantise(model.encoder)
    else:
        model.encoder.prepack()
    subwords = BleurtVocabulary(files.vocabulary, lowercase=files.lowercase)
    if len(subwords) > config.vocabulary:
        raise InputError(
            f"{files.vocabulary} has {len(subwords):,} subwords, the model {config.vocabulary:,}: it belongs to another model."
        )
    return LoadedBleurt(model, subwords, files.limit)


def predictor(
    files: BleurtFiles, *, dtype: torch.dtype = torch.float32, device: torch.device | str = "cpu", int8: bool = False
) -> tuple[LoadedBleurt, PairPredictor]:
    """Return the loaded model and a predictor that runs its sequences in packed batches."""
    loaded = load_bleurt(files, dtype=dtype, device=device, int8=int8)
    return loaded, PairPredictor(loaded.model, files.encoder, torch.device(device), dtype)


def _official_head(name: str) -> str:
    part, _, kind = name.rpartition(".")
    return f"{'pooler.dense' if part == 'pooler' else 'classifier'}.{kind}"


def _renamed(name: str) -> str:
    """Give the layer that widens narrow embeddings the same name in every port."""
    for official in _PROJECTIONS:
        before, separator, after = name.partition(official)
        if separator:
            return f"{before}{WIDENED}.{after}"
    return name


def _tensorflow(variables: Mapping[str, np.ndarray], path: Path) -> dict[str, Tensor]:
    """Return TensorFlow's variables under the names and in the layout of PyTorch ports. Raise an error for an unknown variable."""
    tensors: dict[str, Tensor] = {}
    for name, array in variables.items():
        if name.startswith(_SKIPPED) or _OPTIMIZER.search(name):
            continue
        if not name.startswith("bert/") and name not in ("dense/kernel", "dense/bias"):
            raise InputError(f"{path}: the variable {name[:80]!r} is not part of BLEURT.")
        tensors[_theirs(name)] = _laid_out(name, array)
    return tensors


def _theirs(name: str) -> str:
    """Convert ``bert/encoder/layer_0/attention/self/query/kernel`` to ``bert.encoder.layer.0.attention.self.query.weight``."""
    if name.startswith("dense/"):
        return f"classifier.{'weight' if name.endswith('kernel') else 'bias'}"
    plain = _LAYER.sub(r"bert/encoder/layer/\1/", name).replace("/", ".")
    head, _, last = plain.rpartition(".")
    kinds = {"kernel": "weight", "gamma": "weight", "beta": "bias"}
    if last.endswith("_embeddings"):
        return f"{plain}.weight"
    return f"{head}.{kinds.get(last, last)}"


def _laid_out(name: str, array: np.ndarray) -> Tensor:
    """Transpose kernels, since TensorFlow multiplies from the left. Attention kernels may have a separate dimension for heads."""
    plain = np.array(array, dtype=np.float32)
    if name.endswith("/kernel"):
        if plain.ndim == 3:
            out = "/attention/output/" in name
            plain = plain.reshape(-1, plain.shape[2]) if out else plain.reshape(plain.shape[0], -1)
        plain = np.ascontiguousarray(plain.T)
    elif name.endswith("/bias"):
        plain = plain.reshape(-1)
    return torch.from_numpy(plain)


_LONGEST_WORD = 200
"""Maximum length in characters of a word that Google's WordPiece splits."""


class BleurtVocabulary:
    """Vocabulary of a BLEURT model, with the ids of ``[CLS]`` and ``[SEP]``."""

    def __init__(self, path: Path, *, lowercase: bool = False) -> None:
        self.path = path
        self._spoken: Any = _wordpiece(path, lowercase) if path.suffix == ".txt" else read_sentencepiece(path)
        self.wordpiece = path.suffix == ".txt"
        ids = [self._id(name) for name in ("[CLS]", "[SEP]")]
        if None in ids:
            raise InputError(f"{path} has no tokens [CLS] and [SEP]: it is not a BLEURT vocabulary.")
        self.first, self.last = ids

    def __len__(self) -> int:
        return int(self._spoken.get_vocab_size() if self.wordpiece else self._spoken.get_piece_size())

    def _id(self, name: str) -> Any:
        if self.wordpiece:
            return self._spoken.token_to_id(name)
        number = self._spoken.piece_to_id(name)
        return None if number == self._spoken.unk_id() else number

    def encode(self, texts: Sequence[str]) -> list[list[int]]:
        """Return the token ids of every text."""
        plain = [replace_surrogates(text) for text in texts]
        if self.wordpiece:
            clean = [_cleaned(text) for text in plain]
            return [encoding.ids for encoding in self._spoken.encode_batch_fast(clean, add_special_tokens=False)]
        # Encode through subwords, as BLEURT does: unknown characters that spell a special token become that token.
        ids: list[list[int]] = [
            self._spoken.piece_to_id(subwords) for subwords in self._spoken.encode(plain, out_type=str)
        ]
        return ids


def _cleaned(text: str) -> str:
    """Remove control and format characters and normalise whitespace as Google does; private-use characters are retained."""
    if text.isprintable() and "\ufffd" not in text:
        return text
    letters = []
    for letter in text:
        kind = unicodedata.category(letter)
        if letter in "\t\n\r" or kind == "Zs":
            letters.append(" ")
        elif letter != "\ufffd" and kind not in ("Cc", "Cf"):
            letters.append(letter)
    return "".join(letters)


def _wordpiece(path: Path, lowercase: bool) -> Any:
    try:
        from tokenizers import Tokenizer, models, normalizers, pre_tokenizers
    except ImportError as error:
        raise MissingPart("bleurt needs the extra 'neural': pip install 'mt-assay[neural]'") from error
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a UTF-8 vocabulary file with one subword per line.") from error
    names = [line.strip() for line in (lines if lines[-1] else lines[:-1])]
    if "[UNK]" not in names:
        raise InputError(f"{path} has no token [UNK]: it is not a BLEURT vocabulary.")
    vocabulary = {name: number for number, name in enumerate(names)}
    tokenizer = Tokenizer(models.WordPiece(vocabulary, unk_token="[UNK]", max_input_chars_per_word=_LONGEST_WORD))
    tokenizer.normalizer = normalizers.BertNormalizer(clean_text=False, lowercase=lowercase)
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


class Int8Linear(nn.Module):
    """Linear layer in int8, converted from a float32 layer."""

    def __init__(self, linear: nn.Linear) -> None:
        super().__init__()
        weight = linear.weight.detach().float()
        self.scale = (weight.abs().amax(1) / 127).clamp_min(1e-12)
        self.codes = (weight / self.scale[:, None]).round().to(torch.int8).t().contiguous()
        self.bias = linear.bias.detach().float()

    def forward(self, hidden: Tensor) -> Tensor:
        """Return the integer product, scaled back to float."""
        wide = hidden.float()
        scale = (wide.abs().amax(1, keepdim=True) / 127).clamp_min(1e-12)
        product = torch._int_mm((wide / scale).round_().to(torch.int8), self.codes)
        return product.float().mul_(scale).mul_(self.scale).add_(self.bias)


def quantise(encoder: Encoder) -> None:
    """Replace the four linear layers of every block with int8 layers; embeddings, norms and heads stay in float32."""
    if encoder.words.weight.device.type != "cpu":
        raise InputError("precision=int8 works on a CPU only. Use fp16 or bf16 on a GPU, or device=cpu.")
    for layer in encoder.layers:
        assert isinstance(layer, Layer)
        layer.fast = None
        for name in ("qkv", "out", "up", "down"):
            setattr(layer, name, Int8Linear(getattr(layer, name)))
