"""The contract of a perturbation: a good translation goes in, an incorrect one comes out with exactly what was changed.

A perturbation changes one aspect of a text and says where; or it refuses and says why. It draws from the generator it is
given and from nothing else, so the same seed gives the same text on any machine. The checker beside it (`problems`) looks at
the result alone: nothing else moved, the text really changed, the replacement is plausible.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

from assay.core.batch import Segment
from assay.core.errors import InputError

if TYPE_CHECKING:
    import numpy as np

Rng: TypeAlias = "np.random.Generator"
"""The random generator that a perturbation draws from."""

SURE = 0.5
"""The lowest confidence that an item needs by default."""
_CONFIDENCE = "confidence"


@dataclass(frozen=True, slots=True)
class PerturbationCard:
    """What a perturbation does, which paper it follows and what it needs."""

    name: str
    """As typed after ``assay make -p``: ``number-replaced``."""
    about: str
    """One line for ``assay list perturbations``, with a small example."""
    phenomenon: str
    """The phenomenon that items carry: an ACES name or DEMETR's label where it follows one."""
    category: str
    """MQM category: accuracy/mistranslation, accuracy/omission, fluency/punctuation …"""
    severity: Literal["minor", "major", "critical", "base"]
    follows: tuple[str, ...]
    """Papers and ids: ``DEMETR 10``, ``ACES hallucination-number-level-1``, ``SMAUG swap number``, or ``our own``."""
    languages: tuple[str, ...] = ("any",)
    """Target languages that it works in."""
    needs: tuple[str, ...] = ()
    """Resources by the name the linguistic tools know them under (``parse``, ``wordnet``, ``lemma``, ``embedding`` …)."""
    wants: tuple[Literal["source", "reference"], ...] = ()
    """Columns that the segment must have beside the good translation."""
    columns: tuple[str, ...] = ()
    """Further columns of the row that it must have (`Segment.meta`), where a sentence pair alone does not tell enough."""
    sure_in: tuple[str, ...] = ("any",)
    """Target languages in which its items are sure enough by default; in the others they are in doubt, and refused."""
    unless: tuple[str, ...] = ()
    """Columns of the row that say what it guesses otherwise: with them it is sure in every language."""
    extra: str | None = None
    """The optional extra of mt-assay that brings the resources."""
    off: str = ""
    """Why it is switched off in every language, in a sentence without its full stop; empty for one that can be made."""
    manual: bool = False
    """True where the paper had people write the change and the rule here only approximates it."""


@dataclass(frozen=True, slots=True)
class Change:
    """Characters `start` to `end` of the good text became `text`; an insertion has ``start == end``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Perturbed:
    """The changes, in order and without overlap, and a few words on what was done (``three -> thirteen``)."""

    changes: tuple[Change, ...]
    what: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    good: str | None = None
    """A different good translation, where the phenomenon needs its own (levels of ACES); None keeps the segment's."""
    source: str | None = None
    reference: str | None = None
    """A different source or reference, where the phenomenon changes them too."""
    base: str | None = None
    """The text that `changes` edit, where it is not the good translation (ACES often edits the reference)."""

    def incorrect(self, segment: Segment) -> str:
        """The incorrect translation of the segment."""
        return self.apply(self.edited(segment))

    def edited(self, segment: Segment) -> str:
        """The text that the changes edit: `base`, or else the good translation."""
        if self.base is not None:
            return self.base
        return segment.hypothesis if self.good is None else self.good

    def apply(self, text: str) -> str:
        """The incorrect text."""
        parts, at = [], 0
        for change in self.changes:
            if not at <= change.start <= change.end <= len(text):
                raise InputError(f"change {change.start}:{change.end} lies outside the text or overlaps another.")
            parts += [text[at : change.start], change.text]
            at = change.end
        return "".join([*parts, text[at:]])

    def with_confidence(self, **parts: float) -> Perturbed:
        """Return the result with confidences from 0 to 1 for what the rule had to judge; a lower earlier value stays.

        The parts are ``alignment`` (two words translate each other), ``sense`` (the word has the replaced sense), ``parse`` and
        ``fluency``. A rule is sure of what it does not judge.
        """
        known = self.confidence_by_part
        judged = {part: round(min(parts.get(part, 1.0), known.get(part, 1.0)), 2) for part in {**known, **parts}}
        return replace(self, meta={**self.meta, _CONFIDENCE: judged})

    @property
    def confidence_by_part(self) -> dict[str, float]:
        """The confidence of each part that the rule judged."""
        return dict(self.meta.get(_CONFIDENCE, {}))

    @property
    def confidence(self) -> float:
        """The lowest confidence of all parts; 1 if the rule judged nothing."""
        return min(self.confidence_by_part.values(), default=1.0)

    def doubt(self, least: float) -> str:
        """Return why the confidence is below `least`, in words that can be counted; empty if it is not."""
        parts = self.confidence_by_part
        unsure = [part for part in sorted(parts, key=lambda part: (parts[part], part)) if parts[part] < least]
        return f"in doubt about the {unsure[0]}" if unsure else ""

    def spans(self) -> tuple[tuple[int, int], ...]:
        """Where the changed text stands in the incorrect translation; a deletion is an empty span."""
        spans, shift = [], 0
        for change in self.changes:
            start = change.start + shift
            spans.append((start, start + len(change.text)))
            shift += len(change.text) - (change.end - change.start)
        return tuple(spans)


@dataclass(frozen=True, slots=True)
class Refused:
    """The rule does not fit this text, and why, in words that can be counted (``no number``)."""

    reason: str


class Tools(Protocol):
    """Linguistic tools, shared by all perturbations of a run: each text is parsed once."""

    def __hash__(self) -> int: ...

    def parse(self, text: str, language: str) -> Any:
        """A parsed document (spaCy's Doc for English), from memory when it was parsed before."""

    def get(self, resource: str, language: str) -> Any:
        """A resource by name (wordnet, inflection …); raises MissingPart with the pip line where it is not installed."""

    def others(self) -> Sequence[Segment]:
        """Further segments of the same corpus, for perturbations that need an unrelated or a similar text."""


class Perturbation(ABC):
    """Base of every perturbation; options are keyword arguments of the constructor."""

    card: PerturbationCard

    @abstractmethod
    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """The change to `segment.hypothesis` (the good translation, in `language`), or a refusal."""

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """What is wrong with the result, in sentences; empty when it is as it should be. Checked for every item made."""
        good = segment.hypothesis if perturbed.good is None else perturbed.good
        found = []
        if perturbed.incorrect(segment) == good:
            found.append("the text did not change")
        return found
