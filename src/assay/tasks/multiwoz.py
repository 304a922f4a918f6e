"""Loader for Multi2WOZ and MultiWOZ 2.x in the user's folder, with dialogue states at every turn.

Hung et al. (2022), on Eric et al. (2020). The files ``train_dials.json``, ``dev_dials.json``, ``test_dials.json`` and
``ontology.json`` are English; ``dev_dials-de.json`` and ``test_dials-de.json`` contain the same dialogues in another language.
Each file is a list of dialogues (``dialogue_idx``, ``dialogue``). Their turns have ``system_transcript``, ``transcript`` (the
user) and ``belief_state``, a list of ``{"slots": [[slot, value]]}``. MultiWOZ's state trackers share this format. States are
read from the English files only.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Any

from assay.core.errors import AssayError, InputError, count
from assay.core.schema import Place, typed
from assay.core.task import Example
from assay.tasks.belief import Ontology, Turn, normalise_value
from assay.tasks.dataset_files import find_folder, find_language_codes, read_json, refuse_foreign, require_file

_WHAT = "Multi2WOZ"
_INSIDE = "MultiWOZ-2.1"
_NOTHING = ("", "none", "not mentioned")
_ANYTHING = ("dontcare", "dont care", "don't care", "do n't care", "do not care")


def train(folder: str | os.PathLike[str]) -> list[Turn]:
    """Return the turns of the English training split."""
    dialogues = _dialogues(require_file(find_folder(folder, _INSIDE), "train_dials.json", _WHAT), states=True)
    return [turn for turns in dialogues.values() for turn in turns]


def ontology(folder: str | os.PathLike[str]) -> Ontology:
    """Return the slots with their possible values; different spellings of a slot ("price range", "pricerange") are merged."""
    path = require_file(find_folder(folder, _INSIDE), "ontology.json", _WHAT)
    table = read_json(path)
    if not isinstance(table, dict) or not all(isinstance(values, list) for values in table.values()):
        raise InputError(f"{path} is not an ontology: each slot must have a list of values.")
    return Ontology({_slot(name): [str(value) for value in values] for name, values in table.items()})


def examples(folder: str | os.PathLike[str]) -> list[Example]:
    """Return every user turn of the dev and test splits, with the state before it as input; ``expected`` is the state after it."""
    base = find_folder(folder, _INSIDE)
    task_examples: list[Example] = []
    for part in ("dev", "test"):
        english = _dialogues(require_file(base, f"{part}_dials.json", _WHAT), states=True)
        others = {
            code: _translated(base, part, code, english)
            for code in find_language_codes(base, rf"{part}_dials-(\w+)\.json")
        }
        for identifier, turns in english.items():
            for number, turn in enumerate(turns):
                state = json.dumps(turn.before, sort_keys=True)
                inputs = {"utterance": turn.user, "system": turn.system, "state": state}
                translations = {
                    code: {"utterance": dialogues[identifier][number].user}
                    for code, dialogues in others.items()
                    if identifier in dialogues
                }
                task_examples.append(Example(f"{identifier}-{number}", inputs, translations, dict(turn.after), part))
    return task_examples


Dialogues = Mapping[str, Sequence[Turn]]


def _translated(base: Path, part: str, code: str, english: Dialogues) -> Dialogues:
    path = require_file(base, f"{part}_dials-{code}.json", _WHAT)
    dialogues = _dialogues(path, states=False)
    refuse_foreign(path, dialogues, english, f"{part}_dials.json", "dialogue")
    for identifier, turns in dialogues.items():
        if len(turns) != len(english[identifier]):
            raise InputError(
                f"{path}: dialogue {identifier} has {count(len(turns), 'turn')}, but {len(english[identifier])} in English."
            )
    return dialogues


def _dialogues(path: Path, states: bool) -> Dialogues:
    """Return the turns of each dialogue by dialogue name, with or without states."""
    dialogues: dict[str, Sequence[Turn]] = {}
    table = read_json(path)
    if not isinstance(table, list) or not table:
        raise InputError(f"{path} is not a list of dialogues.")
    for number, row in enumerate(table, 1):
        if lacking := _lacking(row, states):
            raise InputError(f"{path}: dialogue {number} has no {lacking!r}.")
        try:
            dialogue = typed(_Dialogue, row, Place("", f"dialogue {number}"), strict=False)
        except AssayError as error:
            reason = str(error).rstrip(".")
            raise InputError(f"{path}: dialogue {number} is not in {_WHAT}'s format ({reason}).") from error
        dialogues[str(dialogue.dialogue_idx)] = list(_turns(dialogue.dialogue, states))
    return dialogues


@dataclass(frozen=True, slots=True)
class _Belief:
    slots: tuple[tuple[str, Any], ...]


@dataclass(frozen=True, slots=True)
class _Turn:
    system_transcript: str
    transcript: str
    belief_state: tuple[_Belief, ...] = ()


@dataclass(frozen=True, slots=True)
class _Dialogue:
    dialogue_idx: str | int
    dialogue: tuple[_Turn, ...]


def _lacking(row: Any, states: bool) -> str:
    """Return the first required key that is missing from a dialogue or one of its turns."""
    required = ("transcript", "system_transcript", *(("belief_state",) if states else ()))
    here = [name for name in ("dialogue_idx", "dialogue") if isinstance(row, dict) and name not in row]
    turns = row.get("dialogue") if isinstance(row, dict) else None
    rows = [turn for turn in turns if isinstance(turn, dict)] if isinstance(turns, list) else []
    return next((name for name in chain(here, (name for turn in rows for name in required if name not in turn))), "")


def _turns(turns: Sequence[_Turn], states: bool) -> Iterator[Turn]:
    before: dict[str, str] = {}
    for turn in turns:
        after = _state(turn.belief_state) if states else {}
        yield Turn(turn.system_transcript.strip(), turn.transcript.strip(), before, after)
        before = after


def _state(belief: Sequence[_Belief]) -> dict[str, str]:
    state: dict[str, str] = {}
    for entry in belief:
        for name, value in entry.slots:
            low = str(value).lower().strip()
            if low not in _NOTHING:
                state[_slot(name)] = "dontcare" if low in _ANYTHING else normalise_value(low)
    return state


def _slot(name: str) -> str:
    """Return ``hotel-bookday`` for "hotel-book day" and "Hotel-book-day", ``hotel-pricerange`` for "hotel-semi-price range"."""
    domain, _, slot = name.lower().strip().partition("-")
    return f"{domain}-{slot.removeprefix('semi-').replace(' ', '').replace('-', '')}"
