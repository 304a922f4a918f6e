"""Frames from English words: what is asked for (the intent), and which word fills which slot.

One perceptron names the intent, a second one gives each word its tag from the left to the right. What they learn from, and what
counts as the same kind of word, is the caller's: assay's own flights (`parsing.py`), or the user's copy of MultiATIS++.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

from assay.tasks.perceptron import AveragedPerceptron


class Labelled(NamedTuple):
    """An utterance to learn from: its words, one tag a word, and its intent."""

    words: Sequence[str]
    tags: Sequence[str]
    intent: str


class FrameReader:
    """Intents and tags, learnt from labelled utterances.

    `kind` gives a word, or in capitals the sort of value that it is: which city it is must not matter. `seen` says what of the
    tags so far matters for the next one.
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
        """What is asked for."""
        return self._intents.predict(self._bag(words))

    def tags(self, words: Sequence[str]) -> list[str]:
        """One tag a word."""
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
        """What a word and its neighbours look like, and how the words before it were read."""
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
