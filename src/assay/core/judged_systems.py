"""Human and metric scores of MT systems as arrays, the input to meta-evaluation."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.core.metric import Floats

Level = Literal["seg", "sys", "domain"]


@dataclass(frozen=True, slots=True)
class LevelScores:
    """Scores by one metric or by annotators at segment, system and domain level; NaN if missing.

    `seg` has one row per system and one column per segment, `sys` one number per system, `domain` one row per system and one
    column per domain in alphabetical order.
    """

    seg: Floats | None = None
    sys: Floats | None = None
    domain: Floats | None = None
    averaged: bool = False
    """Whether `sys` holds means of segment scores, because there were no system scores."""

    def at(self, level: Level) -> Floats | None:
        """Return the scores at a level."""
        scores: Floats | None = getattr(self, level)
        return scores

    def oriented(self, higher_is_better: bool) -> LevelScores:
        """Return the scores with higher values for better systems."""
        if higher_is_better:
            return self
        seg, sys, domain = (None if scores is None else -scores for scores in (self.seg, self.sys, self.domain))
        return LevelScores(seg, sys, domain, averaged=self.averaged)


@dataclass(frozen=True)
class JudgedSystems:
    """One language pair in a human-rated test set: systems, human scores and metric scores, all oriented so that higher is better.

    Systems named like a reference are human translations. Official comparisons exclude outliers.
    """

    langpair: str
    systems: Sequence[str]
    segments: int
    gold: Mapping[str, LevelScores]
    metrics: Mapping[str, LevelScores]
    standard_reference: str = ""
    references: Sequence[str] = ()
    outliers: Sequence[str] = ()
    domains: Sequence[str] = ()
    """The domain of each segment; empty if there are no domains."""
    standard_gold: Mapping[str, str] = field(default_factory=dict)
    """For each level, the name of the human scores that count as gold."""

    def __post_init__(self) -> None:
        for kind, scorers in (("human scores", self.gold), ("metric", self.metrics)):
            for name, scores in scorers.items():
                self._check(f"{kind} {name!r} of {self.langpair}", scores)

    def _check(self, what: str, scores: LevelScores) -> None:
        systems = len(self.systems)
        shapes = {
            "seg": (systems, self.segments),
            "sys": (systems,),
            "domain": (systems, len(self.domain_names)),
        }
        for level, shape in shapes.items():
            array = getattr(scores, level)
            if array is not None and tuple(array.shape) != shape:
                raise InputError(f"{what}: {level} scores have the shape {tuple(array.shape)} instead of {shape}.")

    @property
    def domain_names(self) -> list[str]:
        """The domains in the order of the columns of domain scores."""
        return sorted(set(self.domains))
