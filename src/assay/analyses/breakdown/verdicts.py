"""Metrics as breakdown classifiers: thresholds from the development set, verdicts and figures on the test set."""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.core.errors import InputError, count, listing
from assay.core.outcomes import BOTH, DEV, TEST, TaskOutcomes
from assay.core.suite import Measured
from assay.stats.classification import (
    Confusion,
    bin_threshold,
    confusion,
    macro_f1,
    majority,
    matthews,
    random_baseline,
    resample_counts,
)
from assay.stats.resampling import percentile_interval

Bools = NDArray[np.bool_]
Floats = NDArray[np.float64]

FEWEST = 20
"""Minimum number of examples per language."""
COIN, VOTE = "random", "majority of 3"


@dataclass(frozen=True)
class Setup:
    """One task in one language: indices of its development and test examples."""

    task: str
    language: str
    dev: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """Classification of one setup by one metric: which of the scored test examples it calls good."""

    setup: Setup
    metric: str
    threshold: float
    """On the scale of the metric."""
    dev_f1: float
    scored: NDArray[np.int64]
    good: Bools
    predicted: Bools

    @property
    def counts(self) -> Confusion:
        """Confusion counts on the test set."""
        return confusion(self.good, self.predicted)


Verdicts = dict[tuple[str, str, str], Verdict]
"""Verdicts by task, language and metric."""


def setups(outcomes: TaskOutcomes) -> tuple[list[Setup], list[str]]:
    """Return the usable tasks and languages, with a note on each unusable one (and on examples in both splits).

    Examples with controlled errors are used only if there are no others.
    """
    n = len(outcomes)
    natural = ~outcomes.controlled if not outcomes.controlled.all() else np.ones(n, bool)
    if n < FEWEST:
        raise InputError(f"{count(n, 'example')}: too few to evaluate a metric; at least {FEWEST} are required.")
    if outcomes.grades is not None and not np.ptp(outcomes.grades[natural]):
        raise InputError(
            f"every outcome has the grade {outcomes.grades[natural][0]:g}. The evaluation requires at least two different grades."
        )
    for what, occurs in (("breakdown", ~outcomes.success), ("success", outcomes.success)):
        if outcomes.grades is None and not (occurs & natural).any():
            raise InputError(f"the outcomes contain no {what}. The evaluation requires both successes and breakdowns.")
    keys = [*zip(outcomes.tasks, outcomes.languages, strict=True)]
    order = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([order[key] for key in keys])
    is_dev = np.array([split in (DEV, BOTH) for split in outcomes.splits])
    is_test = np.array([split in (TEST, BOTH) for split in outcomes.splits])
    usable, left_out = [], []
    for (task, language), code in order.items():
        chosen = (codes == code) & natural
        setup = Setup(task, language, np.flatnonzero(chosen & is_dev), np.flatnonzero(chosen & is_test))
        if not chosen.any():
            continue
        if reason := _unusable(outcomes, setup):
            left_out.append(f"⚠ {_name(task, language)} is left out: {reason}")
        else:
            usable.append(setup)
    if not usable:
        raise InputError("no language can be evaluated. " + " ".join(reason.removeprefix("⚠ ") for reason in left_out))
    shared = sum(len(np.intersect1d(setup.dev, setup.test)) for setup in usable)
    if shared:
        left_out.append(f"{count(shared, 'development example')} also in the test part (split {BOTH})")
    return usable, left_out


def _name(task: str, language: str) -> str:
    return f"{task} {language}".strip() or "the data"


def _unusable(outcomes: TaskOutcomes, setup: Setup) -> str | None:
    size = len(np.union1d(setup.dev, setup.test))
    if size < FEWEST:
        return f"{count(size, 'example')}, but at least {FEWEST} are needed."
    for name, part in (("development", setup.dev), ("test", setup.test)):
        if not len(part):
            return f"it has no examples in the {name} part. (--dev-share 0.5 draws a new development part.)"
        good = int(outcomes.success[part].sum())
        if outcomes.grades is not None:
            if not np.ptp(outcomes.grades[part]):
                return f"its {name} part ({count(len(part), 'example')}) has one grade only."
        elif good in (0, len(part)):
            which = "successes" if good else "breakdowns"
            return f"its {name} part ({count(len(part), 'example')}) has {which} only."
    return None


