"""Question answering: which sentence answers the question? Success is exactly the right sentence.

Seed of the idea: Moghe et al. (2023), §3.2.2, who find spans in XQuAD. The paragraphs here are assay's own (invented, so that
no model knows them by heart) and stay in English: the person who asks reads another language, the collection does not. In
XQuAD, from the user's own copy, question and context are both translated and either may fail; with a span model of the user's,
success there is SQuAD's exact match of the span (`spans.py`), as in the paper.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from assay.core.errors import InputError
from assay.core.task import Example, Task, TaskModel
from assay.tasks import xquad
from assay.tasks.retriever import Answer, EncoderName, SentenceFinder, matcher
from assay.tasks.spans import Span, SpanFinder, normalised


class Answering(Task):
    """305 questions about 61 paragraphs in three languages; with `data_dir`, XQuAD, by span where there is a `span_model`."""

    name = "answering"

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        encoder: EncoderName = "auto",
        span_model: str | None = None,
    ) -> None:
        if span_model is not None and data_dir is None:
            raise InputError(
                "span_model needs data_dir: XQuAD has answer spans, the embedded questions have sentences."
            )
        self.data_dir = data_dir
        self.encoder = encoder
        self.span_model = span_model

    def examples(self) -> Sequence[Example]:
        """All questions; ``expected`` is the answer's sentence and its position, or the span."""
        if self.data_dir is not None:
            return xquad.examples(self.data_dir, spans=self.span_model is not None)
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

    def model(self) -> TaskModel:
        """The English-only answerer; over XQuAD it looks inside the given context, otherwise in all paragraphs."""
        if self.span_model is not None:
            return SpanFinder(self.span_model)
        if self.data_dir is not None:
            return SentenceFinder(matcher(self.encoder))
        collection = [(title, sentence) for title, sentences, _ in _paragraphs() for sentence in sentences]
        return SentenceFinder(matcher(self.encoder), collection)

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Whether the answer is the right sentence or span.

        A sentence of a translated context is compared by position, since its words differ; a span by SQuAD's exact match.
        """
        if isinstance(example.expected, Span):
            return isinstance(answer, Span) and normalised(answer.text) == normalised(example.expected.text)
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
