"""Decision rule: its metrics, thresholds, guarantees and calibration, and its JSON form."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import AssayError, InputError, listing
from assay.core.schema import Bounds, Count, Place, Share, typed
from assay.core.suite import Measured
from assay.decide.calibration import Blend, Curve

Floats = NDArray[np.float64]

FORMAT = "assay decision rule 2"
EARLIER = "assay decision rule 1"
"""Rules of this version may have language thresholds that break the guarantee over all languages."""
EVERY = "all"
"""The group of all languages together, for languages without thresholds of their own."""
OWN, OF_ALL, STRICTER = "own", "of all", "stricter"


@dataclass(frozen=True)
class Member:
    """A metric in a rule: its name, signature, direction, and the number of decimals shown."""

    name: str
    signature: str
    higher_is_better: bool
    decimals: Annotated[int, Bounds(0, 30)] = 1
    source: str = "metric"
    """``metric`` if assay scores it, ``column`` if its scores come with the data."""

    @classmethod
    def of(cls, measured: Measured, signature: str) -> Member:
        """Return the metric that produced these scores; without a signature, the scores came with the data."""
        card = measured.card
        source = "metric" if signature else "column"
        return cls(measured.name, signature, card.higher_is_better, max(card.decimals, 1), source)

    @property
    def sign(self) -> float:
        """1, or -1 if lower is better: score times sign is quality."""
        return 1.0 if self.higher_is_better else -1.0


@dataclass(frozen=True)
class Group:
    """The thresholds for one language, or for all languages together."""

    name: str
    n: int
    breakdowns: int
    above: float
    """Only translations with a quality above this are used (minus infinity: all may be)."""
    use_at: float
    """Only translations with a breakdown probability up to this are used (1: all may be)."""
    reject_at: float
    """Translations with at least this breakdown probability are rejected, unless they are used."""
    curve: Curve
    quantiles: Floats
    """Evenly spaced quantiles of the training qualities, for the drift check."""
    promise: str
    used: int = 0
    """Number of the `n` training examples that are used."""
    limits: str = OWN
    """Origin of the thresholds.

    They come from the group's own examples, from all languages together (too few examples), or from the group's best-scored
    breakdown, if that is stricter.
    """
    promised: float | None = None
    """The share in the goal that is guaranteed for this group alone; None if nothing is guaranteed."""
    grade: float | None = None
    """The mean training grade if outcomes are graded; `breakdowns` are then the examples below a full grade."""


@dataclass(frozen=True)
class Rule:
    """Metrics, groups and a card. `blend` combines several metrics into one quality; None for a single metric."""

    members: Sequence[Member]
    goal: str
    groups: Mapping[str, Group]
    blend: Blend | None = None
    card: Mapping[str, Any] = field(default_factory=dict)

    def qualities(self, scores: Mapping[str, Floats]) -> Floats:
        """Return scores as qualities (higher is better), [metric, example]."""
        return np.stack([member.sign * scores[member.name] for member in self.members])

    def quality(self, scores: Mapping[str, Floats]) -> Floats:
        """Return one quality per example: a single metric's score (negated if lower is better), or the blend of several."""
        qualities = self.qualities(scores)
        return qualities[0] if self.blend is None else self.blend.at(qualities)

    def group(self, language: str) -> Group:
        """Return the thresholds for a language: its own, those of its first part (``es`` of ``es-en``), or those of all."""
        for name in (language, language.partition("-")[0]):
            if name in self.groups:
                return self.groups[name]
        return self.groups[EVERY]

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        blended = self.blend and {
            "means": self.blend.means.tolist(),
            "scales": self.blend.scales.tolist(),
            "weights": self.blend.weights.tolist(),
            "intercept": self.blend.intercept,
        }
        return {
            "format": FORMAT,
            "goal": self.goal,
            "metrics": [
                {key: getattr(m, key) for key in ("name", "signature", "higher_is_better", "decimals", "source")}
                for m in self.members
            ],
            "blend": blended,
            "groups": {name: _group_to_dict(group) for name, group in self.groups.items()},
            "card": dict(self.card),
        }

    @classmethod
    def from_dict(cls, values: Any, where: str = "the rule") -> Rule:
        """Return the rule from JSON values; reject invalid values with their location."""
        if not isinstance(values, dict) or values.get("format") not in (FORMAT, EARLIER):
            raise InputError(
                f"{where} is not a decision rule of this version of assay ('format': {FORMAT!r}). Create one with assay decide fit."
            )
        try:
            stored = typed(_Stored, values, Place(), strict=False)
            rule = cls(
                members=stored.metrics,
                goal=stored.goal,
                groups={name: group.group(name) for name, group in stored.groups.items()},
                blend=None if stored.blend is None else stored.blend.blend(),
                card=stored.card,
            )
            _check(rule)
        except AssayError as error:
            reason = str(error).rstrip(".")
            raise InputError(f"{where} is damaged ({reason}). Run assay decide fit again.") from error
        if values["format"] == EARLIER and (names := _unsound(rule)):
            raise InputError(
                f"{where} was created by an earlier version of assay. With its thresholds for {listing(names)}, the "
                "guarantee over all "
                "languages does not hold. Run assay decide fit again."
            )
        return rule


