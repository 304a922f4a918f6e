"""Belief tracker for the user's own dialogues: predicts the state after a turn from the state before it and the turn.

Values that the system and the user mention are found with the ontology of the user's data. One perceptron predicts which slot a
mention fills, if any. A second one predicts slots that are filled without a mention ("do you have parking?", "I don't mind").
Both learn from English turns. The tracker gets the correct state before the turn (an oracle history): since only the turn is
translated, a failure can only come from the turn.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import NamedTuple

from assay.tasks.english_words import normalise_words, parse_time, split_words
from assay.tasks.perceptron import AveragedPerceptron

State = Mapping[str, str]
"""Maps ``domain-slot`` to value."""

_TURNS = 20_000
_SPELLED = {"center": "centre", "theater": "theatre", "moderately": "moderate", "inexpensive": "cheap"}
_SYSTEM, _USER = "system", "user"


class Turn(NamedTuple):
    """A training turn: the system's and the user's text, and the state before and after."""

    system: str
    user: str
    before: State
    after: State


class Mention(NamedTuple):
    """Mention of an ontology value: the speaker, the word position, and the slots that allow this value."""

    value: str
    speaker: str
    at: int
    slots: frozenset[str]


class Ontology:
    """Possible values of each slot, with a search for them in texts."""

    def __init__(self, values: Mapping[str, Collection[str]]) -> None:
        """Index `values`, which maps each slot to its possible values."""
        self._slots: dict[tuple[str, ...], set[str]] = {}
        times: set[str] = set()
        for slot, names in values.items():
            for name in names:
                words = _words(name)
                if len(words) == 1 and parse_time(words[0], ()):
                    times.add(slot)
                elif words:
                    self._slots.setdefault(tuple(words), set()).add(slot)
        self._times = frozenset(times)
        self._longest = max(map(len, self._slots), default=0)

    def mentions(self, words: Sequence[str], speaker: str) -> list[Mention]:
        """Return the values mentioned in `words`, from left to right; at each position, the longest match."""
        mentions: list[Mention] = []
        at = 0
        while at < len(words):
            if time := parse_time(words[at], words[at + 1 : at + 2]):
                mentions.append(Mention(time, speaker, at, self._times))
                at += 1
                continue
            for length in range(min(self._longest, len(words) - at), 0, -1):
                phrase = tuple(words[at : at + length])
                if phrase in self._slots:
                    mentions.append(Mention(" ".join(phrase), speaker, at, frozenset(self._slots[phrase])))
                    at += length - 1
                    break
            at += 1
        return mentions


def normalise_value(value: str) -> str:
    """Return a value in normalised form for comparing states: the ontology's wording, and times as ``18:30``."""
    words = _words(value)
    return (parse_time(words[0], words[1:2]) if words else None) or " ".join(words)


class BeliefTracker:
    """Model that answers with the whole state after a turn."""

    name = "belief-tracker"

    def __init__(self, turns: Sequence[Turn], ontology: Ontology) -> None:
        """Train on a sample of at most 20,000 evenly spaced turns; more turns take longer and barely improve the tracker."""
        self._ontology = ontology
        self._slots, self._unsaid = AveragedPerceptron(), AveragedPerceptron()
        features, labels, bags, gaps = [], [], [], []
        for turn in turns[:: 1 + len(turns) // _TURNS]:
            update = {slot: value for slot, value in turn.after.items() if turn.before.get(slot) != value}
            speech = self._read_turn(turn.system, turn.user)
            for mention in speech.mentions:
                features.append(list(_context(speech, mention, turn.before)))
                labels.append(_filled_slot(mention, update))
            named = {(slot, mention.value) for mention in speech.mentions for slot in mention.slots}
            bags.append(list(_bag(speech, turn.before)))
            gaps.append(json.dumps(sorted(pair for pair in update.items() if pair not in named)))
        often = Counter(gaps)
        self._slots.train(features, labels)
        self._unsaid.train(bags, [gap if often[gap] > 1 else "[]" for gap in gaps])

    def answer(self, inputs: Sequence[Mapping[str, str]]) -> list[dict[str, str]]:
        """Return the state after each turn, given ``utterance``, ``system`` and ``state`` (the state before, as JSON)."""
        return [self._after(row["system"], row["utterance"], json.loads(row["state"])) for row in inputs]

    def _after(self, system: str, utterance: str, before: State) -> dict[str, str]:
        speech = self._read_turn(system, utterance)
        state = dict(before) | dict(json.loads(self._unsaid.predict(_bag(speech, before))))
        for mention in speech.mentions:
            if slot := self._slots.predict(_context(speech, mention, before), {"", *mention.slots}):
                state[slot] = mention.value
        return state

    def _read_turn(self, system: str, utterance: str) -> _Speech:
        words = {_SYSTEM: _words(system), _USER: _words(utterance)}
        return _Speech(
            words,
            [mention for speaker, spoken in words.items() for mention in self._ontology.mentions(spoken, speaker)],
        )


class _Speech(NamedTuple):
    words: Mapping[str, Sequence[str]]
    mentions: Sequence[Mention]


def _words(text: str) -> list[str]:
    return [_SPELLED.get(word, word) for word, _ in normalise_words(split_words(text))]


def _filled_slot(mention: Mention, update: State) -> str:
    """Return the slot that a mention fills; if there are several, the first in alphabetical order."""
    return min((slot for slot in mention.slots if update.get(slot) == mention.value), default="")


def _domains(state: State) -> str:
    return "+".join(sorted({slot.partition("-")[0] for slot in state}))


def _bag(speech: _Speech, before: State) -> Iterator[str]:
    yield f"before={_domains(before)}"
    yield from speech.words[_USER]
    for word in speech.words[_SYSTEM]:
        yield f"system={word}"


def _context(speech: _Speech, mention: Mention, before: State) -> Iterator[str]:
    """Yield features: the speaker, the words around the value, the other words, and the known domains."""
    words = ["<s>", "<s>", *speech.words[mention.speaker], "</s>", "</s>"]
    here = mention.at + 2
    after = here + len(mention.value.split())
    kind = f"{mention.speaker} {'|'.join(sorted({slot.partition('-')[2] for slot in mention.slots}))}"
    yield kind
    yield f"{kind} value={mention.value}"
    yield f"{kind} before={_domains(before)}"
    yield f"{kind} known={'+'.join(slot for slot in sorted(mention.slots) if slot in before)}"
    yield f"{kind} same={'+'.join(slot for slot in sorted(mention.slots) if before.get(slot) == mention.value)}"
    yield f"{kind} -1={words[here - 1]}"
    yield f"{kind} -2={words[here - 2]} {words[here - 1]}"
    yield f"{kind} +1={words[min(after, len(words) - 1)]}"
    fellows = [other for other in speech.mentions if other.slots == mention.slots and other.speaker == mention.speaker]
    yield f"{kind} order={fellows.index(mention)} of={len(fellows)}"
    for word in dict.fromkeys(speech.words[_USER]):
        yield f"{kind} user={word}"
    for word in dict.fromkeys(speech.words[_SYSTEM]):
        yield f"{kind} system={word}"
