"""Semantic parsing: questions about flights become SQL; success is the same result from the database.

Seed of the idea: Moghe et al. (2023), §3.2.1, who use MultiATIS++SQL. The utterances, their translations and the database here
are assay's own.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from importlib.resources import files
from typing import Any

from assay.core.task import Example, Task
from assay.tasks import flights
from assay.tasks.parser import FlightParser

LANGUAGES = ("es", "pt", "fr", "de", "zh")


class Parsing(Task):
    """342 utterances about flights, in English and five languages, with their SQL."""

    name = "parsing"

    def examples(self) -> Sequence[Example]:
        """All utterances; ``expected`` is the SQL query."""
        text = (files("assay") / "data" / "tasks" / "flights.jsonl").read_text(encoding="utf-8")
        return [_example(json.loads(line)) for line in text.splitlines()]

    def model(self) -> FlightParser:
        """The parser, trained on English."""
        return FlightParser()

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Whether the query returns what the right query returns; one that fails in the database is wrong."""
        returned = flights.result(answer) if isinstance(answer, str) else None
        return returned is not None and returned == flights.result(example.expected)


def _example(row: dict[str, Any]) -> Example:
    translations = {language: {"utterance": row[language]} for language in LANGUAGES}
    return Example(row["id"], {"utterance": row["en"]}, translations, row["sql"], row["split"], {"frame": row["frame"]})
