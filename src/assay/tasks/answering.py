"""Question answering: which sentence answers the question? Success is exactly the right sentence.

Seed of the idea: Moghe et al. (2023), §3.2.2, who find spans in XQuAD. The paragraphs here are assay's own (invented, so that
no model knows them by heart) and stay in English: the person who asks reads another language, the collection does not. In
XQuAD, from the user's own copy, question and context are both translated and either may fail.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from assay.core.task import Example, Task
from assay.tasks import xquad
from assay.tasks.retriever import Answer, EncoderName, SentenceFinder, matcher


class Answering(Task):
    """305 questions about 61 paragraphs in English, Spanish and Portuguese; with `data_dir`, XQuAD in twelve languages."""

    name = "answering"

    def __init__(self, data_dir: str | os.PathLike[str] | None = None, encoder: EncoderName = "auto") -> None:
        self.data_dir = data_dir
        self.encoder = encoder

    def examples(self) -> Sequence[Example]:
        """All questions; ``expected`` is the answer's sentence and its position."""
        if self.data_dir is not None:
            return xquad.examples(self.data_dir)
        examples: list[Example] = []
        start = 0
        for number, (_, sentences, questions) in enumerate(_paragraphs()):
            for index, (answer, texts) in enumerate(questions):
                expected = Answer(sentences[answer - 1], start + answer - 1)
                translations = {language: {"question": texts[language]} for language in ("es", "pt")}
                split = "dev" if number % 2 == 0 else "test"
                examples.append(
                    Example(f"paragraph-{number:02d}-{index}", {"question": texts["en"]}, translations, expected, split)
                )
            start += len(sentences)
        return examples

    def model(self) -> SentenceFinder:
        """The English-only answerer; over XQuAD it looks inside the given context, otherwise in all paragraphs."""
        if self.data_dir is not None:
            return SentenceFinder(matcher(self.encoder))
        collection = [(title, sentence) for title, sentences, _ in _paragraphs() for sentence in sentences]
        return SentenceFinder(matcher(self.encoder), collection)

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Whether the answer is the right sentence. A translated context is compared by position: its words differ."""
        return isinstance(answer, Answer) and answer.position == example.expected.position


Questions = list[tuple[int, dict[str, str]]]


def _paragraphs() -> Iterator[tuple[str, list[str], Questions]]:
    """Title, sentences, and questions (number of the answering sentence, text in each language)."""
    text = (files("assay") / "data" / "tasks" / "answering.txt").read_text(encoding="utf-8")
    for block in text.strip().split("\n\n"):
        title, *lines = block.split("\n")
        questions: Questions = []
        for line in lines:
            if line.startswith("?"):
                number, _, texts = line[1:].partition(" ")
                questions.append((int(number), dict(zip(("en", "es", "pt"), texts.split(" || "), strict=True))))
        yield title.removeprefix("# "), [line for line in lines if not line.startswith("?")], questions
