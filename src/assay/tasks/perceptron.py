"""An averaged perceptron: the small trained part of the parser and of the tracker.

Collins (2002), "Discriminative training methods for hidden Markov models". Features are strings; training is a few passes in a
fixed order drawn from a seed, so that two machines learn the same weights.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

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
        """Learn from examples: every mistake or near miss moves the weights, and the mean over all moments is kept."""
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
        """The label with the highest score, among the allowed ones; of equals the first in alphabetical order."""
        scores = self._weights[self._coded(features)].sum(axis=0)
        order = sorted(range(len(self.labels)), key=lambda index: (-scores[index], index))
        return next(self.labels[index] for index in order if allowed is None or self.labels[index] in allowed)

    def _coded(self, names: Iterable[str], grow: bool = False) -> list[int]:
        if grow:
            return [self._index.setdefault(name, len(self._index)) for name in dict.fromkeys(names)]
        return [self._index[name] for name in dict.fromkeys(names) if name in self._index]
