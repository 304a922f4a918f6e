"""assay-mini's subword tokenizer: a unigram model with the characters that each subword covers.

The model consists of subwords with log-probabilities and replacements for single characters, like the vocabularies of
XLM-R and e5. The runtime tokenizes by the same rules: replace characters, merge repeated spaces, put a space mark in
front, and take the best path. Neighbouring unknown characters form one subword.
"""

from __future__ import annotations

import itertools
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError
from assay.models.training.encoders import SPECIAL

if TYPE_CHECKING:
    from tokenizers import Tokenizer

UNKNOWN = 3
LONGEST = 400
"""Maximum number of subwords that the metric reads from a text."""
UNKNOWN_PENALTY = 10.0
"""How far an unknown character's score is below the lowest score."""
_BLANKS = re.compile(" {2,}")
_SAMPLE = re.compile(r"\S+")
Range = tuple[int, int]
Arrays = dict[str, NDArray[Any]]
"""Arrays by name, as stored in a safetensors file."""


@dataclass(frozen=True)
class SubwordModel:
    """Subwords (the first four are ``<s>``, ``<pad>``, ``</s>``, ``<unk>``), their scores, and character replacements."""

    subwords: Sequence[str]
    scores: NDArray[np.float32]
    replacements: Mapping[str, str]
    unknown_score: float

    @cached_property
    def _backend(self) -> Tokenizer:
        from tokenizers import Tokenizer, models, pre_tokenizers

        rows = [(subword, float(score)) for subword, score in zip(self.subwords, self.scores, strict=True)]
        tokenizer = Tokenizer(models.Unigram(rows, unk_id=UNKNOWN, byte_fallback=False))
        tokenizer.pre_tokenizer = pre_tokenizers.Metaspace(replacement="▁", prepend_scheme="always", split=False)
        return tokenizer

    @cached_property
    def _table(self) -> dict[int, str]:
        return {ord(character): text for character, text in self.replacements.items()}

    def cut(self, texts: Sequence[str]) -> list[Any]:
        """Return the encoding of each text: `ids`, and `offsets` into the normalised text."""
        plain = [_BLANKS.sub(" ", text.translate(self._table)) for text in texts]
        encodings: list[Any] = self._backend.encode_batch(plain, add_special_tokens=False)
        return encodings

    def ranges(self, text: str, offsets: Sequence[Range]) -> list[Range]:
        """Return the characters of the original text that each subword covers, without leading spaces."""
        positions = self._places(text)
        result = []
        for start, end in offsets:
            a = positions[min(start, len(positions) - 1)] if positions else 0
            b = positions[min(max(end - 1, start), len(positions) - 1)] + 1 if positions else 0
            while a < b - 1 and text[a] == " ":
                a += 1
            result.append((a, b))
        return result

    def _places(self, text: str) -> list[int]:
        """Return the original position of each character of the normalised text."""
        positions: list[int] = []
        last = ""
        for position, character in enumerate(text):
            for replacement in self.replacements.get(character, character):
                if replacement != " " or last != " ":
                    positions.append(position)
                last = replacement
        return positions

    def without_rare(self, counts: NDArray[np.int64], least: int) -> NDArray[np.int64]:
        """Return the subwords that are used at least `least` times, and all single characters in use."""
        single = np.array([len(subword) == 1 for subword in self.subwords])
        needed = (counts >= least) | (single & (counts > 0))
        needed[:4] = True
        return np.flatnonzero(needed)

    def restricted(self, used: NDArray[np.int64]) -> SubwordModel:
        """Return the model restricted to some of the subwords. Texts that need only these are tokenized as before."""
        return SubwordModel(
            [self.subwords[i] for i in used.tolist()], self.scores[used], self.replacements, self.unknown_score
        )

    def tensors(self, idf: NDArray[np.float32]) -> Arrays:
        """Return the model in the form that the runtime reads (``pieces.safetensors``); every subword counts as trained."""
        texts = [subword.encode() for subword in self.subwords]
        characters = sorted(self.replacements)
        points_of_replacements = [[ord(c) for c in self.replacements[character]] for character in characters]
        return {
            "text": np.frombuffer(b"".join(texts), np.uint8),
            "starts": np.cumsum([0, *map(len, texts)]).astype(np.uint32),
            "scores": self.scores.astype(np.float32),
            "idf": idf.astype(np.float32),
            "trained": np.ones(len(texts), np.uint8),
            "norm_from": np.array([ord(c) for c in characters], np.uint32),
            "norm_starts": np.cumsum([0, *map(len, points_of_replacements)]).astype(np.uint32),
            "norm_to": np.array([point for points in points_of_replacements for point in points], np.uint32),
            "unk_score": np.array([self.unknown_score], np.float32),
        }

    @classmethod
    def of_tensors(cls, arrays: Arrays) -> SubwordModel:
        """Return the model from the tensors that `tensors` returned."""
        blob, starts = arrays["text"].tobytes(), arrays["starts"].tolist()
        subwords = [blob[a:b].decode() for a, b in itertools.pairwise(starts)]
        ends, points = arrays["norm_starts"].tolist(), arrays["norm_to"].tolist()
        replacements = {
            chr(point): "".join(map(chr, points[ends[i] : ends[i + 1]]))
            for i, point in enumerate(arrays["norm_from"].tolist())
        }
        return cls(subwords, np.array(arrays["scores"]), replacements, float(arrays["unk_score"][0]))


