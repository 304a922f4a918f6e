"""Dialogue state tracking task, with its tracker. Success is joint goal accuracy.

The task follows Moghe et al. (2023), §3.2.3, who use Multi2WOZ with an oracle history. Only the user's latest turn is
translated; the earlier turns stay in English. The bundled dialogues were written for assay. For Multi2WOZ, which the user
supplies, the state before the turn is also given: its dialogues are long, and an earlier mistake should not count as a
breakdown of this turn.

The tracker finds the values in a turn with its ontology. One perceptron predicts the domain; a second one predicts which slot
each mention fills, if any ("not to the museum but …"). Both are trained on English turns (`dialogues_train.jsonl`) that are not
examples in the task.
"""

from __future__ import annotations

import functools
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from assay.core.task import Example, Task, TaskModel
from assay.data import json_lines
from assay.tasks import LANGUAGES, flights, multiwoz
from assay.tasks.belief import BeliefTracker
from assay.tasks.english_words import parse_time
from assay.tasks.perceptron import AveragedPerceptron

_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_FOODS = ("italian", "chinese", "indian", "mexican", "japanese", "thai", "greek", "turkish", "korean", "vegetarian")
_PHRASES = {
    "train station": "station", "railway station": "station", "bus station": "bus_station", "police station": "police_station",
    "town hall": "town_hall", "city hall": "town_hall", "swimming pool": "swimming_pool",
}  # fmt: skip
"""Multi-word places, with their names in the state."""
_PLACES = (
    *["museum", "station", "airport", "cathedral", "hospital", "university", "castle", "theatre", "library", "stadium"],
    *dict.fromkeys(name for name in _PHRASES.values() if "_" in name),
)
ONTOLOGY: dict[str, dict[str, str]] = {
    "food": {name: name for name in _FOODS},
    "area": {"centre": "centre", "center": "centre"} | {name: name for name in ("north", "south", "east", "west")},
    "price": {name: name for name in ("cheap", "moderate", "expensive")}
    | {"inexpensive": "cheap", "moderately": "moderate"},
    "place": {name: name for name in _PLACES} | {"theater": "theatre"},
    "city": {name.lower(): name for name in flights.CITIES},
    "day": {name.lower(): name for name in flights.DAYS},
    "number": {name: str(index) for index, name in enumerate(_NUMBERS, 1)} | {str(n): str(n) for n in range(1, 10)},
}
"""Expressions for each type of value, with the value in the state."""

SLOTS = {
    "restaurant": ("food", "area", "price", "people", "day", "time"),
    "taxi": ("from", "to", "leave", "arrive", "people"),
    "train": ("from", "to", "day", "leave", "arrive", "people"),
}
"""The slots of each domain."""

_FILLS = {"place": ("from", "to"), "city": ("from", "to"), "number": ("people",), "time": ("time", "leave", "arrive")}
_WORDS = re.compile(r"\d{1,2}[:h.]\d\d(?:[ap]m)?|\w+(?:'\w+)?")
_PHRASE = re.compile("|".join(_PHRASES), re.IGNORECASE)


class TurnMention(NamedTuple):
    """A mention of an ontology value in a turn: its type, its name in the state and its word position."""

    kind: str
    value: str
    at: int


class DialogueTracker:
    """Model that reads the oracle history and the current turn and returns the whole state, a map from ``domain-slot`` to value."""

    name = "dialogue-tracker"

    def __init__(self) -> None:
        self._domains, self._slots = _trained()

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """Return the state after each turn."""
        return [self._state(row.get("history", ""), row["utterance"]) for row in inputs]

    def _state(self, history: str, utterance: str) -> dict[str, str]:
        lines = [line.partition(": ")[::2] for line in history.splitlines()] + [("user", utterance)]
        domain = self._domains.predict(feature for _, text in lines for feature in _bag(_tokens(text)))
        state: dict[str, str] = {}
        system = ""
        for speaker, text in lines:
            if speaker == "system":
                system = text
            else:
                state |= self._update(_tokens(text), system, domain)
        return state

    def _update(self, words: Sequence[str], system: str, domain: str) -> dict[str, str]:
        turn_mentions = mentions(words)
        update = {}
        for index, mention in enumerate(turn_mentions):
            allowed = {"", *_FILLS.get(mention.kind, (mention.kind,))} & {"", *SLOTS[domain]}
            slot = self._slots.predict(_context(words, turn_mentions, index, system, domain), allowed)
            if slot:
                update[f"{domain}-{slot}"] = mention.value
        return update


