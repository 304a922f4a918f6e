"""Rows of `assay breakdown` and `assay decide` for the screen *Breakdown and decisions* of `assay view`, with thresholds."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.analyses.breakdown.verdicts import setups
from assay.core.errors import InputError
from assay.core.expression.tree import equal
from assay.core.metric import Card
from assay.core.outcomes import BOTH
from assay.core.screens import Deciding, Sweep
from assay.core.view_data import ViewData
from assay.decide.apply import decide
from assay.decide.calibration import breakdown_curve
from assay.decide.goals import parse_goal
from assay.decide.rule import EVERY
from assay.decide.sweep import SweepLabel, SweepSample, sweep
from assay.decide.tables import labels_columns
from assay.report.scores import add_columns
from assay.stats.classification import bin_threshold
from assay.verbs.shared.view_judgements import numbers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from assay.core.metric import Floats
    from assay.core.outcomes import TaskOutcomes
    from assay.core.suite import Measured
    from assay.decide.apply import Decisions
    from assay.decide.goals import Goal
    from assay.decide.rule import Group, Rule

    Bools = NDArray[np.bool_]

QUALITY = "quality"
"""Column of a blend: several metrics as one number; higher is better."""
LIMITS = 40
"""Number of stops of a slider, which exists for every metric, task and language."""


def view_of_breakdown(outcomes: TaskOutcomes, measured: Sequence[Measured]) -> ViewData:
    """Return every example with its texts, outcome and scores, and the effect of all thresholds by metric, task and language."""
    sweeps: list[Sweep] = []
    several = {"task": len(set(outcomes.tasks)) > 1, "language": len(set(outcomes.languages)) > 1}
    part = 'split ~ "test"' if BOTH in outcomes.splits else 'split == "test"'
    apart = ["not controlled"] if outcomes.controlled.any() and not outcomes.controlled.all() else []
    for setup in setups(outcomes)[0]:
        own = {"task": setup.task, "language": setup.language}
        where = " and ".join([*(equal(key, own[key]) for key in own if several[key]), part, *apart])
        for metric in measured:
            sign, quality = _quality(metric)
            dev = quality[setup.dev]
            finite = (dev == dev) & (abs(dev) < math.inf)
            if not finite.any():
                continue
            curve = breakdown_curve(dev[finite], outcomes.worth[setup.dev][finite])
            named = SweepLabel(
                metric.name, metric.name, sign, max(metric.card.decimals, 1), where, "test examples", setup.task, setup.language
            )  # fmt: skip
            rows = SweepSample(_finite(quality[setup.test]), outcomes.worth[setup.test])
            above = _chosen(outcomes, dev[finite], setup.dev[finite], rows.quality)
            sweeps.append(sweep(named, rows, curve, above=above, reject_at=0.5, most=LIMITS))
    cards = {metric.name: metric.card for metric in measured}
    return ViewData("segments", cards, _outcome_rows(outcomes, measured), deciding=Deciding("", tuple(sweeps)))


def _quality(metric: Measured) -> tuple[float, Floats]:
    assert metric.values is not None
    sign = 1.0 if metric.card.higher_is_better else -1.0
    return sign, sign * metric.values


def _finite(values: Floats) -> Floats:
    import numpy as np

    return np.where(np.isfinite(values), values, np.nan)


def _chosen(outcomes: TaskOutcomes, dev: Floats, places: NDArray[np.int64], test: Floats) -> float:
    """Return the threshold in the breakdown tables, which is the best rejected score; graded outcomes do not have one."""
    if outcomes.grades is not None:
        return -math.inf
    threshold = bin_threshold(dev, outcomes.success[places]).value
    below = test[test < threshold]
    return float(below.max()) if len(below) else -math.inf


def _outcome_rows(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    beside: Mapping[str, Sequence[Any]] | None = None,
) -> Iterator[Mapping[str, Any]]:
    batch = outcomes.batch
    texts: dict[str, Sequence[str | None] | None] = {
        "src": batch.sources, "mt": batch.hypotheses, "ref": batch.references[0] if batch.references else None,
    }  # fmt: skip
    rows_of: list[list[int]] = [[] for _ in range(len(outcomes))]
    for row, example in enumerate(outcomes.example.tolist()):
        rows_of[example].append(row)
    columns: dict[str, Sequence[Any]] = {
        "id": outcomes.ids, "task": outcomes.tasks, "language": outcomes.languages, "split": outcomes.splits,
    }  # fmt: skip
    columns |= {
        name: ["\n".join(column[row] or "" for row in rows) for rows in rows_of]
        for name, column in texts.items()
        if column is not None
    }
    if outcomes.grades is None:
        columns["outcome"] = ["success" if good else "breakdown" for good in outcomes.success.tolist()]
    else:
        columns["grade"] = outcomes.grades.tolist()
    columns |= {"error_type": outcomes.error_types, "controlled": outcomes.controlled.tolist()}
    columns |= {metric.name: numbers(metric.values) for metric in measured if metric.values is not None}
    columns |= beside or {}
    for cells in zip(*columns.values(), strict=True):
        yield dict(zip(columns, cells, strict=True))


def view_of_rule(
    rule: Rule, goal: Goal, outcomes: TaskOutcomes, measured: Sequence[Measured], teach: Bools, held: Bools, test: Bools
) -> ViewData:
    """Return the examples that a rule was learned from and tested on, with their labels and the effect of other thresholds."""
    import numpy as np

    values: dict[str, Floats] = {}
    for metric in measured:
        assert metric.values is not None
        values[metric.name] = metric.values
    decided = decide(rule, values, list(outcomes.languages))
    quality, spoken = decided.qualities, np.array([str(name) for name in outcomes.languages])
    tried = test.any()
    sweeps = []
    for name, group in rule.groups.items():
        of_group = np.ones(len(outcomes), bool) if name == EVERY else spoken == name
        rows, taught = of_group & (test if tried else teach), of_group & held
        if not rows.any() or not taught.any():
            continue
        where = [equal("language", name)] if name != EVERY else []
        where += ['split == "test"'] if tried else []
        sweeps.append(
            _of_group(
                rule, group, SweepSample(quality[rows], outcomes.worth[rows]), " and ".join(where),
                "test examples" if tried else "examples it was learned from", goal,
                SweepSample(quality[taught], outcomes.worth[taught]),
            )
        )  # fmt: skip
    beside: dict[str, Sequence[Any]] = {
        "label": decided.labels,
        "breakdown_probability": numbers(decided.probabilities),
    }
    beside |= {QUALITY: numbers(quality)} if rule.blend is not None else {}
    cards = {metric.name: metric.card for metric in measured} | _blended(rule)
    rows_ = _outcome_rows(outcomes, measured, beside)
    return ViewData("segments", cards, rows_, deciding=Deciding(rule.goal, tuple(sweeps)))


def view_of_labels(rule: Rule, parts: Iterable[Decisions], seen: QualityValues) -> ViewData:
    """Return new translations with their labels and the effect of other thresholds; their outcomes are unknown."""

    def rows() -> Iterator[Mapping[str, Any]]:
        done = 0
        for part in parts:
            added = {name: list(column) for name, column in labels_columns(part).items()}
            if rule.blend is not None:
                added[QUALITY] = list(numbers(part.qualities))
            own: Mapping[str, Sequence[Any]] = {} if part.rows is None else part.rows.by_role()
            numbered = {} if "segment" in own else {"segment": range(done + 1, done + len(part) + 1)}
            done += len(part)
            columns = add_columns({**numbered, **own}, added, [], nested=True)
            for row in zip(*columns.values(), strict=True):
                yield dict(zip(columns, row, strict=True))

    goal = _goal(rule)
    sweeps = [_of_group(rule, rule.groups[EVERY], SweepSample(seen.qualities()), "", "translations", goal)]
    for name in seen.languages() if len(seen.languages()) > 1 else ():
        sample = SweepSample(seen.qualities(name))
        sweeps.append(
            _of_group(rule, rule.group(name), sample, equal("language", name), "translations", goal, shown=name)
        )
    cards = {
        member.name: Card(
            member.name, member.name, "either", member.higher_is_better, (None, None), "", licence="", decimals=member.decimals
        )
        for member in rule.members
    }  # fmt: skip
    return ViewData("segments", cards | _blended(rule), rows(), deciding=Deciding(rule.goal, tuple(sweeps)))


class QualityValues:
    """Translation qualities, collected by language."""

    def __init__(self) -> None:
        self._parts: dict[str, list[Floats]] = {}

    def add(self, decisions: Decisions) -> None:
        """Add the qualities of one chunk."""
        names, codes = decisions.languages
        for code, name in enumerate(names):
            self._parts.setdefault(name, []).append(decisions.qualities[codes == code])

    def languages(self) -> list[str]:
        """Return the languages with any translations."""
        return [name for name, parts in self._parts.items() if any(len(part) for part in parts)]

    def qualities(self, language: str | None = None) -> Floats:
        """Return the qualities for one language or for all."""
        import numpy as np

        selected = [part for name, parts in self._parts.items() if language in (None, name) for part in parts]
        return np.concatenate(selected) if selected else np.zeros(0)


def _of_group(
    rule: Rule,
    group: Group,
    rows: Any,
    where: str,
    counted: str,
    goal: Goal | None = None,
    taught: Any = None,
    shown: str | None = None,
) -> Sweep:
    single = rule.members[0] if rule.blend is None else None
    name = " + ".join(member.name for member in rule.members)
    column, sign, decimals = (QUALITY, 1.0, 2) if single is None else (single.name, single.sign, single.decimals)
    language = shown if shown is not None else "" if group.name == EVERY else group.name
    named = SweepLabel(name, column, sign, decimals, where, counted, language=language)
    above = group.above
    if group.use_at < 1:  # a rule by costs uses the probability: the best score that is too risky to use
        risky = rows.quality[group.curve.at(rows.quality) > group.use_at]
        above = float(risky.max()) if len(risky) else -math.inf
    return sweep(
        named, rows, group.curve, above=above, reject_at=group.reject_at, goal=goal, training=taught, promise=group.promise
    )  # fmt: skip


def _goal(rule: Rule) -> Goal | None:
    """Return the goal of a rule; None if this version of assay cannot read it."""
    try:
        return parse_goal(rule.goal)
    except InputError:
        return None


def _blended(rule: Rule) -> dict[str, Card]:
    if rule.blend is None:
        return {}
    meaning = "The log-odds of success by all metrics of the rule."
    return {QUALITY: Card(QUALITY, "blend", "either", True, (None, None), meaning, licence="", decimals=2)}
