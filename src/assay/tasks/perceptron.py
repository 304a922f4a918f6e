"""Averaged perceptron, and a semantic frame parser (intent and slots) that uses two of them.

Collins (2002), "Discriminative training methods for hidden Markov models". Features are strings. Training makes a few passes
over the examples in an order drawn from a fixed seed, so the weights are the same on every machine.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

import numpy
from numpy.typing import NDArray

_SEED = 7


class AveragedPerceptron:
    """A linear classifier over sets of string features."""

    def __init__(self) -> None:
        self.labels: list[str] = []
        self._index: dict[str, int] = {}
        self._weights: NDArray[numpy.float64] = numpy.zeros((0, 0))

    def train(
        self, features: Sequence[Iterable[str]], labels: Sequence[str], passes: int = 8, margin: float = 20.0
    ) -> None:
        """Train on examples: every mistake or near miss updates the weights, and the final weights are the mean over all steps."""
        self.labels = sorted(set(labels))
        number = {label: index for index, label in enumerate(self.labels)}
        coded = [self._coded(names, grow=True) for names in features]
        answers = [number[label] for label in labels]
        weights = numpy.zeros((len(self._index), len(self.labels)))
        drift = numpy.zeros_like(weights)
        rng = numpy.random.default_rng(_SEED)
        moment = 1
        for _ in range(passes):
            for example in rng.permutation(len(coded)):
                rows, answer = coded[example], answers[example]
                scores = weights[rows].sum(axis=0)
                scores[answer] -= margin
                guess = int(scores.argmax())
                if guess != answer:
                    weights[rows, answer] += 1
                    weights[rows, guess] -= 1
                    drift[rows, answer] += moment
                    drift[rows, guess] -= moment
                moment += 1
        self._weights = weights - drift / moment

    def predict(self, features: Iterable[str], allowed: Collection[str] | None = None) -> str:
        """Return the best-scoring label among the allowed ones; ties go to the first in alphabetical order."""
        scores = self._weights[self._coded(features)].sum(axis=0)
        order = sorted(range(len(self.labels)), key=lambda index: (-scores[index], index))
        return next(self.labels[index] for index in order if allowed is None or self.labels[index] in allowed)

    def _coded(self, names: Iterable[str], grow: bool = False) -> list[int]:
        if grow:
            return [self._index.setdefault(name, len(self._index)) for name in dict.fromkeys(names)]
        return [self._index[name] for name in dict.fromkeys(names) if name in self._index]


class Labelled(NamedTuple):
    """A training utterance: its words, one tag per word, and its intent."""

    words: Sequence[str]
    tags: Sequence[str]
    intent: str


class FrameReader:
    """Predictor of intents and slot tags from words, trained on labelled utterances.

    `kind` maps a word to itself or to its value type in capitals, so predictions do not depend on which city is named.
    `seen` summarises the previous tags for the next prediction.
    """

    def __init__(
        self, rows: Sequence[Labelled], kind: Callable[[str], str], seen: Callable[[Sequence[str]], str]
    ) -> None:
        self._kind, self._seen = kind, seen
        self._intents, self._tags = AveragedPerceptron(), AveragedPerceptron()
        self._intents.train([list(self._bag(row.words)) for row in rows], [row.intent for row in rows])
        around = [list(self._around(row.words, at, row.tags)) for row in rows for at in range(len(row.words))]
        self._tags.train(around, [tag for row in rows for tag in row.tags])

    def intent(self, words: Sequence[str]) -> str:
        """Return the intent of an utterance."""
        return self._intents.predict(self._bag(words))

    def tags(self, words: Sequence[str]) -> list[str]:
        """Return one tag per word, from left to right."""
        tags: list[str] = []
        for position in range(len(words)):
            tags.append(self._tags.predict(self._around(words, position, tags)))
        return tags

    def _bag(self, words: Sequence[str]) -> Iterator[str]:
        kinds = [self._kind(word) for word in words]
        yield "bias"
        yield "first=" + (kinds[0] if kinds else "")
        yield from kinds
        for pair in itertools.pairwise(kinds):
            yield " ".join(pair)

    def _around(self, words: Sequence[str], at: int, tags: Sequence[str]) -> Iterator[str]:
        """Yield the features of a word: itself, its neighbours, and the previous tags."""
        kinds = ["<s>", "<s>", *(self._kind(word) for word in words), "</s>", "</s>"]
        here = at + 2
        capital = words[at][0].isupper() and at > 0
        sort = kinds[here] if kinds[here].isupper() else capital
        yield "bias"
        yield f"0={kinds[here]}"
        yield f"-1={kinds[here - 1]}|{sort}"
        yield f"-2={kinds[here - 2]} {kinds[here - 1]}"
        yield f"+1={kinds[here + 1]}|{sort}"
        yield f"0+1={kinds[here]} {kinds[here + 1]}"
        yield f"-1+0={kinds[here - 1]} {kinds[here]}"
        before = tags[at - 1] if at else ""
        yield f"tag={before}"
        yield f"tag={before} {kinds[here]}"
        yield f"seen={self._seen(tags[:at])} {sort}"