@functools.cache
def _trained() -> tuple[AveragedPerceptron, AveragedPerceptron]:
    """Train the two perceptrons on first use, which takes about a second."""
    rows = json_lines("tasks/dialogues_train.jsonl")
    domains, slots = AveragedPerceptron(), AveragedPerceptron()
    turns = [_tokens(f"{row['system']} {row['text']}") for row in rows]
    domains.train([list(_bag(words)) for words in turns], [row["domain"] for row in rows])
    features, labels = [], []
    for row in rows:
        words = _tokens(row["text"])
        turn_mentions = mentions(words)
        filled = {value: slot for slot, value in row["update"].items()}
        for index, mention in enumerate(turn_mentions):
            features.append(list(_context(words, turn_mentions, index, row["system"], row["domain"])))
            labels.append(filled.get(mention.value, ""))
    slots.train(features, labels)
    return domains, slots


def _tokens(text: str) -> list[str]:
    """Return words and times; a multi-word place is one token, so "train station" does not suggest trains."""
    return _WORDS.findall(_PHRASE.sub(lambda match: _PHRASES[match[0].lower()], text))


def mentions(words: Sequence[str]) -> list[TurnMention]:
    """Return the ontology's values among the words, and times of day as ``18:30``."""
    turn_mentions: list[TurnMention] = []
    for at, word in enumerate(words):
        low = word.lower()
        if time := parse_time(low, words[at + 1 : at + 2]):
            turn_mentions.append(TurnMention("time", time, at))
            continue
        turn_mentions += [TurnMention(kind, values[low], at) for kind, values in ONTOLOGY.items() if low in values]
    return turn_mentions


def _bag(words: Sequence[str]) -> Iterator[str]:
    kinds = {mention.at: mention.kind for mention in mentions(words)}
    yield "bias"
    for at, word in enumerate(words):
        yield kinds.get(at, word.lower())


def _context(
    words: Sequence[str], turn_mentions: Sequence[TurnMention], index: int, system: str, domain: str
) -> Iterator[str]:
    """Yield features: the words around a mention, the system's latest question, and the mention's rank within its type."""
    kinds = {mention.at: mention.kind.upper() for mention in turn_mentions}
    around = [kinds.get(at, word.lower()) for at, word in enumerate(words)]
    padded = ["<s>", "<s>", "<s>", *around, "</s>", "</s>"]
    kind, here = turn_mentions[index].kind, turn_mentions[index].at + 3
    yield f"{kind} {domain}"
    yield f"{kind} -1={padded[here - 1]}"
    yield f"{kind} -2={padded[here - 2]} {padded[here - 1]}"
    yield f"{kind} -3={padded[here - 3]} {padded[here - 2]}"
    yield f"{kind} +1={padded[here + 1]}"
    yield f"{kind} +2={padded[here + 1]} {padded[here + 2]}"
    order = Counter(mention.kind for mention in turn_mentions[: index + 1])[kind]
    yield f"{kind} {domain} order={order} of={sum(mention.kind == kind for mention in turn_mentions)}"
    for at in range(max(0, turn_mentions[index].at - 6), turn_mentions[index].at):
        yield f"{kind} before={around[at]}"
    for word in set(_tokens(system.lower())):
        yield f"{kind} {domain} system={word}"


class Dialogue(Task):
    """156 dialogues about restaurants, taxis and trains, in English and five languages; with `data_dir`, Multi2WOZ."""

    name = "dialogue"

    def __init__(self, data_dir: str | os.PathLike[str] | None = None) -> None:
        self.data_dir = data_dir

    def examples(self) -> Sequence[Example]:
        """Return all user turns; ``expected`` is the state after the turn. All turns of a dialogue are in the same split."""
        if self.data_dir is not None:
            return multiwoz.examples(self.data_dir)
        return [example for row in json_lines("tasks/dialogues.jsonl") for example in _turns(row)]

    def model(self) -> TaskModel:
        """Return the tracker, trained on the bundled English turns, or on the training split and ontology of Multi2WOZ."""
        if self.data_dir is not None:
            return BeliefTracker(multiwoz.train(self.data_dir), multiwoz.ontology(self.data_dir))
        return DialogueTracker()

    def succeeds(self, example: Example, answer: Any) -> bool:
        """Return whether the whole state is correct."""
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
