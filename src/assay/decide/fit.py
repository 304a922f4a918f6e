"""Learning of a rule from scores and outcomes: thresholds for the goal, per language if there are enough examples."""

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
"""Minimum number of examples to learn from."""
CURVE, CURVE_CLASS = 100, 20
"""Minimum number of examples, and of examples of each class, for a language to get its own calibration."""
QUANTILES = 101
REJECT_AT = 0.5
NO_PROMISE = "none for this language alone"


def fit(
    members: Sequence[Member],
    scores: Mapping[str, Floats],
    grades: Floats | Bools,
    languages: Sequence[str],
    goal: Goal,
    *,
    reject_at: float = REJECT_AT,
    seed: int = 12345,
    card: Mapping[str, Any] | None = None,
) -> Rule:
    """Learn a rule for the goal. Scores are in the form that metrics return, one per example.

    Each grade is 1 for a success, 0 for a breakdown, or a number in between. Examples without a finite score are left out and
    counted on the card. `apply` never uses such a translation, so the guarantee is about the others.

    With several metrics, half of the examples (drawn by `seed`) are used to learn the blend and the other half sets the
    thresholds, so the guarantee does not depend on data that was already used.
    """
    grades = np.asarray(grades, np.float64)
    if isinstance(goal, Catch) and not is_binary(grades):
        raise InputError(
            f"the goal '{goal}' requires outcomes that are success or breakdown, but these are graded. Use --success-at 0.5, or "
            "the goal 'lose at most 5%'."
        )
    plain = Rule(members, str(goal), {})
    qualities = plain.qualities(scores)
    usable = np.asarray(np.isfinite(qualities).all(axis=0))
    _check(grades[usable])
    language_names = np.array([str(language) for language in languages])
    calibration = setting_limits(qualities, grades, seed)
    blended: Blend | None = None
    if len(members) > 1:
        teach = usable & ~calibration
        blended = blend(qualities[:, teach], grades[teach])
    quality = qualities[0] if blended is None else np.full(len(grades), np.nan)
    if blended is not None:
        quality[usable] = blended.at(qualities[:, usable])
    by_language = {
        name: calibration & (language_names == name)
        for name in dict.fromkeys(language_names[calibration].tolist())
        if name not in ("", EVERY)
    }
    try:
        groups = {EVERY: _group(EVERY, quality[calibration], grades[calibration], goal, reject_at)}
    except InputError as error:
        able = [name for name, chosen in by_language.items() if _reaches(goal, quality[chosen], grades[chosen])]
        raise InputError(f"{error} It works for {', '.join(able)} alone (--langs)." if able else str(error)) from None
    for language, chosen in by_language.items():
        groups[language] = _language(language, quality[chosen], grades[chosen], goal, reject_at, groups[EVERY])
    facts = dict(card or {}) | _about(goal, grades[calibration], len(members)) | _left_out(qualities)
    return Rule(members, str(goal), groups, blended, facts)


def setting_limits(qualities: Floats, grades: Floats, seed: int) -> Bools:
    """Return which examples set the thresholds: all with finite scores or, with several metrics, the half not used for blending."""
    usable = np.asarray(np.isfinite(qualities).all(axis=0))
    return usable if len(qualities) == 1 else usable & ~_half(grades >= 0.5, usable, seed)


def _left_out(qualities: Floats) -> dict[str, str]:
    """Return how many examples could not be used for learning, and the reasons; empty if all were used."""
    missing = np.isnan(qualities).any(axis=0)
    infinite = ~np.isfinite(qualities).all(axis=0) & ~missing
    reasons = {"without a score": int(missing.sum()), "not a finite score": int(infinite.sum())}
    text = ", ".join(f"{n:,} {reason}" for reason, n in reasons.items() if n)
    return {"left_out": f"{sum(reasons.values()):,} of {count(qualities.shape[1], 'example')} ({text})"} if text else {}


