"""Learning a rule from scores and outcomes: limits for the goal, per language where there is enough to learn from."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError, count
from assay.decide.calibration import Blend, Curve, blend, breakdown_curve
from assay.decide.conformal import STEPS, Limit, catch, clean, clean_holds, fewest_breakdowns, is_binary, lose
from assay.decide.goals import Catch, Clean, Cost, Goal, Lose
from assay.decide.rule import EVERY, OF_ALL, STRICTER, Group, Member, Rule

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FEWEST = 20
"""Fewer examples than these are refused."""
CURVE, CURVE_CLASS = 100, 20
"""A language has a calibration of its own from this many examples, and this many of each class, on; below, that of all."""
QUANTILES = 101
REJECT_AT = 0.5
NO_PROMISE = "none for this language alone"


def fit(
    members: Sequence[Member],
    scores: Mapping[str, Floats],
    worth: Floats | Bools,
    languages: Sequence[str],
    goal: Goal,
    *,
    reject_at: float = REJECT_AT,
    seed: int = 12345,
    card: Mapping[str, Any] | None = None,
) -> Rule:
    """A rule for the goal. Scores are as the metrics give them, one an example; `worth` is 1 for a success, 0 for a breakdown,
    or a grade between them.

    Examples without a score (NaN), or with one that is not finite, are left out and counted on the card: `apply` never uses
    such a translation, so that the promise is about the others.

    With several metrics, half of the examples (drawn by `seed`) teach how to blend them and the other half sets the limits,
    so that the promise is not spoilt by having looked.
    """
    worth = np.asarray(worth, np.float64)
    if isinstance(goal, Catch) and not is_binary(worth):
        raise InputError(
            f"to {goal}, outcomes must be success or breakdown, and these are graded: give --success-at 0.5, or the goal "
            "'lose at most 5%'."
        )
    plain = Rule(members, str(goal), {})
    qualities = plain.qualities(scores)
    known = np.asarray(np.isfinite(qualities).all(axis=0))
    _check(worth[known])
    spoken = np.array([str(language) for language in languages])
    held = setting_limits(qualities, worth, seed)
    blended: Blend | None = None
    if len(members) > 1:
        teach = known & ~held
        blended = blend(qualities[:, teach], worth[teach])
    quality = qualities[0] if blended is None else np.full(len(worth), np.nan)
    if blended is not None:
        quality[known] = blended.at(qualities[:, known])
    apart = {name: held & (spoken == name) for name in dict.fromkeys(spoken[held].tolist()) if name not in ("", EVERY)}
    try:
        groups = {EVERY: _group(EVERY, quality[held], worth[held], goal, reject_at)}
    except InputError as error:
        able = [name for name, mine in apart.items() if _reaches(goal, quality[mine], worth[mine])]
        raise InputError(f"{error} For {', '.join(able)} alone it can (--langs)." if able else str(error)) from None
    for language, mine in apart.items():
        groups[language] = _language(language, quality[mine], worth[mine], goal, reject_at, groups[EVERY])
    about = dict(card or {}) | _about(goal, worth[held], len(members)) | _left_out(qualities)
    return Rule(members, str(goal), groups, blended, about)


def setting_limits(qualities: Floats, worth: Floats, seed: int) -> Bools:
    """Which examples set the limits: all with finite scores; of several metrics, the half that did not teach how to blend them."""
    known = np.asarray(np.isfinite(qualities).all(axis=0))
    return known if len(qualities) == 1 else known & ~_half(worth >= 0.5, known, seed)


def _left_out(qualities: Floats) -> dict[str, str]:
    """How many examples the rule could not learn from, and why; nothing where it learned from all."""
    missing = np.isnan(qualities).any(axis=0)
    infinite = ~np.isfinite(qualities).all(axis=0) & ~missing
    reasons = {"without a score": int(missing.sum()), "not a finite score": int(infinite.sum())}
    told = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items() if n)
    return {"left_out": f"{sum(reasons.values()):,} of {count(qualities.shape[1], 'example')} ({told})"} if told else {}


def _check(worth: Floats) -> None:
    if len(worth) < FEWEST:
        raise InputError(
            f"{count(len(worth), 'scored example')}: too few to learn a rule from, there must be {FEWEST} or more."
        )
    if np.ptp(worth) > 0:
        return
    if not is_binary(worth):
        raise InputError(f"every outcome has the grade {worth[0]:g}: a rule learns from the differences.")
    which = "successes" if worth.any() else "breakdowns"
    raise InputError(f"the outcomes are {which} only: a rule learns from both. Bring some of the other kind.")


def _half(good: Bools, known: Bools, seed: int) -> Bools:
    """Half of the known examples, the classes divided alike."""
    chosen, rng = np.zeros(len(good), bool), np.random.default_rng(seed)
    for mask in (good & known, ~good & known):
        where = np.flatnonzero(mask)
        chosen[rng.permutation(where)[: len(where) // 2]] = True
    return chosen


def _language(name: str, quality: Floats, worth: Floats, goal: Goal, reject_at: float, every: Group) -> Group:
    """The language's own limit where it has enough examples to keep the goal's promise for it alone.

    Below that, `catch` takes the stricter of two limits: that of all languages, and the language's best-scored breakdown. A
    stricter limit never catches less, and by conformal risk control the best-scored of n breakdowns alone already catches
    n / (n + 1) of new ones on average; so much can still be promised. The other goals take the limits of all, and nothing is
    promised for the language alone.

    `at most N% bad` has one threshold for all languages (`assay.decide.conformal` says why). It is guaranteed for the language
    alone if the test of the goal holds on its own examples, too.
    """
    lost, bad = float((1 - worth).sum()), _breakdowns(worth)
    enough = len(worth) >= CURVE and min(lost, len(worth) - lost) >= CURVE_CLASS
    curve = breakdown_curve(quality, worth) if enough else every.curve
    quantiles = _quantiles(quality) if len(quality) >= FEWEST else every.quantiles
    if isinstance(goal, Catch | Lose) or (isinstance(goal, Cost) and enough):
        try:
            own = replace(_group(name, quality, worth, goal, reject_at, curve), quantiles=quantiles)
            return own if isinstance(goal, Cost) else _not_looser(own, every, quality)
        except InputError:
            pass
    above, limits, promised, promise = every.above, OF_ALL, None, NO_PROMISE
    if isinstance(goal, Clean) and clean_holds(above, quality, worth, goal.share, goal.confidence):
        promised, promise = goal.share, every.promise
    if isinstance(goal, Catch) and bad:
        promised = math.floor(1000 * bad / (bad + 1)) / 1000
        promise = _promise(Catch(promised))
        if (best := float(quality[worth < 1].max())) > above:
            above, limits = best, STRICTER
    used = int(((quality > above) & (curve.at(quality) <= every.use_at)).sum())
    return replace(
        every, name=name, n=len(worth), breakdowns=bad, above=above, curve=curve, quantiles=quantiles, promise=promise,
        used=used, limits=limits, promised=promised, grade=_mean_grade(worth),
    )  # fmt: skip


def _not_looser(own: Group, every: Group, quality: Floats) -> Group:
    """Return the group of a language with the stricter of two thresholds: its own, and that of all languages.

    The threshold of all languages holds for all of them together. A looser one for a single language would lose more than it
    allows, while a stricter one never loses more and never catches less.
    """
    if own.above >= every.above:
        return own
    used = int(((quality > every.above) & (own.curve.at(quality) <= own.use_at)).sum())
    return replace(own, above=every.above, used=used, limits=STRICTER)


def _group(
    name: str, quality: Floats, worth: Floats, goal: Goal, reject_at: float, curve: Curve | None = None
) -> Group:
    curve = breakdown_curve(quality, worth) if curve is None else curve
    above, use_at, promised = -math.inf, 1.0, None
    if isinstance(goal, Cost):
        use_at, reject_at = goal.levels()
        promise = f"none; expected cost {_expected_cost(goal, curve, quality):.3g} a translation where it was learned"
    else:
        above, promise, promised = _limit(goal, quality, worth).above, _promise(goal, is_binary(worth)), goal.share
    used = int(((quality > above) & (curve.at(quality) <= use_at)).sum())
    return Group(
        name,
        len(worth),
        _breakdowns(worth),
        above,
        use_at,
        reject_at,
        curve,
        _quantiles(quality),
        promise,
        used,
        promised=promised,
        grade=_mean_grade(worth),
    )


def _breakdowns(worth: Floats) -> int:
    """How many examples fall short of full success."""
    return int((worth < 1).sum())


def _mean_grade(worth: Floats) -> float | None:
    """The mean grade, where outcomes are graded."""
    return None if is_binary(worth) else float(worth.mean())


def _limit(goal: Catch | Clean | Lose, quality: Floats, worth: Floats) -> Limit:
    if isinstance(goal, Lose):
        found = lose(quality, worth, goal.share)
        if found is None:
            raise InputError(
                f"to {goal}, {count(math.ceil(1 / goal.share - 1 - 1e-9), 'example')} must be known; there are {len(worth):,}. "
                "Bring more outcomes, or ask for less."
            )
        return found
    if isinstance(goal, Catch):
        limit = catch(quality, worth == 1, goal.share)
        if limit is None:
            raise InputError(
                f"to {goal}, {count(fewest_breakdowns(goal.share), 'breakdown')} must be known; there are "
                f"{_breakdowns(worth):,}. Bring more outcomes, or ask for less."
            )
        return limit
    found = clean(quality, worth, goal.share, goal.confidence)
    if found is None:
        needed = math.ceil(math.log((1 - goal.confidence) / STEPS) / math.log1p(-goal.share))
        raise InputError(
            f"no limit can be shown to keep {goal} with {goal.confidence:.0%} confidence on {count(len(worth), 'example')} "
            f"({(1 - worth).mean():.0%} bad; even without a bad one it takes {needed:,} accepted). Ask for less, bring more "
            "outcomes, or take a metric that tells them better apart."
        )
    return found


def _reaches(goal: Goal, quality: Floats, worth: Floats) -> bool:
    return isinstance(goal, Clean) and clean(quality, worth, goal.share, goal.confidence) is not None


def _promise(goal: Catch | Clean | Lose, binary: bool = True) -> str:
    if isinstance(goal, Catch):
        return f"on average {100 * goal.share:g}% or more of the breakdowns are not used"
    if isinstance(goal, Lose):
        what = (
            "of all translations are breakdowns that are used"
            if binary
            else "of a full grade is lost by using, over all translations"
        )
        return f"on average {100 * goal.share:g}% or less {what}"
    if not binary:
        return f"what is used falls short of a full grade by {100 * goal.share:g}% or less, with {goal.confidence:.0%} confidence"
    return f"{100 * goal.share:g}% or less of what is used is bad, with {goal.confidence:.0%} confidence"


def _expected_cost(goal: Cost, curve: Curve, quality: Floats) -> float:
    bad = curve.at(quality)
    return float(np.minimum(np.minimum(bad * goal.use_bad, goal.review), (1 - bad) * goal.reject_good).mean())


def _quantiles(quality: Floats) -> Floats:
    return np.asarray(np.quantile(quality, np.linspace(0, 1, QUANTILES)))


def _about(goal: Goal, worth: Floats, metrics: int) -> dict[str, Any]:
    graded = not is_binary(worth)
    tests = "Hoeffding-Bentkus bounds" if graded else "exact binomial tests"
    return {
        "examples": len(worth),
        "breakdowns": _breakdowns(worth),
        **({"mean_grade": _mean_grade(worth)} if graded else {}),
        "method": {
            Catch: "conformal risk control (Angelopoulos et al. 2024)",
            Lose: "conformal risk control (Angelopoulos et al. 2024)",
            Clean: f"Learn then Test (Angelopoulos et al. 2021), {tests}, Bonferroni",
            Cost: "lowest expected cost by isotonic calibration",
        }[type(goal)],
        "holds": "as long as new translations are like those it was learned from: same kind of text, same translator, same "
        "task (the drift check looks at scores alone)",
        "blend": "logistic regression on half of the examples; limits from the other half" if metrics > 1 else "none",
    }
