"""The embedded paragraphs and questions: one file a language, written by hand, every one in the shape of the English.

A block has its title after ``#``, the sentences, one a line, and the questions after ``?`` and the number of the sentence that
answers. The English titles name the blocks in every language, so that a translation cannot slip by one.
"""

from __future__ import annotations

import functools
from importlib.resources import files
from typing import NamedTuple

from assay.core.errors import InputError

LANGUAGES = ("es", "pt", "fr", "de", "zh")
"""What the English is translated into."""


class Paragraph(NamedTuple):
    """A paragraph; `answers` has the number of the answering sentence (from 1) for each question."""

    title: str
    sentences: list[str]
    answers: list[int]
    questions: list[str]


@functools.cache
def paragraphs(language: str = "en") -> list[Paragraph]:
    """All paragraphs in a language; a translation that differs from the English in shape is refused."""
    text = (files("assay") / "data" / "tasks" / "answering" / f"{language}.txt").read_text(encoding="utf-8")
    found = [_paragraph(block, language) for block in text.strip().split("\n\n")]
    if language != "en":
        english = paragraphs()
        if len(found) != len(english):
            raise InputError(f"answering/{language}.txt has {len(found)} paragraphs, en.txt {len(english)}.")
        for mine, theirs in zip(found, english, strict=True):
            if _shape(mine) != _shape(theirs):
                raise InputError(f"answering/{language}.txt: {mine.title!r} differs from {theirs.title!r} in shape.")
    return found


def _paragraph(block: str, language: str) -> Paragraph:
    head, *lines = block.split("\n")
    if not head.startswith("# ") or not all(line.strip() for line in lines):
        raise InputError(
            f"answering/{language}.txt: a block starts with '# title' and has no empty lines, not {head!r}."
        )
    asked = [line[1:].partition(" ") for line in lines if line.startswith("?")]
    sentences = [line for line in lines if not line.startswith("?")]
    return Paragraph(head[2:], sentences, [int(number) for number, _, _ in asked], [text for _, _, text in asked])


def _shape(paragraph: Paragraph) -> tuple[str, int, list[int]]:
    return paragraph.title, len(paragraph.sentences), paragraph.answers


def joined(paragraph: Paragraph, language: str = "en") -> str:
    """The sentences as running text; Chinese has no spaces between them."""
    return ("" if language == "zh" else " ").join(paragraph.sentences)
