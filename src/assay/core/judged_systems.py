"""Systems judged by people and by metrics, as arrays: what meta-evaluation looks at."""

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
    """One scorer's numbers at the levels it gave them for; NaN where it gave none.

    `seg` has a row for each system and a column for each segment, `sys` one number for each system, `domain` a row for each
    system and a column for each domain in alphabetical order.
    """

    seg: Floats | None = None
    sys: Floats | None = None
    domain: Floats | None = None
    averaged: bool = False
    """Whether `sys` holds means of the segments that have a score, because nobody gave system scores."""

    def at(self, level: Level) -> Floats | None:
        scores: Floats | None = getattr(self, level)
        return scores

    def oriented(self, higher_is_better: bool) -> LevelScores:
        """The same scores with higher meaning better."""
        if higher_is_better:
            return self
        seg, sys, domain = (None if scores is None else -scores for scores in (self.seg, self.sys, self.domain))
        return LevelScores(seg, sys, domain, averaged=self.averaged)


@dataclass(frozen=True)
class JudgedSystems:
    """One language pair of a judged set: systems, people's scores and metrics' scores, all higher for better.

    Systems that carry the name of a reference are human translations; outliers are left out of official comparisons.
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
    """The domain of each segment; empty where there are none."""
    standard_gold: Mapping[str, str] = field(default_factory=dict)
    """Level to the name of the human scores that count as gold there."""

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
            found = getattr(scores, level)
            if found is not None and tuple(found.shape) != shape:
                raise InputError(f"{what}: {level} scores have the shape {tuple(found.shape)}, {shape} was expected.")

    @property
    def domain_names(self) -> list[str]:
        """Domains in the order of the columns of domain scores."""
        return sorted(set(self.domains))
