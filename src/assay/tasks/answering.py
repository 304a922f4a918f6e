"""Question answering: which sentence answers the question? Success is exactly the right sentence.

Seed of the idea: Moghe et al. (2023), §3.2.2, who find spans in XQuAD. The paragraphs here are assay's own (invented, so that
no model knows them by heart). Over the collection they stay in English: the person who asks reads another language, the
collection does not. With ``context=translated``, as in XQuAD from the user's own copy, question and paragraph are both translated
and either may fail.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, Literal

from assay.core.task import Example, Task
from assay.tasks import xquad
from assay.tasks.paragraphs import LANGUAGES, joined, paragraphs
from assay.tasks.retriever import Answer, EncoderName, SentenceFinder, matcher


class Answering(Task):
    """305 questions about 61 paragraphs, in English and five languages; with `data_dir`, XQuAD in twelve languages.

    With `context` ``collection`` the English answer is looked for in all paragraphs; with ``translated`` inside the paragraph,
    which is translated like the question. Its title stays as it is: it tells the model what "it" is.
    """

    name = "answering"

    def __init__(
        self,
        data_dir: str | os.PathLike[str] | None = None,
        encoder: EncoderName = "auto",
        context: Literal["collection", "translated"] = "collection",
    ) -> None:
        self.data_dir = data_dir
        self.encoder = encoder
        self.context = context
        if context == "translated":
            self.name = "answering in context"  # the two forms are two tasks and may stand in one table

    def examples(self) -> Sequence[Example]:
        """All questions; ``expected`` is the answer's sentence and its position."""
        if self.data_dir is not None:
            return xquad.examples(self.data_dir)
        return _embedded(in_context=self.context == "translated")

    def model(self) -> SentenceFinder:
        """The English-only answerer; it looks inside the given context, or in all paragraphs where there is none."""
        if self.data_dir is not None or self.context == "translated":
            return SentenceFinder(matcher(self.encoder))
        collection = [(paragraph.title, sentence) for paragraph in paragraphs() for sentence in paragraph.sentences]
        return SentenceFinder(matcher(self.encoder), collection)

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Whether the answer is the right sentence. A translated context is compared by position: its words differ."""
        return isinstance(answer, Answer) and answer.position == example.expected.position


def _embedded(in_context: bool) -> list[Example]:
    """Every embedded question, alone or with its paragraph; the position counts from the paragraph or the whole collection."""
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
    return question | {"context": joined(paragraph, language)} if in_context else question