def _check(grades: Floats) -> None:
    if len(grades) < FEWEST:
        raise InputError(
            f"{count(len(grades), 'scored example')}: too few to learn a rule; at least {FEWEST} are required."
        )
    if np.ptp(grades) > 0:
        return
    if not is_binary(grades):
        raise InputError(
            f"every outcome has the grade {grades[0]:g}. Learning a rule requires at least two different grades."
        )
    which = "successes" if grades.any() else "breakdowns"
    raise InputError(f"all outcomes are {which}. Learning a rule requires outcomes of both kinds.")


def _half(good: Bools, usable: Bools, seed: int) -> Bools:
    """Choose half of the usable examples, stratified by class."""
    chosen, rng = np.zeros(len(good), bool), np.random.default_rng(seed)
    for mask in (good & usable, ~good & usable):
        where = np.flatnonzero(mask)
        chosen[rng.permutation(where)[: len(where) // 2]] = True
    return chosen


def _language(name: str, quality: Floats, grades: Floats, goal: Goal, reject_at: float, every: Group) -> Group:
    """Return a language's group: it gets its own threshold if it has enough examples for the goal's guarantee.

    With fewer examples, `catch` takes the stricter of two thresholds: the one of all languages, and the best-scored
    breakdown of the language. A stricter threshold never catches less. By conformal risk control, the best-scored of n
    breakdowns alone catches n / (n + 1) of new ones on average, so much can still be guaranteed. The other goals take
    the thresholds of all languages, with no guarantee for the language alone.

    `at most N% bad` has one threshold for all languages (see `assay.decide.conformal`). It is guaranteed for the language
    alone if the test of the goal also holds on its own examples.
    """
    loss, bad = float((1 - grades).sum()), _breakdowns(grades)
    enough = len(grades) >= CURVE and min(loss, len(grades) - loss) >= CURVE_CLASS
    curve = breakdown_curve(quality, grades) if enough else every.curve
    quantiles = _quantiles(quality) if len(quality) >= FEWEST else every.quantiles
    if isinstance(goal, Catch | Lose) or (isinstance(goal, Cost) and enough):
        try:
            group = replace(_group(name, quality, grades, goal, reject_at, curve), quantiles=quantiles)
            return group if isinstance(goal, Cost) else _not_looser(group, every, quality)
        except InputError:
            pass
    above, limits, promised, promise = every.above, OF_ALL, None, NO_PROMISE
    if isinstance(goal, Clean) and clean_holds(above, quality, grades, goal.share, goal.confidence):
        promised, promise = goal.share, every.promise
    if isinstance(goal, Catch) and bad:
        promised = math.floor(1000 * bad / (bad + 1)) / 1000
        promise = _promise(Catch(promised))
        if (best := float(quality[grades < 1].max())) > above:
            above, limits = best, STRICTER
    used = int(((quality > above) & (curve.at(quality) <= every.use_at)).sum())
    return replace(
        every, name=name, n=len(grades), breakdowns=bad, above=above, curve=curve, quantiles=quantiles, promise=promise,
        used=used, limits=limits, promised=promised, grade=_mean_grade(grades),
    )  # fmt: skip


def _not_looser(group: Group, every: Group, quality: Floats) -> Group:
    """Return a language's group with the stricter of two thresholds: its own, and the one for all languages.

    The threshold of all languages holds for all of them together. A looser one for a single language would lose more than
    it allows, while a stricter one never loses more and never catches less.
    """
    if group.above >= every.above:
        return group
    used = int(((quality > every.above) & (group.curve.at(quality) <= group.use_at)).sum())
    return replace(group, above=every.above, used=used, limits=STRICTER)


def _group(
    name: str, quality: Floats, grades: Floats, goal: Goal, reject_at: float, curve: Curve | None = None
) -> Group:
    curve = breakdown_curve(quality, grades) if curve is None else curve
    above, use_at, promised = -math.inf, 1.0, None
    if isinstance(goal, Cost):
        use_at, reject_at = goal.levels()
        promise = f"none; expected cost {_expected_cost(goal, curve, quality):.3g} per translation on the training data"
    else:
        above, promise, promised = _limit(goal, quality, grades).above, _promise(goal, is_binary(grades)), goal.share
    used = int(((quality > above) & (curve.at(quality) <= use_at)).sum())
    return Group(
        name,
        len(grades),
        _breakdowns(grades),
        above,
        use_at,
        reject_at,
        curve,
        _quantiles(quality),
        promise,
        used,
        promised=promised,
        grade=_mean_grade(grades),
    )


def _breakdowns(grades: Floats) -> int:
    """Return the number of examples that fall short of full success."""
    return int((grades < 1).sum())


def _mean_grade(grades: Floats) -> float | None:
    """Return the mean grade if outcomes are graded."""
    return None if is_binary(grades) else float(grades.mean())


def _limit(goal: Catch | Clean | Lose, quality: Floats, grades: Floats) -> Limit:
    if isinstance(goal, Lose):
        limit = lose(quality, grades, goal.share)
        if limit is None:
            raise InputError(
                f"the goal '{goal}' needs {count(math.ceil(1 / goal.share - 1 - 1e-9), 'example')}; there are {len(grades):,}. "
                "Add outcomes, or choose a weaker goal."
            )
        return limit
    if isinstance(goal, Catch):
        limit = catch(quality, grades == 1, goal.share)
        if limit is None:
            raise InputError(
                f"the goal '{goal}' needs {count(fewest_breakdowns(goal.share), 'breakdown')}; there are "
                f"{_breakdowns(grades):,}. Add outcomes, or choose a weaker goal."
            )
        return limit
    limit = clean(quality, grades, goal.share, goal.confidence)
    if limit is None:
        needed = math.ceil(math.log((1 - goal.confidence) / STEPS) / math.log1p(-goal.share))
        raise InputError(
            f"no threshold can be shown to meet the goal '{goal}' with {goal.confidence:.0%} confidence on "
            f"{count(len(grades), 'example')} ({(1 - grades).mean():.0%} bad; even without a bad one, {needed:,} must be "
            "accepted). "
            "Choose a weaker goal, add outcomes, or use a metric that separates them better."
        )
    return limit


def _reaches(goal: Goal, quality: Floats, grades: Floats) -> bool:
    return isinstance(goal, Clean) and clean(quality, grades, goal.share, goal.confidence) is not None


def _promise(goal: Catch | Clean | Lose, binary: bool = True) -> str:
    if isinstance(goal, Catch):
        return f"on average {100 * goal.share:g}% or more of the breakdowns are not used"
    if isinstance(goal, Lose):
        what = (
            "of all translations are used breakdowns"
            if binary
            else "of a full grade is lost by use, over all translations"
        )
        return f"on average {100 * goal.share:g}% or less {what}"
    if not binary:
        return (
            f"used translations fall short of a full grade by {100 * goal.share:g}% or less, with {goal.confidence:.0%} "
            "confidence"
        )
    return f"{100 * goal.share:g}% or less of the used translations are bad, with {goal.confidence:.0%} confidence"


def _expected_cost(goal: Cost, curve: Curve, quality: Floats) -> float:
    bad = curve.at(quality)
    return float(np.minimum(np.minimum(bad * goal.use_bad, goal.review), (1 - bad) * goal.reject_good).mean())


def _quantiles(quality: Floats) -> Floats:
    return np.asarray(np.quantile(quality, np.linspace(0, 1, QUANTILES)))


def _about(goal: Goal, grades: Floats, metrics: int) -> dict[str, Any]:
    graded = not is_binary(grades)
    tests = "Hoeffding-Bentkus bounds" if graded else "exact binomial tests"
    return {
        "examples": len(grades),
        "breakdowns": _breakdowns(grades),
        **({"mean_grade": _mean_grade(grades)} if graded else {}),
        "method": {
            Catch: "conformal risk control (Angelopoulos et al. 2024)",
            Lose: "conformal risk control (Angelopoulos et al. 2024)",
            Clean: f"Learn then Test (Angelopoulos et al. 2021), {tests}, Bonferroni",
            Cost: "lowest expected cost by isotonic calibration",
        }[type(goal)],
        "holds": "as long as new translations resemble the training examples: same kind of text, same translator, same "
        "task (the drift check covers scores only)",
        "blend": "logistic regression on half of the examples; thresholds from the other half"
        if metrics > 1
        else "none",
    }
