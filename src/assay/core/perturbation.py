"""Interface of a perturbation, which turns a good translation into an incorrect one and records the exact changes.

A perturbation changes one aspect of a text and reports the changed positions, or it refuses with a reason. It uses only the
random generator that is passed to it, so the same seed gives the same text on any machine. Its checker (`problems`) examines
only the result: the text changed, nothing else did, and the replacement is plausible.
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
    """Card of a perturbation: its effect, the paper that it follows and its requirements."""

    name: str
    """The name as typed after ``assay make -p``, such as ``number-replaced``."""
    about: str
    """One line for ``assay list perturbations``, with a short example."""
    phenomenon: str
    """The phenomenon of its items: the ACES name or DEMETR's label if it follows one of them."""
    category: str
    """The MQM category, such as accuracy/mistranslation, accuracy/omission or fluency/punctuation."""
    severity: Literal["minor", "major", "critical", "base"]
    follows: tuple[str, ...]
    """Papers and ids: ``DEMETR 10``, ``ACES hallucination-number-level-1``, ``SMAUG swap number`` or ``our own``."""
    languages: tuple[str, ...] = ("any",)
    """Target languages that it supports."""
    needs: tuple[str, ...] = ()
    """Names of the linguistic resources that it uses (``parse``, ``wordnet``, ``lemma``, ``embedding`` …)."""
    wants: tuple[Literal["source", "reference"], ...] = ()
    """What the segment must have in addition to the good translation."""
    columns: tuple[str, ...] = ()
    """Other columns that the row must have (`Segment.meta`) because a sentence pair does not contain enough information."""
    sure_in: tuple[str, ...] = ("any",)
    """Target languages in which its items reach the default confidence. In other languages they are refused by default."""
    unless: tuple[str, ...] = ()
    """Columns of the row that replace what it would otherwise guess. With them it is confident in every language."""
    extra: str | None = None
    """The optional extra of mt-assay that installs the resources."""
    off: str = ""
    """Why it is disabled in every language, as a sentence without its full stop; empty if it is enabled."""
    manual: bool = False
    """True if people wrote the change in the paper and this rule only approximates it."""


@dataclass(frozen=True, slots=True)
class Change:
    """Replacement of characters `start` to `end` of the good text with `text`; an insertion has ``start == end``."""

    start: int
    end: int
    text: str


@dataclass(frozen=True, slots=True)
class Perturbed:
    """Result of a perturbation: ordered changes that do not overlap, and a short description (``three -> thirteen``)."""

    changes: tuple[Change, ...]
    what: str = ""
    meta: dict[str, Any] = field(default_factory=dict)
    good: str | None = None
    """A different good translation if the phenomenon needs one (levels of ACES); None keeps the segment's."""
    source: str | None = None
    reference: str | None = None
    """A different source or reference if the phenomenon changes them too."""
    base: str | None = None
    """The text that `changes` edit if it is not the good translation. ACES often edits the reference."""

    def incorrect(self, segment: Segment) -> str:
        """Return the incorrect translation of the segment."""
        return self.apply(self.edited(segment))

    def edited(self, segment: Segment) -> str:
        """Return the text to which the changes apply: `base`, or the good translation if there is no `base`."""
        if self.base is not None:
            return self.base
        return segment.hypothesis if self.good is None else self.good

    def apply(self, text: str) -> str:
        """Return `text` with all changes applied."""
        parts, at = [], 0
        for change in self.changes:
            if not at <= change.start <= change.end <= len(text):
                raise InputError(f"change {change.start}:{change.end} is outside the text or overlaps another.")
            parts += [text[at : change.start], change.text]
            at = change.end
        return "".join([*parts, text[at:]])

    def with_confidence(self, **parts: float) -> Perturbed:
        """Add confidences from 0 to 1 for the parts that the rule had to judge; lower existing values are kept.

        The parts are ``alignment`` (two words translate each other), ``sense`` (the word has the replaced sense), ``parse`` and
        ``fluency``. Parts that the rule does not judge count as certain.
        """
        earlier = self.confidence_by_part
        judged = {part: round(min(parts.get(part, 1.0), earlier.get(part, 1.0)), 2) for part in {**earlier, **parts}}
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
        """Return a countable reason that the confidence is below `least`; empty if it is not."""
        parts = self.confidence_by_part
        unsure = [part for part in sorted(parts, key=lambda part: (parts[part], part)) if parts[part] < least]
        return f"in doubt about the {unsure[0]}" if unsure else ""

    def spans(self) -> tuple[tuple[int, int], ...]:
        """Return the positions of the changed text in the incorrect translation; a deletion is an empty span."""
        spans, shift = [], 0
        for change in self.changes:
            start = change.start + shift
            spans.append((start, start + len(change.text)))
            shift += len(change.text) - (change.end - change.start)
        return tuple(spans)


@dataclass(frozen=True, slots=True)
class Refused:
    """Refusal by a perturbation, with a reason short enough to be counted (``no number``)."""

    reason: str


class Tools(Protocol):
    """Linguistic tools that all perturbations of a run share, so each text is parsed once."""

    def __hash__(self) -> int: ...

    def parse(self, text: str, language: str) -> Any:
        """Return the parsed document (spaCy's Doc for English), from memory if the text was parsed before."""

    def get(self, resource: str, language: str) -> Any:
        """Return a resource by name (wordnet, inflection …). Raise MissingPart with the pip command if it is not installed."""

    def others(self) -> Sequence[Segment]:
        """Return other segments from the same corpus, for perturbations that need an unrelated or a similar text."""


class Perturbation(ABC):
    """Base class for all perturbations; options are keyword arguments of the constructor.

    Example:
        >>> class Doubled(Perturbation):
        ...     card = PerturbationCard(
        ...         "doubled", "the text twice", "doubled", "accuracy/addition", "major", ("our own",)
        ...     )
        ...     def perturb(self, segment, language, rng, tools):
        ...         end = len(segment.hypothesis)
        ...         return Perturbed((Change(end, end, " " + segment.hypothesis),), "doubled")
    """

    card: PerturbationCard

    @abstractmethod
    def perturb(self, segment: Segment, language: str, rng: Rng, tools: Tools) -> Perturbed | Refused:
        """Return the change to `segment.hypothesis` (the good translation, in `language`), or a refusal."""

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Return the problems with the result, one sentence each; empty if it is valid. This runs for every item."""
        good = segment.hypothesis if perturbed.good is None else perturbed.good
        problems = []
        if perturbed.incorrect(segment) == good:
            problems.append("the text did not change")
        return problems
