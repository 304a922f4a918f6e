"""A question for a person: what a review screen shows, and what may be answered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Choice:
    """One possible answer: the key to press, and the word that is kept."""

    key: str
    name: str


@dataclass(frozen=True, slots=True)
class ItemVerdict:
    """What one annotator said about one made item: whether it is bad, that is, not what its perturbation promises."""

    annotator: str
    item: str
    perturbation: str
    langpair: str
    bad: bool


@dataclass(frozen=True, slots=True)
class Question:
    """One card of a review. `id` is the key under which the decision is kept, so equal questions are asked once."""

    id: str
    title: str
    body: tuple[str, ...]
    choices: tuple[Choice, ...]
