"""Semantic parsing: questions about flights become SQL; success is the same result from the database.

Seed of the idea: Moghe et al. (2023), §3.2.1, who use MultiATIS++SQL. The utterances, their translations and the database here
are assay's own. MultiATIS++ itself, from the user's own copy, has frames in place of SQL: success is the exact frame
(`multiatis.py`). The SQL version is not public (its authors give it to holders of three LDC licences, and it runs on a database
of its own), so there is no loader for it.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from assay.core.task import Example, Task, TaskModel
from assay.tasks import flights, multiatis
from assay.tasks.parser import FlightParser

LANGUAGES = ("es", "pt", "fr", "de", "zh")


class Parsing(Task):
    """342 utterances about flights, in English and five languages, with their SQL; with `data_dir`, MultiATIS++ frames."""

    name = "parsing"

    def __init__(self, data_dir: str | os.PathLike[str] | None = None) -> None:
        self.data_dir = data_dir

    def examples(self) -> Sequence[Example]:
        """All utterances; ``expected`` is the SQL query, or over MultiATIS++ the frame."""
        if self.data_dir is not None:
            return multiatis.examples(self.data_dir)
        text = (files("assay") / "data" / "tasks" / "flights.jsonl").read_text(encoding="utf-8")
        return [_example(json.loads(line)) for line in text.splitlines()]

    def model(self) -> TaskModel:
        """The parser, trained on English: on our own sentences, or on the English train part of MultiATIS++."""
        if self.data_dir is not None:
            return multiatis.FrameParser(multiatis.train(self.data_dir))
        return FlightParser()

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Whether the query returns what the right query returns, or the frame is the right one.

        A query that fails in the database is wrong.
        """
        if isinstance(example.expected, multiatis.Frame):
            return bool(answer == example.expected)
        returned = flights.result(answer) if isinstance(answer, str) else None
        return returned is not None and returned == flights.result(example.expected)


def _example(row: dict[str, Any]) -> Example:
    translations = {language: {"utterance": row[language]} for language in LANGUAGES}
    return Example(row["id"], {"utterance": row["en"]}, translations, row["sql"], row["split"], {"frame": row["frame"]})
