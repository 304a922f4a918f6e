"""Dialogue state tracking: what does the user want by now? Success is joint goal accuracy, the whole state right.

Seed of the idea: Moghe et al. (2023), §3.2.3, who use Multi2WOZ with an oracle history: only the turn that the user has just
spoken is translated, what was said before is given in English. The dialogues here are assay's own. In Multi2WOZ, from the
user's own copy, the state before the turn is given too: its dialogues are long, and an old mistake is no breakdown of this turn.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from assay.core.task import Example, Task, TaskModel
from assay.tasks import multiwoz
from assay.tasks.belief import BeliefTracker
from assay.tasks.tracker import DialogueTracker

LANGUAGES = ("es", "pt", "fr", "de", "zh")


class Dialogue(Task):
    """156 dialogues about restaurants, taxis and trains, in English and five languages; with `data_dir`, Multi2WOZ."""

    name = "dialogue"

    def __init__(self, data_dir: str | os.PathLike[str] | None = None) -> None:
        self.data_dir = data_dir

    def examples(self) -> Sequence[Example]:
        """All user turns; ``expected`` is the state after the turn. Turns of a dialogue stay in one part."""
        if self.data_dir is not None:
            return multiwoz.examples(self.data_dir)
        text = (files("assay") / "data" / "tasks" / "dialogues.jsonl").read_text(encoding="utf-8")
        return [example for line in text.splitlines() for example in _turns(json.loads(line))]

    def model(self) -> TaskModel:
        """The tracker, trained on English: on our own turns, or on the train part and the ontology of Multi2WOZ."""
        if self.data_dir is not None:
            return BeliefTracker(multiwoz.train(self.data_dir), multiwoz.ontology(self.data_dir))
        return DialogueTracker()

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Whether the state is exactly right."""
        return bool(answer == example.expected)


def _turns(dialogue: dict[str, Any]) -> Iterator[Example]:
    history: list[str] = []
    for number, turn in enumerate(dialogue["turns"]):
        if turn["system"]:
            history.append(f"system: {turn['system']}")
        inputs = {"utterance": turn["en"], "history": "\n".join(history)}
        translations = {language: {"utterance": turn[language]} for language in LANGUAGES}
        yield Example(f"{dialogue['id']}-{number}", inputs, translations, turn["state"], dialogue["split"])
        history.append(f"user: {turn['en']}")
