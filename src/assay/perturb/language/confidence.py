"""How sure a rule is of what it made: a number between 0 and 1 for each thing that may have gone wrong.

The things are `PARTS`: whether two words translate each other, whether a word has the sense that was replaced, whether the
parse is right, whether the result reads on. A rule names those that it had to judge; what it did not judge it is sure of.
An item is as sure as its least sure part; ``assay make`` refuses what is under `SURE` unless it is told otherwise.
"""

from __future__ import annotations

from dataclasses import replace

from assay.core.perturbation import Perturbed

PARTS = ("alignment", "sense", "parse", "fluency")
SURE = 0.5
"""The least confidence that an item needs by default."""
KEY = "confidence"


def confident(made: Perturbed, **parts: float) -> Perturbed:
    """The result with the confidence of its parts; the lower value stands where a part was judged before."""
    known: dict[str, float] = made.meta.get(KEY, {})
    judged = {part: round(min(parts.get(part, 1.0), known.get(part, 1.0)), 2) for part in {**known, **parts}}
    return replace(made, meta={**made.meta, KEY: judged})


def parts_of(made: Perturbed) -> dict[str, float]:
    """The parts that the rule judged."""
    return dict(made.meta.get(KEY, {}))


def confidence(made: Perturbed) -> float:
    """The least of the parts; 1 where nothing had to be judged."""
    return min(parts_of(made).values(), default=1.0)


def doubt(made: Perturbed, least: float) -> str:
    """Why the result is not sure enough, in words that can be counted; empty where it is."""
    parts = parts_of(made)
    unsure = [part for part in sorted(parts, key=lambda part: (parts[part], part)) if parts[part] < least]
    return f"in doubt about the {unsure[0]}" if unsure else ""
