"""MEE, MEE2 and MEE4 (Mukherjee et al. 2020; Mukherjee and Shrivastava 2022), as in the code released for WMT22.

The published scores come from that code, which differs from the papers in two places. Words in the translation that have an
exact match may be matched again by vector. BLEU in MEE2 and MEE4 is computed on characters, with n-grams up to a third of the
length of the reference.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Protocol

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import InputError, MissingPart
from assay.core.metric import Metric, Scores, Signature
from assay.core.spec import Word
from assay.io.vectors import VectorFile
from assay.metrics.common import best, with_references
from assay.metrics.embedding.cards import MEE, MEE2, MEE4
from assay.metrics.embedding.sentence import SentenceMetric
from assay.metrics.neural import Precision

if TYPE_CHECKING:
    from numpy.typing import NDArray

ROOT, SYNONYM = 0.5, 0.4
"""Minimum cosines at which two words count as forms of the same word, and as synonyms."""
ALPHA = 0.9
"""Weight of recall."""
SMOOTH = 5
"""The K of Chen and Cherry's smoothing method 4."""
MOST_UNMATCHED = 1021
"""Number of orders without a match at which the released code returns 0, because of limited floating-point range."""


class WordVectors(Protocol):
    """Vectors of length 1 by word, from a file or a dictionary."""

    def get(self, word: str, /) -> NDArray[np.float32] | None:
        """Return the vector of a word, or None if the word has no vector."""


class Mee(Metric):
    """Mean F-score of exact, near and distant word matches.

    `vectors` is a file with target-language word vectors in fastText or word2vec text format (``cc.de.300.vec``).
    """

    card = MEE

    def __init__(self, *, vectors: str | None = None) -> None:
        self.vectors = _vector_file(self.card.name, vectors)
        self._known: VectorFile | None = None
        self._hash: str | None = None

    @property
    def signature(self) -> Signature:
        return Signature.of(self.card.label, 1, vectors=self._vectors_hash())

    def _vectors_hash(self) -> str:
        if self._hash is None:
            from assay.models.files.hashing import fingerprint_files

            self._hash = fingerprint_files(self.vectors)
        return self._hash

    def score(self, batch: Batch) -> Scores:
        """Return the mean of the three F-scores for every segment."""
        rows, references = with_references(batch, self.card)
        if self._known is None:
            self._known = VectorFile(self.vectors)
        texts = [(batch.hypotheses[row], reference) for row, reference in zip(rows, references, strict=True)]
        values = _mees(texts, self._known)
        return Scores(values[best(values.tolist(), rows, len(batch))])

    def release(self) -> None:
        self._known = None


class MeeSentence(SentenceMetric):
    """MEE combined with character BLEU and the cosine of sentence vectors.

    `vectors` is a file of word vectors as in MEE. `model` is a sentence encoder by name or folder.
    """

    default_model = "labse"
    share: ClassVar[float]
    """Weight of the sentence-vector cosine."""

    def __init__(
        self,
        *,
        vectors: str | None = None,
        model: str | None = None,
        precision: Precision = "auto",
        device: Word = "auto",
    ) -> None:
        self.vectors = _vector_file(self.card.name, vectors)
        super().__init__(model=model, precision=precision, device=device)
        self._known: VectorFile | None = None

    @property
    def signature(self) -> Signature:
        return self.signed_as(1)

    def others(self) -> Sequence[Path]:
        """Return the files of the encoder's pooling head, and the word vectors."""
        return [*super().others(), self.vectors]

    def release(self) -> None:
        super().release()
        self._known = None

    def _score(self, batch: Batch) -> Scores:
        rows, references = with_references(batch, self.card)
        hypotheses = [batch.hypotheses[row] for row in rows]
        if self._known is None:
            self._known = VectorFile(self.vectors)
        texts = list(zip(hypotheses, references, strict=True))
        words = _mees(texts, self._known)
        runs = np.array([character_bleu(*pair) for pair in texts])
        cosines, cut = self.cosines(hypotheses, references)
        values = (1 - self.share) * (2 * words + runs) / 3 + self.share * cosines
        best_rows = best(values.tolist(), rows, len(batch))
        return Scores(
            values[best_rows],
            components={"mee": words[best_rows], "bleu": runs[best_rows], "cosine": cosines[best_rows]},
            flags={"truncated": cut[best_rows]} if cut[best_rows].any() else {},
        )


class Mee2(MeeSentence):
    """MEE2: half word matches, half sentence vectors."""

    card, share = MEE2, 0.5


class Mee4(MeeSentence):
    """MEE4: a quarter word matches, three quarters sentence vectors."""

    card, share = MEE4, 0.75


def _mees(texts: Sequence[tuple[str, str]], vectors: WordVectors) -> NDArray[np.float64]:
    return np.array([mee(hypothesis.split(), reference.split(), vectors) for hypothesis, reference in texts])


