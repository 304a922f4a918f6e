"""Reference implementation of assay-mini in fp32: a small encoder for three texts, and a head that compares them.

Hypothesis, reference and source are encoded separately. Each token is compared with the most similar token of another text at five
depths. The results, with the coverage of the texts by each other, pass through two layers over all tokens. The kernel
performs the same computation with integers.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from assay.kernels.reference.mini_arrays import (
    Floats,
    cosine,
    gelu,
    shares,
    sigmoid,
    softmax,
    softplus,
    spread,
    three,
    unit,
)
from assay.kernels.reference.mini_text import Cover, Pieces, Vocabulary, cover

Given = Sequence[str | None] | None

LONGEST = 400
"""Largest number of tokens of a text; the rest is ignored."""
START, END = 0, 2
ENCODER_HEAD, FUSION_HEAD = 32, 64
"""Width of an attention head in the encoder, unless the weights specify the number of heads, and in the layers after it."""
SEEN = (3, 6, 10)
"""Encoder layers, from 0, whose similarities are used in addition to embeddings and mix, unless the weights specify them."""
REFERENCE, SOURCE = 1, 2
PROJECTIONS: Mapping[int, tuple[str, int]] = {REFERENCE: ("wr", 6), SOURCE: ("wx", 3)}
"""For each kind of text, the projection of its alignment and the longest character n-gram for coverage."""


class Encoding(NamedTuple):
    """Input of the head for one text: tokens, their vectors, unit vectors at every depth, and inverse document frequencies.

    An empty text has one vector, that of the end token.
    """

    pieces: Pieces
    cut: bool
    vectors: Floats
    depths: list[Floats]
    idf: Floats

    @property
    def ids(self) -> list[int]:
        """The number of tokens that are used."""
        return self.pieces.ids[:LONGEST]


@dataclass
class Side:
    """Features of the hypothesis from the reference or source, and vice versa."""

    other: Encoding
    nearest: list[Floats]
    """For each depth, the best similarity of every token of the hypothesis."""
    nearest_other: list[Floats]
    aligned: Floats
    aligned_other: Floats
    covered: Cover
    covered_other: Cover


class Mini:
    """The model with the interface of the native class."""

    def __init__(self, tensors: Mapping[str, NDArray[Any]]) -> None:
        self.vocabulary = Vocabulary(tensors)
        self.codes, self.scales = tensors["codes"], tensors["scales"].astype(np.float32)
        self.weights: dict[str, Floats] = {}
        for name, tensor in tensors.items():
            if name.endswith(".q"):
                rows = tensors[f"{name[:-2]}.s"].astype(np.float32)
                self.weights[name[:-2]] = tensor.astype(np.float32) * rows[:, None]
            elif tensor.dtype in (np.float16, np.float32) and f"{name[:-2]}.q" not in tensors:
                self.weights[name] = tensor.astype(np.float32)
        self.group = np.rint(self.weights["sg"]).astype(np.int64)
        self.layers = sum(name.startswith("enc.layers.") and name.endswith(".l1.weight") for name in self.weights)
        width = self.weights["enc.ln.weight"].size
        self.head = width // int(tensors["enc.heads"][0]) if "enc.heads" in tensors else ENCODER_HEAD
        self.seen = tuple(tensors["enc.seen"].tolist()) if "enc.seen" in tensors else SEEN

    def pieces(
        self, texts: Sequence[str]
    ) -> tuple[NDArray[np.int32], NDArray[np.int64], *tuple[NDArray[np.int32], ...]]:
        """Return token ids, the start of each text, character ranges, and counts of unknown, all and untrained characters."""
        cut = [self.vocabulary.cut(text) for text in texts]
        starts = np.cumsum([0, *(len(each.ids) for each in cut)], dtype=np.int64)
        ids = np.array([piece for each in cut for piece in each.ids], np.int32)
        ranges = np.array([pair for each in cut for pair in each.ranges], np.int32).reshape(-1, 2)
        counts = np.array([each[2:] for each in cut], np.int32).reshape(-1, 3)
        return ids, starts, ranges[:, 0], ranges[:, 1], counts[:, 0], counts[:, 1], counts[:, 2]

    def score(
        self, hypotheses: Sequence[str], references: Given, sources: Given, precise: bool = True, workers: int = 1
    ) -> tuple[Floats, Floats, NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.uint8]]:
        """Return log mu and the heads, the tags of every token of a hypothesis with its range, and which texts were truncated."""
        values, tags, ranges, cut = [], [], [], []
        for i, hypothesis in enumerate(hypotheses):
            encoded = self.encode(hypothesis, 0)
            given = {kind: column[i] for kind, column in ((REFERENCE, references), (SOURCE, sources)) if column}
            others = {kind: self.encode(text, kind) for kind, text in given.items() if text and text.strip()}
            value, tag = self._judge(
                encoded, {kind: self._beside(encoded, kind, other) for kind, other in others.items()}
            )
            values.append(value)
            tags.append(tag[: len(encoded.ids)])
            ranges.append(encoded.pieces.ranges[:LONGEST])
            cut.append(sum(other.cut << kind for kind, other in {0: encoded, **others}.items()))
        starts = np.cumsum([0, *map(len, tags)], dtype=np.int64)
        flat = np.array([pair for row in ranges for pair in row], np.int32).reshape(-1, 2)
        return (
            np.array(values, np.float32).reshape(len(values), -1),
            np.concatenate(tags) if tags else np.empty((0, 2), np.float32),
            starts,
            flat[:, 0],
            flat[:, 1],
            np.array(cut, np.uint8),
        )

    def match(
        self,
        hypotheses: Sequence[str],
        others: Sequence[str],
        kind: Literal[1, 2],
        depth: int,
        precise: bool = True,
        workers: int = 1,
    ) -> Floats:
        """Return the mean best similarity of the tokens on each side, plain and weighted by rarity, and the cosine of mean vectors.

        The mean vectors are those of the mix at every depth.
        """
        rows = []
        for hypothesis, text in zip(hypotheses, others, strict=True):
            a, b = self.encode(hypothesis, 0), self.encode(text, kind)
            similar = a.depths[depth] @ b.depths[depth].T
            means = _means(similar.max(axis=1), a.idf, similar.max(axis=0), b.idf)
            rows.append([*means, cosine(a.vectors.mean(axis=0), b.vectors.mean(axis=0))])
        return np.array(rows, np.float32).reshape(-1, 5)

    def encode(self, text: str, kind: int) -> Encoding:
        """Encode one text as hypothesis (0), reference (1) or source (2)."""
        pieces, weights = self.vocabulary.cut(text), self.weights
        ids = [START, *pieces.ids[:LONGEST], END]
        embedded = self._embedded(ids)
        x = embedded + weights["enc.pos.weight"][: len(ids)] + weights["enc.typ"][kind]
        x = self._norm(x, "enc.ln", 1e-12)
        portions = softmax(weights["enc.mix"])
        first = self.layers - len(portions)
        mixed, depths = np.zeros_like(x), [embedded]
        for i in range(self.layers):
            layer = f"enc.layers.{i}."
            attended = self._attention(x, layer, self.head)
            x = self._norm(x + attended, layer + "l1", 1e-12)
            x = self._norm(x + self._linear(gelu(self._linear(x, layer + "fi")), layer + "fo"), layer + "l2", 1e-12)
            if i in self.seen:
                depths.append(x)
            if i >= first:
                mixed += x * portions[i - first]
        body = slice(1, 1 + max(len(ids) - 2, 1))
        vectors = mixed[body]
        idf = weights["idf"][ids[body]]
        return Encoding(pieces, len(pieces.ids) > LONGEST, vectors, [unit(d[body]) for d in [*depths, mixed]], idf)

    def _embedded(self, ids: Sequence[int]) -> Floats:
        """Return rows of the embedding table: blocks of 32 four-bit weights with one scale each, low halves of the bytes first."""
        codes = self.codes[ids].reshape(len(ids), -1, 16)
        nibbles = np.concatenate([codes & 15, codes >> 4], axis=-1).astype(np.float32)
        return ((nibbles - 8) * self.scales[ids][..., None]).reshape(len(ids), -1)

    def _beside(self, hypothesis: Encoding, kind: int, other: Encoding) -> Side:
        """Compare the hypothesis with its reference or source: nearest tokens, and coverage in both directions."""
        _, order = PROJECTIONS[kind]
        similar = [a @ b.T for a, b in zip(hypothesis.depths, other.depths, strict=True)]
        sharp = similar[-1] * np.exp(self.weights["tau"][kind - 1])
        return Side(
            other,
            [each.max(axis=1) for each in similar],
            [each.max(axis=0) for each in similar],
            softmax(sharp) @ other.vectors,
            softmax(sharp.T) @ hypothesis.vectors,
            cover(hypothesis.ids, other.ids, self.vocabulary.texts, order),
            cover(other.ids, hypothesis.ids, self.vocabulary.texts, order),
        )

    def _judge(self, hypothesis: Encoding, sides: Mapping[int, Side]) -> tuple[list[float], Floats]:
        """Return log mu with the six heads, and the two tags of every token."""
        present = [float(kind in sides) for kind in (REFERENCE, SOURCE)]
        texts = [self._hypothesis_pieces(hypothesis, sides, present)]
        texts += [self._other_pieces(kind, side, present) for kind, side in sides.items()]
        kinds = np.repeat([0, *sides], [len(each) for each in texts])
        z = gelu(np.concatenate(texts))
        for i in range(2):
            layer = f"fus.{i}."
            z = z + self._attention(self._norm(z, layer + "n1", 1e-5), layer, FUSION_HEAD)
            z = z + self._linear(gelu(self._linear(self._norm(z, layer + "n2", 1e-5), layer + "f1")), layer + "f2")
        z = self._norm(z, "nf", 1e-5)
        mass = softplus(self._linear(z, "lam"))[np.arange(len(z)), kinds].sum()
        numbers = self._numbers(hypothesis, sides, present)
        pooled = softmax(self._linear(z, "att")[:, 0]) @ z
        nothing = np.zeros(z.shape[1], np.float32)
        means = [z[kinds == kind].mean(axis=0) if kind in (0, *sides) else nothing for kind in (0, REFERENCE)]
        whole = np.concatenate([*self._differences(hypothesis, sides), pooled, *means, numbers])
        whole = gelu(self._linear(gelu(self._linear(whole, "glob")), "g2"))
        heads = self._linear(whole, "heads") + self._linear(numbers, "skip")
        return [float(np.log(mass + 0.02) + heads[0]), *heads.tolist()], sigmoid(self._linear(z, "tag"))[kinds == 0]

    def _hypothesis_pieces(self, hypothesis: Encoding, sides: Mapping[int, Side], present: list[float]) -> Floats:
        """Return the features of each token of the hypothesis from the other texts."""
        rows = len(hypothesis.vectors)
        projected = self._linear(hypothesis.vectors, "ws") + self.weights["typ"][0]
        for kind, side in sides.items():
            projected = projected + self._linear(three(hypothesis.vectors, side.aligned), PROJECTIONS[kind][0])
        near, covered = [], []
        for kind in (REFERENCE, SOURCE):
            found = sides.get(kind)
            near += spread(found.nearest if found else [np.zeros(rows, np.float32)] * len(hypothesis.depths))
            covered.append(shares(found.covered if found else None, rows))
        columns = np.stack([*near, *(np.full(rows, flag, np.float32) for flag in present)], axis=1)
        return np.asarray(projected + self._linear(np.concatenate([columns, *covered], axis=1), "wh"))

    def _other_pieces(self, kind: int, side: Side, present: list[float]) -> Floats:
        """Return the features of each token of the reference or source from the hypothesis."""
        vectors = side.other.vectors
        projected = self._linear(vectors, "ws") + self.weights["typ"][kind]
        projected = projected + self._linear(three(vectors, side.aligned_other), PROJECTIONS[kind][0])
        flags = [np.full(len(vectors), flag, np.float32) for flag in present]
        columns = np.stack([*spread(side.nearest_other), *flags], axis=1)
        covered = shares(side.covered_other, len(vectors))
        return np.asarray(projected + self._linear(np.concatenate([columns, covered], axis=1), "wo"))

    def _differences(self, hypothesis: Encoding, sides: Mapping[int, Side]) -> list[Floats]:
        """Return difference and product of the mean vectors; zeros for a missing text."""
        mean = hypothesis.vectors.mean(axis=0)
        out = []
        for kind in (REFERENCE, SOURCE):
            other = sides[kind].other.vectors.mean(axis=0) if kind in sides else None
            out += [np.abs(mean - other), mean * other] if other is not None else [np.zeros_like(mean)] * 2
        return out

    def _numbers(self, hypothesis: Encoding, sides: Mapping[int, Side], present: list[float]) -> Floats:
        """Return standardized lengths, cosines, similarities at every depth, n-gram coverage and chrF; 0 for a missing text."""
        mean = hypothesis.vectors.mean(axis=0)
        lengths = [math.log1p(len(hypothesis.vectors))]
        cosines = []
        for kind in (REFERENCE, SOURCE):
            vectors = sides[kind].other.vectors if kind in sides else np.zeros_like(mean)[None]
            lengths.append(math.log1p(len(vectors)))
            cosines.append(cosine(mean, vectors.mean(axis=0)))
        h, r, s = lengths
        numbers = [h, r, s, h - r, abs(h - r), h - s, *present, *cosines]
        covers: list[float] = []
        for kind in (REFERENCE, SOURCE):
            side = sides.get(kind)
            for depth in range(len(hypothesis.depths)):
                near = side and _means(side.nearest[depth], hypothesis.idf, side.nearest_other[depth], side.other.idf)
                numbers += near or [0.0] * 4
            covers += _pair(side.covered, side.covered_other) if side else [0.0] * 18
        precision, recall = np.array(covers[:6]), np.array(covers[6:12])
        chrf = float((5 * precision * recall / (4 * precision + recall + 1e-6)).mean())
        plain = np.array([*numbers, *covers, chrf], np.float32)
        standard = ((plain - self.weights["scm"]) / self.weights["scs"]).clip(-6, 6)
        return np.asarray(standard * np.array([1.0, *present], np.float32)[self.group], np.float32)

    def _linear(self, x: Floats, name: str) -> Floats:
        return np.asarray(x @ self.weights[f"{name}.weight"].T + self.weights[f"{name}.bias"], np.float32)

    def _norm(self, x: Floats, name: str, epsilon: float) -> Floats:
        centred = x - x.mean(axis=-1, keepdims=True)
        deviation = np.sqrt((centred * centred).mean(axis=-1, keepdims=True) + np.float32(epsilon))
        return np.asarray(
            centred / deviation * self.weights[f"{name}.weight"] + self.weights[f"{name}.bias"], np.float32
        )

    def _attention(self, x: Floats, layer: str, head: int) -> Floats:
        """Apply self-attention with heads of `head` dimensions; queries, keys and values are stacked in one matrix."""
        width = x.shape[1]
        parts = self._linear(x, layer + "qkv").reshape(len(x), 3, width // head, head).transpose(1, 2, 0, 3)
        queries, keys, values = parts
        looked = softmax(queries @ keys.transpose(0, 2, 1) / np.float32(math.sqrt(head))) @ values
        return self._linear(looked.transpose(1, 0, 2).reshape(len(x), width), layer + "o")


def _means(nearest: Floats, idf: Floats, nearest_other: Floats, idf_other: Floats) -> list[float]:
    """Return the mean best similarity of each side, plain and weighted by rarity."""
    pairs = ((nearest, idf), (nearest_other, idf_other))
    weighted = [float((near * rare).sum() / max(rare.sum(), 0.05)) for near, rare in pairs]
    return [float(nearest.mean()), float(nearest_other.mean()), *weighted]


def _pair(here: Cover, there: Cover) -> list[float]:
    """Return the eighteen features of two texts' coverage of each other."""
    return [*here.ngrams, *there.ngrams, here.one, here.two, there.one, there.two, here.numbers, there.numbers]
