"""A tiny task, translator and metric whose every outcome can be told by hand."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Card, Metric, Scores, Signature
from assay.core.task import Example, Task


class WordModel:
    """Answers with the first word of the question, and fails on texts that begin with ``hard``."""

    name = "words"

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[Any]:
        return [texts["question"].split()[0] + texts.get("context", "")[:1] for texts in inputs]


class WordTask(Task):
    """Questions (and contexts) in English and in xx, where every word is written backwards."""

    name = "words"

    def __init__(self, n: int = 40, context: bool = False) -> None:
        self.n, self.context = n, context

    def examples(self) -> list[Example]:
        found = []
        for i in range(self.n):
            inputs = {"question": f"word{i} here"}
            if self.context:
                inputs["context"] = f"{'abc'[i % 3]} shared context"
            foreign = {part: text[::-1] for part, text in inputs.items()}
            expected = f"word{i}" + inputs.get("context", "")[:1]
            if i % 10 == 9:
                expected = "nobody gets this right"
            found.append(Example(f"e{i}", inputs, {"xx": foreign}, expected, "dev" if i % 2 else "test"))
        return found

    def model(self) -> WordModel:
        return WordModel()

    def succeeds(self, example: Example, answer: Any) -> bool:
        return bool(answer == example.expected)


class Mirror:
    """Turns texts round again; spoils every fourth distinct text's beginning, and gives up on texts with ``word7``."""

    name = "mirror"

    def __init__(self) -> None:
        self.asked: list[tuple[str, ...]] = []

    def translate(self, texts: Sequence[str], source: str, target: str) -> list[str | None]:
        self.asked.append(tuple(texts))
        if source == "en":
            return [text[::-1] for text in texts]
        return [self._one(i, text[::-1]) for i, text in enumerate(texts)]

    def _one(self, i: int, text: str) -> str | None:
        if text.startswith("word7 "):
            return None
        return f"spoilt {text}" if i % 4 == 0 else text


class Same(Metric):
    """1 where hypothesis and reference are equal, their share of equal beginnings otherwise."""

    card = Card(
        "same", "Same", "reference", True, (0.0, 1.0), "Share of the reference that the hypothesis begins with."
    )

    @property
    def signature(self) -> Signature:
        return Signature.of("same", 1)

    def score(self, batch: Batch) -> Scores:
        assert batch.references is not None
        pairs = zip(batch.hypotheses, batch.references[0], strict=True)
        values = [_begin(hypothesis, reference or "") for hypothesis, reference in pairs]
        return Scores(np.array(values, float))


def _begin(hypothesis: str, reference: str) -> float:
    same = 0
    for a, b in zip(hypothesis, reference, strict=False):
        if a != b:
            break
        same += 1
    return same / max(len(reference), 1)