def mee(hypothesis: Sequence[str], reference: Sequence[str], vectors: WordVectors) -> float:
    """Return the mean of three F-scores: exact matches, exact and near ones, all matches.

    Each reference word is matched at most once. Words in the translation are matched in order, each to the first reference word
    that is similar enough. A word without a vector matches only itself.
    """
    remaining = Counter(reference)
    exact = 0
    for word in hypothesis:
        if remaining[word] > 0:
            remaining[word] -= 1
            exact += 1
    waiting = _without(reference, hypothesis)
    near = far = 0
    for word in hypothesis:
        if (vector := vectors.get(word)) is None:
            continue
        for other in waiting:
            if (partner := vectors.get(other)) is None:
                continue
            cosine = float(vector @ partner)
            if cosine >= SYNONYM:
                near, far = (near + 1, far) if cosine >= ROOT else (near, far + 1)
                waiting.remove(other)
                break
    sizes = len(hypothesis), len(reference)
    return (_fmean(exact, *sizes) + _fmean(exact + near, *sizes) + _fmean(exact + near + far, *sizes)) / 3


def _without(reference: Sequence[str], hypothesis: Sequence[str]) -> list[str]:
    """Return the reference words that have no exact match in the translation; of identical words, the first ones are removed."""
    matched = Counter(hypothesis)
    rest = []
    for word in reference:
        if matched[word] > 0:
            matched[word] -= 1
        else:
            rest.append(word)
    return rest


def _fmean(matches: int, hypothesis: int, reference: int) -> float:
    if not matches:
        return 0.0
    precision, recall = matches / hypothesis, matches / reference
    return precision * recall / (ALPHA * precision + (1 - ALPHA) * recall)


def character_bleu(hypothesis: str, reference: str) -> float:
    """Return BLEU on character n-grams up to a third of the reference's length, with Chen and Cherry's smoothing method 4."""
    orders = math.ceil(len(reference) / 3)
    if not orders or not hypothesis:
        return 0.0
    logs, unmatched = [], 0
    for size, clipped in enumerate(common_runs(hypothesis, reference, orders), 1):
        total = max(1, len(hypothesis) - size + 1)
        if size == 1 and not clipped:
            return 0.0
        if clipped:
            logs.append(math.log(clipped / total) / orders)
        elif len(hypothesis) > 1:
            unmatched += 1
            if unmatched > MOST_UNMATCHED:
                return 0.0
            logs.append(math.log(math.log(len(hypothesis)) / (2**unmatched * SMOOTH) / total) / orders)
    short = min(0.0, 1 - len(reference) / len(hypothesis))
    return math.exp(short) * math.exp(math.fsum(logs))


def _vector_file(name: str, given: str | None) -> Path:
    if given is None:
        raise MissingPart(
            f"{name} requires word vectors for the target language in text format: {name}:vectors=cc.de.300.vec "
            "(fastText's are at https://fasttext.cc/docs/en/crawl-vectors.html)."
        )
    if not Path(given).is_file():
        raise InputError(f"the word vectors {given} do not exist.")
    return Path(given)


def common_runs(one: str, other: str, longest: int) -> list[int]:
    """Count the runs of 1, 2 … `longest` characters of `one` that also occur in `other`, with clipped counts.

    A suffix automaton of both texts has one state per set of runs that end at the same positions and have consecutive lengths.
    It takes linear time, whereas counting the runs of each length separately would read every character of every run.
    """
    steps: list[dict[str, int]] = [{}]
    shorter, lengths, counts = [-1], [0], [[0, 0]]
    last = 0
    for side, text in enumerate((one, other)):
        for at in range(-side, len(text)):  # a symbol that occurs in no text separates the texts
            symbol = text[at] if at >= 0 else ""
            new = len(steps)
            steps.append({})
            lengths.append(lengths[last] + 1)
            shorter.append(0)
            counts.append([int(at >= 0 and side == 0), int(at >= 0 and side == 1)])
            state, last = last, new
            while state != -1 and symbol not in steps[state]:
                steps[state][symbol] = new
                state = shorter[state]
            if state == -1:
                continue
            target = steps[state][symbol]
            if lengths[target] != lengths[state] + 1:
                # its longer runs do not end here; the others get a separate state
                clone = len(steps)
                steps.append(dict(steps[target]))
                lengths.append(lengths[state] + 1)
                shorter.append(shorter[target])
                counts.append([0, 0])
                shorter[target] = clone
                while state != -1 and steps[state].get(symbol) == target:
                    steps[state][symbol] = clone
                    state = shorter[state]
                target = clone
            shorter[new] = target
    changes = [0] * (longest + 1)
    for state in sorted(range(1, len(steps)), key=lengths.__getitem__, reverse=True):
        before = shorter[state]
        for side in (0, 1):
            counts[before][side] += counts[state][side]
        first = lengths[before]
        if first < longest and (n := min(counts[state])):
            changes[first] += n
            changes[min(lengths[state], longest)] -= n
    return list(accumulate(changes))[:longest]
