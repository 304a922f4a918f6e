"""Goals of a decision rule, and their parser.

``catch 95%``, ``at most 2% bad``, ``lose at most 5%``, ``cost use-bad=10 review=1 reject-good=4``.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.core.errors import InputError, unknown

CONFIDENCE = 0.9


@dataclass(frozen=True, slots=True)
class Catch:
    """At least `share` of all breakdowns are not used (they go to review or are rejected)."""

    share: float

    def __str__(self) -> str:
        return f"catch {100 * self.share:g}% of breakdowns"


@dataclass(frozen=True, slots=True)
class Clean:
    """At most `share` of the used translations are bad, with probability `confidence`."""

    share: float
    confidence: float = CONFIDENCE

    def __str__(self) -> str:
        return f"at most {100 * self.share:g}% bad among accepted"


@dataclass(frozen=True, slots=True)
class Lose:
    """The mean loss over all translations is at most `share`; a translation that is not used loses nothing."""

    share: float

    def __str__(self) -> str:
        return f"lose at most {100 * self.share:g}%"


@dataclass(frozen=True, slots=True)
class Cost:
    """Lowest expected cost. Using a good translation costs nothing, and neither does rejecting a bad one."""

    use_bad: float
    review: float
    reject_good: float

    def __str__(self) -> str:
        return f"cost use-bad={self.use_bad:g} review={self.review:g} reject-good={self.reject_good:g}"

    def levels(self) -> tuple[float, float]:
        """Return the breakdown probability up to which using is cheapest, and the one above which rejecting is."""
        even = self.reject_good / (self.use_bad + self.reject_good)
        if self.review >= self.use_bad * even:
            return even, even
        return self.review / self.use_bad, 1 - self.review / self.reject_good


Goal = Catch | Clean | Lose | Cost
_CATCH = re.compile(r"catch\s+([\d.]+)\s*%(\s+of\s+(all\s+)?breakdowns)?")
_CLEAN = re.compile(r"at\s+most\s+([\d.]+)\s*%\s+bad(\s+among\s+(accepted|used))?")
_LOSE = re.compile(r"lose\s+at\s+most\s+([\d.]+)\s*%")
_COSTS = ("use-bad", "review", "reject-good")


def parse_goal(text: str, confidence: float = CONFIDENCE) -> Goal:
    """Parse a goal."""
    plain = " ".join(text.lower().split())
    if match := _CATCH.fullmatch(plain):
        return Catch(_share(match[1], text))
    if match := _CLEAN.fullmatch(plain):
        if not 0 < confidence < 1:
            raise InputError(f"confidence must be between 0 and 1, not {confidence:g}.")
        return Clean(_share(match[1], text), confidence)
    if match := _LOSE.fullmatch(plain):
        return Lose(_share(match[1], text))
    if plain.startswith("cost"):
        return _costs(plain.removeprefix("cost"), text)
    raise InputError(
        f"goal {text!r} is unknown. Use 'catch 95%', 'at most 2% bad', 'lose at most 5%' or "
        "'cost use-bad=10 review=1 reject-good=4'."
    )


def _share(number: str, text: str) -> float:
    try:
        share = float(number) / 100
    except ValueError:
        share = 0.0
    if not 0 < share < 1:
        raise InputError(f"goal {text!r}: the share must be between 0% and 100%.")
    return share


def _costs(rest: str, text: str) -> Cost:
    costs = {}
    for part in rest.replace(",", " ").split():
        name, _, number = part.partition("=")
        if name not in _COSTS:
            raise unknown("cost", name, _COSTS)
        try:
            costs[name] = float(number)
        except ValueError:
            raise InputError(f"goal {text!r}: the cost of {name} is {number!r}, not a number.") from None
    missing = [name for name in _COSTS if name not in costs]
    if missing or min(costs.values()) <= 0:
        what = f"{', '.join(missing)} is missing" if missing else "every cost must be above 0"
        raise InputError(f"goal {text!r}: {what}. Use 'cost use-bad=10 review=1 reject-good=4'.")
    return Cost(costs["use-bad"], costs["review"], costs["reject-good"])
