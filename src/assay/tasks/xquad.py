"""Loader for XQuAD in the user's folder.

Artetxe, Ruder and Yogatama (2020), "On the cross-lingual transferability of …". The files ``xquad.LANGUAGE.json`` are in SQuAD
1.1 format, plain or compressed. Paragraphs and questions are in the same order in all languages, so they are parallel text.
XQuAD has no development set. As in Moghe et al. (2023, Appendix B), thresholds are chosen on the first 200 questions, and
results cover all questions, including those 200.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, InputError
from assay.core.outcomes import BOTH, TEST
from assay.core.schema import Count, Place, typed
from assay.core.task import Example
from assay.tasks.dataset_files import find_folder, find_language_codes, read_json, require_file
from assay.tasks.retriever import Answer, split_sentences
from assay.tasks.spans import Span

DEVELOPMENT = 200
"""Number of initial questions on which thresholds are chosen."""


def examples(folder: str | os.PathLike[str], spans: bool = False) -> list[Example]:
    """Return every question with its translations.

    When answers are judged by sentence, only questions whose answer lies within one sentence of the English context take part.
    A language is included if its context has the same number of sentences as the English one and the answer is in the same
    sentence. A translated context can then be judged by position. With `spans`, all questions and languages take part.
    """
    base = find_folder(folder, "xquad")
    english = _questions(base, "en")
    others = {code: _questions(base, code) for code in find_language_codes(base, r"xquad\.(\w+)\.json") if code != "en"}
    task_examples: list[Example] = []
    for identifier, row in english.items():
        expected = Span(row["text"]) if spans else _answer(row)
        if expected is None:
            continue
        translations: dict[str, Mapping[str, str]] = {}
        absent: dict[str, str] = {}
        for code, rows in others.items():
            other = rows.get(identifier)
            if other and not (reason := "" if spans else _other_place(row, other)):
                translations[code] = {"question": other["question"], "context": other["context"]}
            else:
                absent[code] = reason if other else "not in the file of this language"
        inputs = {"question": row["question"], "context": row["context"]}
        meta = {"title": row["title"], "span": row["text"]}
        task_examples.append(Example(identifier, inputs, translations, expected, row["split"], meta, absent))
    return task_examples


def omitted(folder: str | os.PathLike[str]) -> dict[str, int]:
    """Return the number of questions whose English answer does not lie within one sentence."""
    n = sum(_answer(row) is None for row in _questions(find_folder(folder, "xquad"), "en").values())
    return {"the answer is not within one sentence of the English context": n} if n else {}


def _other_place(row: Mapping[str, Any], other: Mapping[str, Any]) -> str:
    """Return the reason an answer in another language cannot be judged by the English sentence's position; empty if it can."""
    first, second = _answer(row), _answer(other)
    if len(split_sentences(row["context"])) != len(split_sentences(other["context"])):
        return "the context has another number of sentences than in English"
    if first is None or second is None:
        return "the answer is not within one sentence"
    return "" if first.position == second.position else "the answer is in another sentence than in English"


def _questions(folder: Path, code: str) -> dict[str, dict[str, Any]]:
    """Return a language's questions by id."""
    path = require_file(folder, f"xquad.{code}.json", "XQuAD")
    read = read_json(path)
    try:
        data = typed(_File, read, Place(), strict=False)
    except AssayError as error:
        reason = str(error).rstrip(".")
        raise InputError(f"{path} is not in XQuAD format ({reason}).") from error
    rows: dict[str, dict[str, Any]] = {}
    for article in data.data:
        for paragraph in article.paragraphs:
            for question in paragraph.qas:
                first = question.answers[0]
                rows[question.id] = {
                    "title": article.title,
                    "context": paragraph.context,
                    "question": question.question,
                    "start": first.answer_start,
                    "text": first.text,
                    "split": BOTH if len(rows) < DEVELOPMENT else TEST,
                }
    return rows


@dataclass(frozen=True, slots=True)
class _GivenAnswer:
    answer_start: Count
    text: str


@dataclass(frozen=True, slots=True)
class _Question:
    id: str
    question: str
    answers: tuple[_GivenAnswer, ...]

    def __post_init__(self) -> None:
        if not self.answers:
            raise InputError(f"question {self.id} has no answer.")


@dataclass(frozen=True, slots=True)
class _Paragraph:
    context: str
    qas: tuple[_Question, ...]


@dataclass(frozen=True, slots=True)
class _Article:
    paragraphs: tuple[_Paragraph, ...]
    title: str = ""


@dataclass(frozen=True, slots=True)
class _File:
    """SQuAD 1.1 file format."""

    data: tuple[_Article, ...]


def _answer(row: Mapping[str, Any]) -> Answer | None:
    """Return the sentence that contains the answer; None if the answer crosses a sentence boundary."""
    position = 0
    for index, sentence in enumerate(split_sentences(row["context"])):
        start = row["context"].index(sentence, position)
        position = start + len(sentence)
        if start <= row["start"] < position:
            return Answer(sentence, index) if row["start"] + len(row["text"]) <= position else None
    return None