def with_unknown(subwords: Sequence[str], scores: NDArray[np.float32], replacements: Mapping[str, str]) -> SubwordModel:
    """Return a model in which unknown characters have the same score as in `tokenizers`."""
    return SubwordModel(subwords, scores, replacements, float(scores.min()) - UNKNOWN_PENALTY)


def subwords_of_tokenizer(tokenizer: Tokenizer, where: str) -> SubwordModel:
    """Return the unigram model in a ``tokenizer.json``, with its normaliser applied to every character."""
    import json
    import sys

    described = json.loads(tokenizer.to_str())
    model = described["model"]
    if model.get("type", "Unigram") != "Unigram" or not isinstance(model.get("vocab"), list):
        raise InputError(
            f"{where} has a {model.get('type')} vocabulary: assay-mini needs an encoder with a unigram vocabulary."
        )
    subwords = [str(subword) for subword, _ in model["vocab"]]
    if tuple(subwords[:4]) != SPECIAL:
        raise InputError(f"{where} begins with {', '.join(subwords[:4])}, not with {', '.join(SPECIAL)}.")
    replacements = {}
    if tokenizer.normalizer is not None:
        surrogates = range(0xD800, 0xE000)
        for point in range(1, sys.maxunicode + 1):
            if point not in surrogates and (replacement := tokenizer.normalizer.normalize_str(chr(point))) != chr(
                point
            ):
                replacements[chr(point)] = replacement
    return with_unknown(subwords, np.array([score for _, score in model["vocab"]], np.float32), replacements)


def subwords_of_texts(texts: Iterable[str], size: int) -> SubwordModel:
    """Return a model of all characters and the most frequent words in texts, up to `size` subwords, for trials and tests."""
    characters: Counter[str] = Counter()
    words: Counter[str] = Counter()
    for text in texts:
        characters.update(text.replace(" ", "▁"))
        words.update("▁" + word for word in _SAMPLE.findall(text))
    characters["▁"] += 1
    selected = {
        **characters,
        **dict(sorted(words.items(), key=lambda pair: (-pair[1], pair[0]))[: max(0, size - len(characters))]),
    }
    ordered = sorted(selected, key=lambda subword: (-selected[subword], subword))
    total = sum(selected.values())
    scores = np.log(np.array([selected[subword] for subword in ordered], np.float64) / total)
    return with_unknown([*SPECIAL, *ordered], np.concatenate([np.zeros(4), scores]).astype(np.float32), {})


def inverse_frequency(counts: NDArray[np.int64]) -> NDArray[np.float32]:
    """Return the weight of each subword, which reflects its rarity in the training texts; at least 0.1."""
    per_million = counts / max(1, counts.sum()) * 1e6
    weights: NDArray[np.float32] = np.clip(np.log(1e6 / (per_million + 3)), 0.1, None).astype(np.float32)
    return weights
