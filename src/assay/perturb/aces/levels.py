"""Levels 1 to 3 in ACES section 5.3.2: which text is changed, and how similar good translation and reference must be.

Level 1 changes the good translation. Levels 2 and 3 change the reference, so the incorrect translation has its wording. The
good translation is then similar to the reference (level 2) or very different from it (level 3). The paper measures Levenshtein
similarity but does not give thresholds; these are assay's own.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Literal

from assay.core.batch import Segment
from assay.core.perturbation import Perturbation, Perturbed, Refused, Tools
from assay.perturb.language.texts import first_reference, levenshtein_similarity

Level = Literal[1, 2, 3]
SIMILAR, DIFFERENT = 0.7, 0.5


def level_texts(segment: Segment, level: Level) -> tuple[str, str | None] | Refused:
    """Return the text to change and, from level 2 on, the other text that must contain the same number or name; or a refusal."""
    if level == 1:
        return segment.hypothesis, None
    reference = first_reference(segment)
    if reference is None:
        return Refused("no reference")
    if reference == segment.hypothesis:
        return Refused("the translation equals the reference")
    similarity = levenshtein_similarity(segment.hypothesis, reference)
    if level == 2 and similarity < SIMILAR:
        return Refused("translation and reference are not similar enough")
    if level == 3 and similarity > DIFFERENT:
        return Refused("translation and reference are not very different")
    return reference, segment.hypothesis


class LevelRule(Perturbation):
    """Base class of rules that replace one number or name in a level's text, with their common checks."""

    level: Level = 1
    whole_only = False
    """True if the rule always replaces the whole number or name."""

    def problems(self, segment: Segment, perturbed: Perturbed, language: str, tools: Tools) -> list[str]:
        """Check that exactly one place differs as intended and that the texts belong to the level."""
        problems = super().problems(segment, perturbed, language, tools)
        if len(perturbed.changes) != 1:
            return [*problems, "more than one place was changed"]
        change = perturbed.changes[0]
        problems += self.replacement_problems(perturbed.edited(segment)[change.start : change.end], change.text)
        if perturbed.base is not None and isinstance(level_texts(segment, self.level), Refused):
            problems.append(f"the texts do not belong to level {self.level}")
        return problems

    @abstractmethod
    def replacement_problems(self, old: str, new: str) -> list[str]:
        """Return a description of the problem with `new` as a replacement for `old`."""
