"""Dialogue state tracking: what does the user want by now? Success is joint goal accuracy, the whole state right.

Seed of the idea: Moghe et al. (2023), §3.2.3, who use Multi2WOZ with an oracle history: only the turn that the user has just
spoken is translated, what was said before is given in English. The dialogues here are assay's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from typing import Any

from assay.core.task import Example, Task
from assay.tasks.tracker import DialogueTracker

LANGUAGES = ("es", "pt", "fr", "de", "zh")


class Dialogue(Task):
    """156 dialogues of three turns about restaurants, taxis and trains, in English and five languages."""

    name = "dialogue"

    def examples(self) -> Sequence[Example]:
        """All user turns; ``expected`` is the state after the turn. Turns of a dialogue stay in one part."""
        text = (files("assay") / "data" / "tasks" / "dialogues.jsonl").read_text(encoding="utf-8")
        return [example for line in text.splitlines() for example in _turns(json.loads(line))]

    def model(self) -> DialogueTracker:
        """The tracker, trained on English."""
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
