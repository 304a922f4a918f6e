"""Review of the error types of wrongly judged translations.

The question is the one in Moghe et al. (2023), Section 4.2, with types based on MQM.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from assay.core.outcomes import NO_TYPE, TASK_MODEL, TaskOutcomes
from assay.core.review import Choice, Passage, Question
from assay.io.judgements.decisions import decision_key

CHOICES = (
    Choice("m", "mistranslation"),
    Choice("o", "omission"),
    Choice("a", "addition"),
    Choice("r", "untranslated"),
    Choice("d", "undertranslation"),
    Choice("f", "fluency"),
    Choice("n", "no error"),
    Choice("t", TASK_MODEL),
)
"""The error types of Table 2. ``task model`` means that the translation is right and the task model failed."""


def type_key(outcomes: TaskOutcomes, example: int, rows: Sequence[int]) -> str:
    """Return the key of a decision: the task, the language, and the example's translations."""
    subject = f"error-type:{outcomes.tasks[example]}:{outcomes.languages[example]}"
    return decision_key(subject, "\t".join(outcomes.batch.hypotheses[row] for row in rows))


def question(outcomes: TaskOutcomes, example: int, rows: Sequence[int], what: str) -> Question:
    """Return the question about an example: its texts, the outcome and the metric's verdict (`what`)."""
    passages = []
    language = outcomes.languages[example].partition("-")[0]
    for row in rows:
        segment = outcomes.batch[row]
        part = f"{outcomes.parts[row]} " if outcomes.parts and outcomes.parts[row] else ""
        passages += [Passage(f"{part}source", segment.source or "", language)]
        passages += [Passage(f"{part}translation", segment.hypothesis, against=f"{part}reference")]
        passages += [Passage(f"{part}reference", text) for text in segment.references]
    name = " ".join(filter(None, [outcomes.tasks[example], outcomes.languages[example], outcomes.ids[example]]))
    return Question(type_key(outcomes, example, rows), f"{name}: {what}", tuple(passages), CHOICES)


def fill_reviewed_types(outcomes: TaskOutcomes, decisions: Mapping[str, str]) -> TaskOutcomes:
    """Return the outcomes with the error types that people decided; these examples are marked as reviewed."""
    choices = {choice.name for choice in CHOICES}
    error_types = list(outcomes.error_types)
    reviewed = np.zeros(len(outcomes), bool) if outcomes.reviewed is None else outcomes.reviewed.copy()
    for example, rows in enumerate(rows_by_example(outcomes)):
        if error_types[example] == NO_TYPE:
            decided = decisions.get(type_key(outcomes, example, rows), NO_TYPE)
            error_types[example] = decided if decided in choices else NO_TYPE
            reviewed[example] = error_types[example] != NO_TYPE
    return replace(outcomes, error_types=error_types, reviewed=reviewed if reviewed.any() else None)


def rows_by_example(outcomes: TaskOutcomes) -> list[list[int]]:
    """Return the rows of each example."""
    rows: list[list[int]] = [[] for _ in range(len(outcomes))]
    for row, example in enumerate(outcomes.example.tolist()):
        rows[example].append(row)
    return rows
