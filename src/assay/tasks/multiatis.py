"""Loader and frame parser for MultiATIS++ in the user's folder (LDC2021T04).

Xu, Haider and Mansour (2020), "End-to-end slot alignment and recognition …". The files ``train_EN.tsv``, ``dev_EN.tsv``,
``test_EN.tsv``, ``test_DE.tsv`` … have the columns id, utterance, slot_labels (one BIO label per word) and intent. The same id
refers to the same utterance in all languages. There is no SQL, so success is the exact frame: the intent, and every slot with
its value. Values count because a wrong city is the breakdown that matters. They are compared in the parser's normalised form:
lower case, no punctuation, numbers as digits. So "August twenty seventh" matches "August 27th.". Other wordings of a value
("NYC") count as wrong, since there is no database to show that they are equivalent.
"""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from assay.core.errors import InputError, count, listing
from assay.core.task import Example
from assay.io.table.bad_rows import BadRows
from assay.io.table.formats import open_table
from assay.tasks.dataset_files import find_file, find_folder, find_language_codes, refuse_foreign, require_file
from assay.tasks.english_words import normalise_words, split_words
from assay.tasks.perceptron import FrameReader, Labelled

_WHAT = "MultiATIS++"
_OUTSIDE = "O"
_CHINESE = r"[\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff]"
_GAP = re.compile(rf"(?<={_CHINESE}) (?={_CHINESE})")


class Frame(NamedTuple):
    """Intent and slots, with their values in alphabetical order."""

    intent: str
    slots: tuple[tuple[str, str], ...]


class FrameParser:
    """Parser from English to frames, trained on the English training split of the user's copy."""

    name = "frame-parser"

    def __init__(self, rows: Sequence[Labelled]) -> None:
        self._reader = FrameReader(rows, _Kinds(rows), _last)

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[Frame]:
        """Return the frame of each utterance."""
        return [self._frame(row["utterance"]) for row in inputs]

    def _frame(self, utterance: str) -> Frame:
        words = [word for word, _ in normalise_words(split_words(utterance))]
        return frame_of_labels(Labelled(words, self._reader.tags(words), self._reader.intent(words)))


def train(folder: str | os.PathLike[str]) -> list[Labelled]:
    """Return the English training split."""
    return [labelled for _, labelled in _english(find_folder(folder), "train").values()]


def examples(folder: str | os.PathLike[str]) -> list[Example]:
    """Return every English utterance of the dev and test splits, with its translations.

    If a copy has no dev files (LDC's first release), every second test utterance is assigned to the development split. A
    language may lack some of the English utterances (Hindi and Turkish do), but never contains additional ones.
    """
    base = find_folder(folder)
    parts = ["dev", "test"] if find_file(base, "dev_EN.tsv") else ["test"]
    task_examples: list[Example] = []
    for part in parts:
        english = _english(base, part)
        others = {
            code: _utterances(base, part, code, english)
            for code in find_language_codes(base, rf"{part}_(\w+)\.tsv")
            if code != "en"
        }
        for number, (identifier, (utterance, labelled)) in enumerate(english.items()):
            half = part if len(parts) == 2 else ("dev", "test")[number % 2]
            translations = {
                code: {"utterance": rows[identifier]} for code, rows in others.items() if identifier in rows
            }
            task_examples.append(
                Example(f"{part}-{identifier}", {"utterance": utterance}, translations, frame_of_labels(labelled), half)
            )
    return task_examples


def frame_of_labels(labelled: Labelled) -> Frame:
    """Return the frame for a sequence of BIO labels; a slot may have two values."""
    slots: list[tuple[str, list[str]]] = []
    before = ""
    for word, tag in zip(labelled.words, labelled.tags, strict=True):
        name = tag[2:] if tag != _OUTSIDE else ""
        if name and (tag.startswith("B-") or name != before):
            slots.append((name, [word]))
        elif name:
            slots[-1][1].append(word)
        before = name
    return Frame(labelled.intent, tuple(sorted((name, " ".join(words)) for name, words in slots)))


class _Kinds:
    """Function from a word to its kind: the shape of words with digits (AA999), the label that the word had in at least nine of
    ten training occurrences, or the word itself.
    """

    def __init__(self, rows: Sequence[Labelled]) -> None:
        sorts: dict[str, Counter[str]] = {}
        for row in rows:
            for word, tag in zip(row.words, row.tags, strict=True):
                sorts.setdefault(word, Counter())[tag if tag == _OUTSIDE else tag[:2] + tag.rpartition(".")[2]] += 1
        self._sorts: dict[str, str] = {}
        for word, tallies in sorts.items():
            sort, times = tallies.most_common(1)[0]
            if sort != _OUTSIDE and times >= 0.9 * tallies.total():
                self._sorts[word] = sort.upper()

    def __call__(self, word: str) -> str:
        if any(character.isdecimal() for character in word):
            return "SHAPE-" + "".join("9" if character.isdecimal() else "A" for character in word)
        return self._sorts.get(word, word)


def _last(tags: Sequence[str]) -> str:
    """Return the previous slot: the words after "from Boston" are seldom another origin."""
    return next((tag[2:] for tag in reversed(tags) if tag != _OUTSIDE), "")


def _english(base: Path, part: str) -> dict[str, tuple[str, Labelled]]:
    """Return the utterances and labels of one English split, by id."""
    path = require_file(base, f"{part}_EN.tsv", _WHAT)
    utterances: dict[str, tuple[str, Labelled]] = {}
    for line, (identifier, utterance, labels, intent) in _rows(path, ("id", "utterance", "slot_labels", "intent")):
        words, tags = utterance.split(), labels.split()
        if len(words) != len(tags):
            raise InputError(
                f"{path} line {line}: {count(len(words), 'word')} but {count(len(tags), 'slot label')}; each word needs one."
            )
        normalised = normalise_words(words)
        utterances[identifier] = (
            utterance,
            Labelled([word for word, _ in normalised], [tags[at] for _, at in normalised], intent.strip()),
        )
    return utterances


def _utterances(base: Path, part: str, code: str, english: Mapping[str, object]) -> dict[str, str]:
    """Return a language's utterances by id; for Chinese and Japanese, the spaces between labelled words are removed."""
    path = require_file(base, f"{part}_{code}.tsv", _WHAT)
    utterances = {
        identifier: _GAP.sub("", utterance.strip()) for _, (identifier, utterance) in _rows(path, ("id", "utterance"))
    }
    refuse_foreign(path, utterances, english, f"{part}_EN.tsv", "id")
    return utterances


def _rows(path: Path, columns: Sequence[str]) -> list[tuple[int, list[str]]]:
    """Return the rows of a file with these columns, by id; raise an error for a duplicate id."""
    with open_table(path, BadRows(remedy=""), quoting="none") as table:
        if missing := [name for name in columns if name not in table.names]:
            raise InputError(
                f"{path} has no column {listing(missing)}: {_WHAT} has id, utterance, slot_labels and intent in its first "
                "line."
            )
        positions = [table.names.index(name) for name in columns]
        rows = [(line, [str(row[position]) for position in positions]) for line, row in table.rows()]
    seen: set[str] = set()
    for line, row in rows:
        if row[0] in seen:
            raise InputError(f"{path} line {line}: the id {row[0]} occurs twice; ids must be unique.")
        seen.add(row[0])
    if not rows:
        raise InputError(f"{path} has no utterances.")
    return rows
