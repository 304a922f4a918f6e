"""Question answering task. An answer counts as correct only if it is exactly the right sentence.

The task follows Moghe et al. (2023), §3.2.2, who search for spans in XQuAD. The bundled paragraphs were invented for assay, so
no model can have memorised them. With the bundled collection, the paragraphs stay in English: the scenario is a user who asks
in another language about a fixed English collection. With ``context=translated``, and always for XQuAD (which the user
supplies), both question and paragraph are translated, so an error in either can cause a failure. On XQuAD, with a span model
supplied by the user, success means SQuAD exact match of the span (`spans.py`), as in the paper.

The bundled paragraphs are stored in one hand-written file per language, with the same structure as the English file. Each block
has a title line starting with ``#``, then one sentence per line, then question lines: ``?``, the number of the sentence that
answers it, and the question. Titles are in English in every language, so misaligned translations are detected.
"""

from __future__ import annotations

import functools
import os
from collections.abc import Mapping, Sequence
from typing import Any, Literal, NamedTuple

from assay.core.errors import InputError
from assay.core.task import Example, Task, TaskModel
from assay.data import read_text
from assay.tasks import LANGUAGES, xquad
from assay.tasks.retriever import Answer, EncoderName, SentenceFinder, open_matcher
from assay.tasks.spans import Span, SpanFinder, normalise_answer


class Paragraph(NamedTuple):
    """A paragraph; for each question, `answers` contains the number of the sentence that answers it (counted from 1)."""

    title: str
    sentences: list[str]
    answers: list[int]
    questions: list[str]


@functools.cache
def paragraphs(language: str = "en") -> list[Paragraph]:
    """Return all paragraphs in a language; raise an error if a translation does not have the same structure as the English text."""
    text = read_text(f"tasks/answering/{language}.txt")
    blocks = [_paragraph(block, language) for block in text.strip().split("\n\n")]
    if language != "en":
        english = paragraphs()
        if len(blocks) != len(english):
            raise InputError(f"answering/{language}.txt has {len(blocks)} paragraphs, en.txt {len(english)}.")
        for translated, original in zip(blocks, english, strict=True):
            if _shape(translated) != _shape(original):
                raise InputError(
                    f"answering/{language}.txt: {translated.title!r} differs from {original.title!r} in structure."
                )
    return blocks


def _paragraph(block: str, language: str) -> Paragraph:
    head, *lines = block.split("\n")
    if not head.startswith("# ") or not all(line.strip() for line in lines):
        raise InputError(
            f"answering/{language}.txt: a block must start with '# title' and have no empty lines, not {head!r}."
        )
    questions = [line[1:].partition(" ") for line in lines if line.startswith("?")]
    sentences = [line for line in lines if not line.startswith("?")]
    return Paragraph(
        head[2:], sentences, [int(number) for number, _, _ in questions], [text for _, _, text in questions]
    )


def _shape(paragraph: Paragraph) -> tuple[str, int, list[int]]:
    return paragraph.title, len(paragraph.sentences), paragraph.answers


def join_sentences(paragraph: Paragraph, language: str = "en") -> str:
    """Return the sentences as running text, with no spaces if the language is Chinese."""
    return ("" if language == "zh" else " ").join(paragraph.sentences)


class Answering(Task):
    """305 questions about 61 paragraphs, in English and five languages; with `data_dir`, XQuAD (by span with a `span_model`).

    With ``context=collection``, the model searches all English paragraphs for the answer. With ``translated``, it searches only
    the question's own paragraph, which is translated too. The title stays in English because "it" in the text refers to it.
    XQuAD questions always come with their context.
    """

    name = "answering"

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        encoder: EncoderName = "auto",
        context: Literal["collection", "translated"] = "collection",
        span_model: str | None = None,
    ) -> None:
        if span_model is not None and data_dir is None:
            raise InputError(
                "span_model requires data_dir: only XQuAD has answer spans, and the bundled questions are answered by "
                "whole sentences."
            )
        self.data_dir = data_dir
        self.encoder = encoder
        self.in_context = context == "translated" or data_dir is not None
        self.span_model = span_model
        if context == "translated":
            self.name = "answering in context"  # the two forms are separate tasks and may be in one table

    def examples(self) -> Sequence[Example]:
        """Return all questions; ``expected`` is the answering sentence with its position, or the span."""
        if self.data_dir is not None:
            return xquad.examples(self.data_dir, spans=self.span_model is not None)
        return _embedded(self.in_context)

    def omitted(self) -> Mapping[str, int]:
        """Return the number of XQuAD questions whose answer cannot be judged by sentence."""
        return {} if self.data_dir is None or self.span_model is not None else xquad.omitted(self.data_dir)

    def model(self) -> TaskModel:
        """Return the English-only model, which searches the given context, or all paragraphs without one."""
        if self.span_model is not None:
            return SpanFinder(self.span_model)
        if self.in_context:
            return SentenceFinder(open_matcher(self.encoder))
        collection = [(paragraph.title, sentence) for paragraph in paragraphs() for sentence in paragraph.sentences]
        return SentenceFinder(open_matcher(self.encoder), collection)

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Return whether the answer is the right sentence or span.

        A sentence from a translated context is compared by position, since its words differ. A span is compared by SQuAD exact
        match.
        """
        if isinstance(example.expected, Span):
            return isinstance(answer, Span) and normalise_answer(answer.text) == normalise_answer(example.expected.text)
        return isinstance(answer, Answer) and answer.position == example.expected.position


def _embedded(in_context: bool) -> list[Example]:
    """Return the bundled questions, with or without their paragraphs; positions count within the paragraph or the collection."""
    examples: list[Example] = []
    start = 0
    for number, paragraph in enumerate(paragraphs()):
        for index, answer in enumerate(paragraph.answers):
            expected = Answer(paragraph.sentences[answer - 1], (0 if in_context else start) + answer - 1)
            inputs = _texts("en", number, index, in_context) | ({"title": paragraph.title} if in_context else {})
            translations = {language: _texts(language, number, index, in_context) for language in LANGUAGES}
            split = "dev" if number % 2 == 0 else "test"
            examples.append(Example(f"paragraph-{number:02d}-{index}", inputs, translations, expected, split))
        start += len(paragraph.sentences)
    return examples


def _texts(language: str, number: int, index: int, in_context: bool) -> dict[str, str]:
    paragraph = paragraphs(language)[number]
    question = {"question": paragraph.questions[index]}
    return question | {"context": join_sentences(paragraph, language)} if in_context else question
