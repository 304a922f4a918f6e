"""Semantic parsing task: questions about flights are parsed into SQL. Success means the same result from the database.

The task follows Moghe et al. (2023), §3.2.1, who use MultiATIS++SQL. The bundled utterances, translations and database were
written for assay. MultiATIS++, which the user supplies, comes with frames instead of SQL, so success means the exact frame
(`multiatis.py`). There is no loader for the SQL version: it is not public (its authors share it with holders of three LDC
licences) and needs its own database.

The parser turns English into SQL. A frame parser predicts the intent and the slot of each word, and small tables map slot words
to values. It is trained only on English sentences (`flights_train.jsonl`), none of which is an example in the task.
"""

from __future__ import annotations

import functools
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.task import Example, Task, TaskModel
from assay.data import json_lines
from assay.tasks import LANGUAGES, flights, multiatis
from assay.tasks.perceptron import FrameReader, Labelled

_WORDS = re.compile(r"\d{1,2}(?=[ap]m\b)|\w+(?:[-:']\w+)*")
_CITIES = {name.lower(): code for name, code in flights.CITIES.items()}
_AIRLINES = {"northwind": "NW", "meridian": "MD", "skylark": "SK", "aurora": "AU"}
_DAYS = {day.lower(): day for day in flights.DAYS}
_PERIODS = {"morning": "morning", "afternoon": "afternoon", "evening": "evening", "night": "evening"}
_CLASSES = {"economy": "economy", "business": "business"}
_NUMBER = re.compile(r"[a-z]{2}\d{3}")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d\d))?(am|pm)?")
_PLACES = ("origin", "destination")
_UNKNOWN = "?"
"""Slot value for words that are unknown to the database; it occurs in no row."""


class FlightParser:
    """Parser from English to SQL: intent, then slots, then the query."""

    name = "flight-parser"

    def __init__(self) -> None:
        self._reader = _trained()

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[str]:
        """Return the SQL query of each utterance."""
        return [flights.frame_to_sql(self.frame(row["utterance"])) for row in inputs]

    def frame(self, utterance: str) -> dict[str, str]:
        """Return the intent and the conditions of an utterance."""
        words = _WORDS.findall(utterance)
        tags = self._reader.tags(words)
        frame = {"intent": self._reader.intent(words)}
        for slot in dict.fromkeys(tag for tag in tags if tag):
            frame[slot] = _value(slot, [word.lower() for word, tag in zip(words, tags, strict=True) if tag == slot])
        return frame


@functools.cache
def _trained() -> FrameReader:
    """Train the reader on first use, which takes about a second."""
    return FrameReader([Labelled(**row) for row in json_lines("tasks/flights_train.jsonl")], _kind, _seen)


def _kind(word: str) -> str:
    """Return the word or its value type: the parser should not depend on which city is named."""
    low = word.lower()
    tables = {"CITY": _CITIES, "AIRLINE": _AIRLINES, "DAY": _DAYS, "PERIOD": _PERIODS, "CLASS": _CLASSES}
    for kind, table in tables.items():
        if low in table:
            return kind
    if _NUMBER.fullmatch(low):
        return "FLIGHT"
    if low.isdecimal():
        return f"DIGITS{len(low)}"
    return low


def _seen(tags: Sequence[str]) -> str:
    """Return the journey's ends (origin, destination) that are already tagged."""
    return "+".join(place for place in _PLACES if place in tags)


def _value(slot: str, words: Sequence[str]) -> str:
    """Return the database value for the words of a slot."""
    tables = {
        "origin": _CITIES,
        "destination": _CITIES,
        "airline": _AIRLINES,
        "day": _DAYS,
        "period": _PERIODS,
        "class": _CLASSES,
    }
    if slot == "stops":
        return "0"
    if slot in ("after", "before"):
        return _clock(words)
    if slot == "number":
        return next((word.upper() for word in words if _NUMBER.fullmatch(word)), _UNKNOWN)
    if slot == "price":
        return next((word for word in words if word.isdecimal()), "0")
    return next((tables[slot][word] for word in words if word in tables[slot]), _UNKNOWN)


def _clock(words: Sequence[str]) -> str:
    """Return ``17:00`` for "5 pm", "17 hours" and "5 in the afternoon"."""
    match_found = next((match for word in words if (match := _CLOCK.fullmatch(word))), None)
    if match_found is None:
        return _UNKNOWN
    hour, minute = int(match_found[1]), match_found[2] or "00"
    late = {"pm", "p", "afternoon", "evening", "night"} & {*words, match_found[3]}
    if late and hour < 12:
        hour += 12
    return f"{hour % 24:02d}:{minute}"


class Parsing(Task):
    """342 utterances about flights, in English and five languages, with their SQL; with `data_dir`, MultiATIS++ frames."""

    name = "parsing"

    def __init__(self, data_dir: str | os.PathLike[str] | None = None) -> None:
        self.data_dir = data_dir

    def examples(self) -> Sequence[Example]:
        """Return all utterances; ``expected`` is the SQL query, or the frame in the case of MultiATIS++."""
        if self.data_dir is not None:
            return multiatis.examples(self.data_dir)
        return [_example(row) for row in json_lines("tasks/flights.jsonl")]

    def model(self) -> TaskModel:
        """Return the parser, trained on the bundled English sentences or on the English training split of MultiATIS++."""
        if self.data_dir is not None:
            return multiatis.FrameParser(multiatis.train(self.data_dir))
        return FlightParser()

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Return whether the query has the same result as the gold query, or whether the frame is correct.

        A query that fails in the database counts as wrong.
        """
        if isinstance(example.expected, multiatis.Frame):
            return bool(answer == example.expected)
        returned = flights.execute(answer) if isinstance(answer, str) else None
        return returned is not None and returned == flights.execute(example.expected)


def _example(row: dict[str, Any]) -> Example:
    translations = {language: {"utterance": row[language]} for language in LANGUAGES}
    return Example(row["id"], {"utterance": row["en"]}, translations, row["sql"], row["split"], {"frame": row["frame"]})