def judge(outcomes: TaskOutcomes, measured: Sequence[Measured], cut: Sequence[Setup]) -> Verdicts:
    """Return the verdict of every metric on every setup, by (task, language, metric); none if it scored too few examples."""
    verdicts: Verdicts = {}
    for metric in measured:
        if metric.values is None or len(metric.values) != len(outcomes):
            raise InputError(f"{metric.name} must have one score for each of {count(len(outcomes), 'example')}.")
        sign = 1.0 if metric.card.higher_is_better else -1.0
        quality = sign * metric.values
        for setup in cut:
            dev = setup.dev[np.isfinite(quality[setup.dev])]
            test = setup.test[np.isfinite(quality[setup.test])]
            if not len(dev) or not len(test):
                continue
            chosen = bin_threshold(quality[dev], outcomes.success[dev])
            verdicts[setup.task, setup.language, metric.name] = Verdict(
                setup,
                metric.name,
                sign * chosen.value,
                chosen.f1,
                test,
                outcomes.success[test],
                quality[test] >= chosen.value,
            )
    return verdicts


def top_three(measured: Sequence[Measured], cut: Sequence[Setup], verdicts: Verdicts) -> dict[str, list[str]]:
    """Return, for each task, the three metrics with the highest mean macro-F1 on the development set; none if there are fewer."""
    chosen = {}
    for task in dict.fromkeys(setup.task for setup in cut):
        means = {}
        for metric in measured:
            dev_f1s = [v.dev_f1 for v in verdicts.values() if v.metric == metric.name and v.setup.task == task]
            if dev_f1s:
                means[metric.name] = float(np.mean(dev_f1s))
        if len(means) >= 3:
            chosen[task] = sorted(means, key=lambda name: -means[name])[:3]
    return chosen


def majority_verdict(top: Sequence[str], setup: Setup, verdicts: Verdicts) -> Verdict | None:
    """Return the majority vote on one setup, for the examples that all three metrics scored."""
    three = [verdicts.get((setup.task, setup.language, name)) for name in top]
    available = [verdict for verdict in three if verdict is not None]
    if len(available) < 3:
        return None
    common = np.intersect1d(np.intersect1d(available[0].scored, available[1].scored), available[2].scored)
    if not len(common):
        return None
    votes = [v.predicted[np.searchsorted(v.scored, common)] for v in available]
    good = available[0].good[np.searchsorted(available[0].scored, common)]
    return Verdict(setup, VOTE, float("nan"), float("nan"), common, good, majority(votes))


def generator(seed: int, *names: str) -> np.random.Generator:
    """Return a random generator that depends only on the seed and on names."""
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])


def figures(verdict: Verdict, seed: int, samples: int) -> dict[str, Any]:
    """Return macro-F1 and Matthews correlation on the test set, with bootstrap draws of each."""
    draws = resample_counts(verdict.counts, generator(seed, verdict.setup.task, verdict.setup.language), samples)
    return {
        "f1": (float(macro_f1(verdict.counts)), macro_f1(draws)),
        "mcc": (float(matthews(verdict.counts)), matthews(draws)),
    }


def coin_figures(setup: Setup, good: int, bad: int, seed: int) -> dict[str, Any]:
    """Return the same for the random baseline."""
    f1, mcc = random_baseline(good, bad, generator(seed, COIN, setup.task, setup.language))
    return {"f1": (float(f1.mean()), f1), "mcc": (float(mcc.mean()), mcc)}


def mean_cells(
    figures: Sequence[Mapping[str, tuple[float, Floats]]], keys: Sequence[str] = ("f1", "mcc")
) -> dict[str, Any]:
    """Return the mean of each figure over setups, with its interval."""
    cells: dict[str, Any] = {}
    for key in keys:
        cells[key] = float(np.mean([figure[key][0] for figure in figures]))
        draws = np.mean([figure[key][1] for figure in figures], axis=0)
        cells[f"{key}_low"], cells[f"{key}_high"] = percentile_interval(draws)
    return cells


def sample_note(cut: Sequence[Setup], quality: str, seed: int, samples: int) -> str:
    """Describe the examples, their languages and quality, and the bootstrap."""
    dev, test = sum(len(setup.dev) for setup in cut), sum(len(setup.test) for setup in cut)
    languages = listing(dict.fromkeys(setup.language for setup in cut if setup.language))
    return (
        f"{dev:,} development and {test:,} test examples ({quality})"
        + (f" in {languages}" if languages else "")
        + f" · 95% bootstrap, n={samples:,}, seed {seed}"
    )
