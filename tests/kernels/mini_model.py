"""Weights for assay-mini's tests: a small model of chance, and the research model as it was left, under the shipped names."""

from __future__ import annotations

import json
import lzma
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Tensors = dict[str, NDArray[Any]]

_WORDS = "der die katze schläft auf sofa the cat sleeps in 19 79 7 9 1 abc 猫 在 沙发 上 . , ! ? ein und oder wort"
LETTERS = "abcdefghijklmnopqrstuvwxyzäöüß0123456789.,!?-'\"ABCDEFGHIJKLMNOPQRSTUVWXYZ的一是不了人我"
NORMAL = {
    "\t": " ",
    "\n": " ",
    "\u00a0": " ",
    "\u2003": " ",
    "\u200b": "",
    "\u00bd": "1/2",
    "\uff21": "A",
    "\u2026": "...",
}


def random_model(width: int = 64, layers: int = 4, fusion: int = 64, seed: int = 5, entries: int = 1000) -> Tensors:
    """A model of chance with everything the real one has: `layers` encoder layers of which all but the first two are mixed,
    depths seen after layers 0, 1 and the last, matrices of more than `entries` numbers in whole numbers, a vocabulary of words
    and letters of which every fifth piece is untrained."""
    rng = np.random.default_rng(seed)
    tensors: Tensors = {}

    def put(name: str, *shape: int, deviation: float = 0.0, mean: float = 0.0) -> None:
        value = rng.normal(mean, deviation or 1.2 / np.sqrt(shape[-1]), shape)
        if len(shape) == 2 and value.size > entries:
            scale = (np.abs(value).max(axis=1) / 127).astype(np.float16)
            tensors[f"{name}.q"] = np.rint(value / scale.astype(np.float64)[:, None]).clip(-127, 127).astype(np.int8)
            tensors[f"{name}.s"] = scale
        else:
            tensors[name] = value.astype(np.float16)

    def linear(name: str, out: int, into: int) -> None:
        put(f"{name}.weight", out, into)
        put(f"{name}.bias", out, deviation=0.1)

    def norm(name: str, size: int) -> None:
        put(f"{name}.weight", size, deviation=0.1, mean=1.0)
        put(f"{name}.bias", size, deviation=0.1)

    put("enc.pos.weight", 512, width, deviation=0.3)
    put("enc.typ", 3, width, deviation=0.3)
    norm("enc.ln", width)
    put("enc.mix", layers - 2, deviation=0.5)
    for i in range(layers):
        layer = f"enc.layers.{i}."
        linear(layer + "qkv", 3 * width, width)
        linear(layer + "o", width, width)
        linear(layer + "fi", 4 * width, width)
        linear(layer + "fo", width, 4 * width)
        norm(layer + "l1", width)
        norm(layer + "l2", width)
    tensors["enc.seen"] = np.array([0, 1, layers - 1], np.int32)
    put("typ", 3, fusion, deviation=0.3)
    put("tau", 2, deviation=0.2, mean=2.0)
    for name, columns in (("ws", width), ("wr", 3 * width), ("wx", 3 * width), ("wh", 20), ("wo", 11)):
        linear(name, fusion, columns)
    for i in range(2):
        layer = f"fus.{i}."
        norm(layer + "n1", fusion)
        norm(layer + "n2", fusion)
        linear(layer + "qkv", 3 * fusion, fusion)
        linear(layer + "o", fusion, fusion)
        linear(layer + "f1", 2 * fusion, fusion)
        linear(layer + "f2", fusion, 2 * fusion)
    norm("nf", fusion)
    for name, rows, columns in (
        ("lam", 3, fusion), ("tag", 2, fusion), ("att", 1, fusion), ("glob", width, 4 * width + 3 * fusion + 87),
        ("g2", width, width), ("heads", 6, width), ("skip", 6, 87),
    ):  # fmt: skip
        linear(name, rows, columns)
    tensors["sg"] = np.array(([0, 1, 2] * 29)[:87], np.float16)
    tensors["scm"] = rng.normal(0.3, 0.2, 87).astype(np.float32)
    tensors["scs"] = rng.uniform(0.5, 1.5, 87).astype(np.float32)
    return tensors | _vocabulary(width, rng)


def _vocabulary(width: int, rng: np.random.Generator) -> Tensors:
    words = [text for word in _WORDS.split() for text in (word, "\u2581" + word)]
    texts = list(dict.fromkeys(["<s>", "<pad>", "</s>", "<unk>", "\u2581", *LETTERS, *words]))
    blocks = width // 32
    scores = np.array([0.0 if i < 4 else -3.0 - 7.0 * rng.random() for i in range(len(texts))])
    tensors = pieces(texts, scores.tolist(), -25.0, NORMAL)
    trained = np.ones(len(texts), np.uint8)
    trained[9::5] = 0
    return tensors | {
        "codes": rng.integers(0, 256, (len(texts), 16 * blocks), np.uint8),
        "scales": rng.uniform(0.05, 0.3, (len(texts), blocks)).astype(np.float16),
        "idf": rng.uniform(0.1, 3.0, len(texts)).astype(np.float32),
        "trained": trained,
    }


def pieces(texts: list[str], scores: list[float], unknown: float, normal: dict[str, str]) -> Tensors:
    """The vocabulary's tensors."""
    encoded = [text.encode() for text in texts]
    order = sorted(normal)
    return {
        "text": np.frombuffer(b"".join(encoded), np.uint8),
        "starts": np.cumsum([0, *map(len, encoded)]).astype(np.uint32),
        "scores": np.array(scores, np.float32),
        "unk_score": np.array([unknown], np.float32),
        "norm_from": np.array([ord(character) for character in order], np.uint32),
        "norm_starts": np.cumsum([0, *(len(normal[character]) for character in order)]).astype(np.uint32),
        "norm_to": np.array([ord(other) for character in order for other in normal[character]], np.uint32),
    }


def research_model(folder: Path) -> Tensors:
    """The research model's own files (112,747 pieces) as tensors of the shipped names."""
    tensors: Tensors = {}
    for part in ("wA", "wB"):
        with np.load(folder / f"D1.{part}.npz") as arrays:
            tensors |= {name.replace("|", "."): arrays[name] for name in arrays.files}
    halves = [np.load(folder / f"D1.emb{half}.npz") for half in (0, 1)]
    tensors["codes"] = np.concatenate([half["q"] for half in halves]).reshape(-1, 192)
    tensors["scales"] = np.concatenate([half["d"] for half in halves]).reshape(-1, 12)
    with lzma.open(folder / "pieces.json.xz", "rt", encoding="utf-8") as stream:
        table = json.load(stream)
    tensors |= pieces(table["pieces"], table["scores"], table["unk_score"], table["norm"])
    return tensors | {"idf": tensors["idf"].astype(np.float32), "trained": np.ones(len(table["pieces"]), np.uint8)}