def _check(rule: Rule) -> None:
    """Reject a rule that cannot be applied."""
    if EVERY not in rule.groups:
        raise InputError(f"the group {EVERY!r} is missing.")
    n, blend = len(rule.members), rule.blend
    lengths = {1} if blend is None else {len(part) for part in (blend.means, blend.scales, blend.weights)}
    if lengths != {n}:
        raise InputError(f"the blend does not match the number of metrics ({n}).")
    if len({member.name for member in rule.members}) < n:
        raise InputError("metrics has a duplicate name.")
    for name, group in rule.groups.items():
        if not len(group.quantiles) or not 0 < len(group.curve.quality) == len(group.curve.probability):
            raise InputError(f"groups.{name}.curve or groups.{name}.quantiles is empty or has unequal lengths.")
        if (np.diff(group.curve.quality) < 0).any():
            raise InputError(f"groups.{name}.curve.quality is not increasing.")


def _unsound(rule: Rule) -> list[str]:
    """Return the languages whose thresholds break the guarantee over all languages.

    For `catch` and `lose` these are looser thresholds, for `at most N% bad` any other threshold.
    """
    shared = rule.groups[EVERY].above
    if rule.goal.startswith("cost"):
        return []
    clean = rule.goal.startswith("at most")
    return [name for name, group in rule.groups.items() if group.above < shared or (clean and group.above != shared)]


@dataclass(frozen=True)
class _StoredBlend:
    means: tuple[float, ...]
    scales: tuple[float, ...]
    weights: tuple[float, ...]
    intercept: float

    def blend(self) -> Blend:
        return Blend(np.array(self.means), np.array(self.scales), np.array(self.weights), self.intercept)


@dataclass(frozen=True)
class _StoredCurve:
    quality: tuple[float, ...]
    probability: tuple[Share, ...]


@dataclass(frozen=True)
class _StoredGroup:
    """A group as stored in JSON, which has no infinity: `above` is null, and `nothing` tells which infinity."""

    n: Count
    breakdowns: Count
    above: float | None
    use_at: float
    reject_at: float
    curve: _StoredCurve
    quantiles: tuple[float, ...]
    promise: str
    limits: str
    promised: float | None
    nothing: bool = False
    used: Count = 0
    grade: Share | None = None

    def group(self, name: str) -> Group:
        above = self.above if self.above is not None else math.inf if self.nothing else -math.inf
        curve = Curve(np.array(self.curve.quality), np.array(self.curve.probability))
        return Group(
            name, self.n, self.breakdowns, above, self.use_at, self.reject_at, curve, np.array(self.quantiles), self.promise,
            self.used, self.limits, self.promised, self.grade,
        )  # fmt: skip


@dataclass(frozen=True)
class _Stored:
    goal: str
    metrics: tuple[Member, ...]
    groups: Mapping[str, _StoredGroup]
    blend: _StoredBlend | None
    card: Mapping[str, Any] = field(default_factory=dict)


def _group_to_dict(group: Group) -> dict[str, Any]:
    return {
        **({} if group.grade is None else {"grade": group.grade}),
        "n": group.n,
        "breakdowns": group.breakdowns,
        "used": group.used,
        "above": group.above if math.isfinite(group.above) else None,
        "nothing": group.above == math.inf,
        "use_at": group.use_at,
        "reject_at": group.reject_at,
        "promise": group.promise,
        "promised": group.promised,
        "limits": group.limits,
        "curve": {"quality": group.curve.quality.tolist(), "probability": group.curve.probability.round(6).tolist()},
        "quantiles": group.quantiles.tolist(),
    }
