"""Synthetic hallucinations (Guerreiro et al. 2023, section 4.3 and Table 7): critical errors that are rare in MQM corpora.

*random*: the translation of another sentence. *similar*: the translation of a sentence with a similar source. The paper
measures similarity with LaBSE; here it is a given function, or the overlap of character trigrams. *oscillatory*: two to
four words of the translation, repeated one to ten times. All score 0, and the error is marked as critical.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from assay.core.errors import InputError
from assay.core.spans import ErrorSpan
from assay.models.training.records import Record

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Vectors = NDArray[np.float32]
    Embed = Callable[[Sequence[str]], Vectors]

POOL = 4096
"""Number of sentences that are searched for the most similar one."""


@dataclass(frozen=True, slots=True)
class Shares:
    """Number of hallucinations of each type to add, as a share of the records."""

    random: float = 0.0
    similar: float = 0.0
    oscillatory: float = 0.0

    def __post_init__(self) -> None:
        for name in ("random", "similar", "oscillatory"):
            if not 0 <= getattr(self, name) <= 1:
                raise InputError(f"the share of {name} hallucinations is {getattr(self, name)}, not between 0 and 1.")


def hallucinate(records: Sequence[Record], shares: Shares, seed: int, embed: Embed | None = None) -> list[Record]:
    """Return new records derived from `records`; they depend only on these and the seed."""
    if not records:
        return []
    rng = np.random.default_rng([seed, 0x4A11])
    return [
        *_random(records, round(shares.random * len(records)), rng),
        *_similar(records, round(shares.similar * len(records)), rng, embed or trigram_vectors),
        *_oscillatory(records, round(shares.oscillatory * len(records)), rng),
    ]


def trigram_vectors(texts: Sequence[str], dimensions: int = 4096) -> Vectors:
    """Return unit vectors of hashed, damped character-trigram counts; sentences that share words get similar vectors."""
    out = np.zeros((len(texts), dimensions), dtype=np.float32)
    for row, text in enumerate(texts):
        padded = f"  {text.lower()} "
        for i in range(len(padded) - 2):
            out[row, zlib.crc32(padded[i : i + 3].encode("utf-8", "surrogatepass")) % dimensions] += 1
    np.log1p(out, out=out)
    # A trigram that all sentences share gets no weight.
    out *= np.log((1 + len(texts)) / (1 + (out > 0).sum(axis=0, dtype=np.float32)))
    norms = np.linalg.norm(out, axis=1, keepdims=True)
    np.divide(out, norms, out=out, where=norms > 0)
    return out


def oscillation(text: str, rng: np.random.Generator) -> tuple[str, int, int] | None:
    """Return the text with an n-gram repeated, and the span of the repetitions; None if it has fewer than two words."""
    joint = " " if len(text.split()) > 1 else ""
    words = text.split() if joint else list(text.strip())
    if len(words) < 2:
        return None
    n = min(int(rng.integers(2, 5)), len(words))
    at, times = int(rng.integers(0, len(words) - n + 1)), int(rng.integers(1, 11))
    beginning = joint.join(words[: at + n])
    again = (joint + joint.join(words[at : at + n])) * times
    rest = joint.join(words[at + n :])
    return beginning + again + (joint + rest if rest else ""), len(beginning) + len(joint), len(beginning) + len(again)


def _random(records: Sequence[Record], n: int, rng: np.random.Generator) -> list[Record]:
    result = []
    for row in rng.choice(len(records), n, replace=n > len(records)).tolist():
        one = records[row]
        for other in rng.integers(0, len(records), 8).tolist():
            if _other_sentence(one, records[other]):
                result.append(_detached(one, records[other].hypothesis, "random"))
                break
    return result


def _similar(records: Sequence[Record], n: int, rng: np.random.Generator, embed: Embed) -> list[Record]:
    if n == 0:
        return []
    rows = rng.choice(len(records), min(n, len(records)), replace=False).tolist()
    pool = rng.choice(len(records), min(POOL, len(records)), replace=False).tolist()
    vectors = embed([records[row].source or records[row].reference for row in [*rows, *pool]])
    likeness = vectors[: len(rows)] @ vectors[len(rows) :].T
    result = []
    for row, values in zip(rows, likeness, strict=True):
        one = records[row]
        for index in np.argsort(-values, kind="stable")[:64].tolist():
            other = records[pool[index]]
            if _target(one) == _target(other) and _other_sentence(one, other):
                result.append(_detached(one, other.hypothesis, "similar"))
                break
    return result


def _oscillatory(records: Sequence[Record], n: int, rng: np.random.Generator) -> list[Record]:
    result = []
    for row in rng.choice(len(records), n, replace=n > len(records)).tolist():
        one = records[row]
        if (changed := oscillation(one.hypothesis, rng)) is not None:
            text, start, end = changed
            result.append(_made(one, text, ErrorSpan.of(text, start, end, "critical"), "oscillatory"))
    return result


def _other_sentence(one: Record, other: Record) -> bool:
    same = (one.source and one.source == other.source) or (one.reference and one.reference == other.reference)
    return not same and bool(other.hypothesis.strip()) and other.hypothesis not in (one.hypothesis, one.reference)


def _target(record: Record) -> str:
    return record.langpair.partition("-")[2]


def _detached(one: Record, text: str, kind: str) -> Record:
    return _made(one, text, ErrorSpan.of(text, 0, len(text), "critical"), kind)


def _made(one: Record, text: str, span: ErrorSpan, kind: str) -> Record:
    origin = f"{one.origin}+{kind} hallucination"
    return replace(one, hypothesis=text, score=0.0, spans=(span,), scale="unit", unanimous=None, origin=origin)
