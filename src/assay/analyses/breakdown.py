"""Can a metric tell that a translation will break the next step? The protocol of Moghe et al. 2023.

For each task and language a metric becomes a classifier by a threshold chosen on the development part (ten bins, macro-F1,
Sections 3.1 and 4.3) and is judged on the test part by macro-F1 and Matthews correlation (Section 3.4).

- `summary` (Table 1): the means over languages, beside a coin and the majority vote of the top three metrics. The top three
  are those with the highest mean macro-F1 on the *development* part, so that the vote has not seen the test part.
- `languages` (Tables 7 to 11), `balance` (their Good / Bad line) and `thresholds` (Table 3).
- `pseudo` (Table 4): the same metrics with back-translated pseudo-references.
- `errors`, `matrix`, `cases` (Table 2, Section 4.2, Figure 2): `assay.analyses.breakdown_errors`.

A coin is drawn many times and averaged (the paper drew once). Intervals draw test examples anew within each language.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from assay.analyses.rows import FIRST, METRIC, UNSCORED, estimate_columns, first_place_note
from assay.core.errors import InputError, count, listing
from assay.core.outcomes import DEV, TEST, TaskOutcomes
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.bootstrap import interval
from assay.stats.classification import (
    Confusion,
    bin_threshold,
    coin,
    confusion,
    draw,
    macro_f1,
    majority,
    matthews,
    paired_draw,
)
from assay.stats.paired import share_first
from assay.stats.proportions import wilson

Floats = NDArray[np.float64]
Bools = NDArray[np.bool_]

FEWEST = 20
"""Fewer examples of a language than these say nothing."""
COIN, VOTE = "random", "majority of 3"


@dataclass(frozen=True)
class Setup:
    """One task in one language: its development and test examples, by their numbers."""

    task: str
    language: str
    dev: NDArray[np.int64]
    test: NDArray[np.int64]


@dataclass(frozen=True)
class Verdict:
    """What one metric as a classifier said about one setup: of the test examples it scored, which it calls good."""

    setup: Setup
    metric: str
    threshold: float
    """On the metric's own scale."""
    dev_f1: float
    scored: NDArray[np.int64]
    good: Bools
    predicted: Bools

    @property
    def counts(self) -> Confusion:
        """Confusion counts on the test part."""
        return confusion(self.good, self.predicted)


def tables(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    *,
    pseudo: Sequence[Measured] = (),
    seed: int = 12345,
    samples: int = 1000,
    case: str | None = None,
) -> list[Table]:
    """All tables that the outcomes allow. Metrics have one value an example; `case` names the metric of the case study."""
    from assay.analyses import breakdown_errors

    cut, left_out = setups(outcomes)
    verdicts = judge(outcomes, measured, cut)
    notes = _notes(outcomes, measured, cut, left_out, verdicts, seed, samples)
    found = [
        _summary(measured, cut, verdicts, seed, samples, notes),
        _languages(measured, cut, verdicts, seed, samples, notes),
        _balance(outcomes, cut, notes[-len(left_out) :] if left_out else ()),
        _thresholds(measured, cut, verdicts),
    ]
    if pseudo:
        found.append(_pseudo(pseudo, cut, judge(outcomes, pseudo, cut), verdicts, seed, samples))
    return found + breakdown_errors.tables(outcomes, measured, cut, verdicts, case)


def setups(outcomes: TaskOutcomes) -> tuple[list[Setup], list[str]]:
    """The tasks and languages that can be judged, and a sentence for each that cannot.

    Examples with an error made on purpose take part only where there are no others.
    """
    n = len(outcomes)
    natural = ~outcomes.controlled if not outcomes.controlled.all() else np.ones(n, bool)
    if n < FEWEST:
        raise InputError(f"{count(n, 'example')} are too few to judge a metric by: there must be {FEWEST} or more.")
    for what, there in (("breakdown", ~outcomes.success), ("success", outcomes.success)):
        if not (there & natural).any():
            raise InputError(f"the outcomes have no {what}: with one class only there is nothing to tell apart.")
    keys = [*zip(outcomes.tasks, outcomes.languages, strict=True)]
    order = {key: i for i, key in enumerate(dict.fromkeys(keys))}
    codes = np.array([order[key] for key in keys])
    is_dev = np.array([split == DEV for split in outcomes.splits])
    is_test = np.array([split == TEST for split in outcomes.splits])
    kept, left_out = [], []
    for (task, language), code in order.items():
        mine = (codes == code) & natural
        setup = Setup(task, language, np.flatnonzero(mine & is_dev), np.flatnonzero(mine & is_test))
        if not mine.any():
            continue
        if reason := _unusable(outcomes, setup):
            left_out.append(f"⚠ {_name(task, language)} is left out: {reason}")
        else:
            kept.append(setup)
    if not kept:
        raise InputError("no language can be judged. " + " ".join(reason.removeprefix("⚠ ") for reason in left_out))
    return kept, left_out


def _name(task: str, language: str) -> str:
    return f"{task} {language}".strip() or "the data"


def _unusable(outcomes: TaskOutcomes, setup: Setup) -> str | None:
    size = len(setup.dev) + len(setup.test)
    if size < FEWEST:
        return f"{count(size, 'example')}, and there must be {FEWEST} or more."
    for name, part in (("development", setup.dev), ("test", setup.test)):
        if not len(part):
            return f"it has no examples in the {name} part. (--dev-share 0.5 draws a development part anew.)"
        good = int(outcomes.success[part].sum())
        if good in (0, len(part)):
            which = "successes" if good else "breakdowns"
            return f"its {name} part ({count(len(part), 'example')}) has {which} only."
    return None


def judge(
    outcomes: TaskOutcomes, measured: Sequence[Measured], cut: Sequence[Setup]
) -> dict[tuple[str, str, str], Verdict]:
    """Every metric's verdict on every setup, by (task, language, metric); none where it scored too little to choose by."""
    found = {}
    for metric in measured:
        if metric.values is None or len(metric.values) != len(outcomes):
            raise InputError(f"{metric.name} does not have one score for each of {count(len(outcomes), 'example')}.")
        sign = 1.0 if metric.card.higher_is_better else -1.0
        quality = sign * metric.values
        for setup in cut:
            dev = setup.dev[np.isfinite(quality[setup.dev])]
            test = setup.test[np.isfinite(quality[setup.test])]
            if not len(dev) or not len(test):
                continue
            chosen = bin_threshold(quality[dev], outcomes.success[dev])
            found[setup.task, setup.language, metric.name] = Verdict(
                setup,
                metric.name,
                sign * chosen.value,
                chosen.f1,
                test,
                outcomes.success[test],
                quality[test] >= chosen.value,
            )
    return found


def vote(measured: Sequence[Measured], cut: Sequence[Setup], verdicts: dict[Any, Verdict]) -> dict[str, list[str]]:
    """For each task the three metrics with the highest mean macro-F1 on the development part; none where there are fewer."""
    chosen = {}
    for task in dict.fromkeys(setup.task for setup in cut):
        means = {}
        for metric in measured:
            mine = [v.dev_f1 for v in verdicts.values() if v.metric == metric.name and v.setup.task == task]
            if mine:
                means[metric.name] = float(np.mean(mine))
        if len(means) >= 3:
            chosen[task] = sorted(means, key=lambda name: -means[name])[:3]
    return chosen


def voted(top: Sequence[str], setup: Setup, verdicts: dict[Any, Verdict]) -> Verdict | None:
    """The majority vote on one setup, on the examples that all three scored."""
    three = [verdicts.get((setup.task, setup.language, name)) for name in top]
    known = [verdict for verdict in three if verdict is not None]
    if len(known) < 3:
        return None
    common = np.intersect1d(np.intersect1d(known[0].scored, known[1].scored), known[2].scored)
    if not len(common):
        return None
    votes = [v.predicted[np.searchsorted(v.scored, common)] for v in known]
    good = known[0].good[np.searchsorted(known[0].scored, common)]
    return Verdict(setup, VOTE, float("nan"), float("nan"), common, good, majority(votes))


def _generator(seed: int, *names: str) -> np.random.Generator:
    return np.random.default_rng([seed, *(zlib.crc32(name.encode()) for name in names)])


def _figures(verdict: Verdict, seed: int, samples: int) -> dict[str, Any]:
    """Macro-F1 and Matthews correlation on the test part, with draws of each."""
    drawn = draw(verdict.counts, _generator(seed, verdict.setup.task, verdict.setup.language), samples)
    return {
        "f1": (float(macro_f1(verdict.counts)), macro_f1(drawn)),
        "mcc": (float(matthews(verdict.counts)), matthews(drawn)),
    }


def _coin_figures(verdicts: Sequence[Verdict], setup: Setup, good: int, bad: int, seed: int) -> dict[str, Any]:
    f1, mcc = coin(good, bad, _generator(seed, COIN, setup.task, setup.language))
    return {"f1": (float(f1.mean()), f1), "mcc": (float(mcc.mean()), mcc)}


def _cells(figures: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The mean over setups of each figure, with the interval of the mean."""
    cells: dict[str, Any] = {}
    for key in ("f1", "mcc"):
        cells[key] = float(np.mean([figure[key][0] for figure in figures]))
        cells[f"{key}_low"], cells[f"{key}_high"] = interval(np.mean([figure[key][1] for figure in figures], axis=0))
    return cells


def _contestants(
    measured: Sequence[Measured], cut: Sequence[Setup], verdicts: dict[Any, Verdict], task: str
) -> dict[str, list[Verdict]]:
    """The verdicts of each metric and of the vote on a task's setups."""
    mine = [setup for setup in cut if setup.task == task]
    found = {
        metric.name: [verdicts[key] for setup in mine if (key := (task, setup.language, metric.name)) in verdicts]
        for metric in measured
    }
    if top := vote(measured, cut, verdicts).get(task):
        found[VOTE] = [verdict for setup in mine if (verdict := voted(top, setup, verdicts)) is not None]
    return {name: own for name, own in found.items() if own}


def _summary(
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    verdicts: dict[Any, Verdict],
    seed: int,
    samples: int,
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    tasks = list(dict.fromkeys(setup.task for setup in cut))
    for task in tasks:
        found = _contestants(measured, cut, verdicts, task)
        some = next(iter(found.values()), [])
        sizes = [(v.setup, int(v.good.sum()), int((~v.good).sum())) for v in some]
        figures = [_coin_figures(some, setup, good, bad, seed) for setup, good, bad in sizes]
        total = sum(good + bad for _, good, bad in sizes)
        rows.append({"task": task, "metric": COIN, "languages": len(some), "n": total, **_cells(figures)})
        for name, own in found.items():
            figures = [_figures(verdict, seed, samples) for verdict in own]
            n, unscored = sum(len(v.good) for v in own), sum(len(v.setup.test) - len(v.good) for v in own)
            rows.append({"task": task, "metric": name, "languages": len(own), "n": n, "unscored": unscored})
            rows[-1] |= _cells(figures)
        _mark([row for row in rows if row["task"] == task and row["metric"] not in (COIN, VOTE)], found, seed, samples)
    for row in rows:
        row["contaminated"] = ""
        row.setdefault("unscored", 0)
        row.setdefault("first", "")
        row.setdefault("f1_first", "")
    columns = (
        TableColumn("task", hidden=len(tasks) < 2),
        METRIC,
        TableColumn("languages", kind="count"),
        TableColumn("n", kind="count"),
        *estimate_columns("f1", "macro-F1", decimals=3, mark="f1_first"),
        *estimate_columns("mcc", "MCC", decimals=3),
        UNSCORED,
        *(TableColumn(key, hidden=True) for key in ("first", "f1_first", "contaminated")),
    )
    caption = "Breakdown detection · means over languages (Moghe et al. 2023, Table 1)"
    return Table("summary", columns, rows, caption, tuple(notes))


def _mark(rows: list[dict[str, Any]], found: dict[str, list[Verdict]], seed: int, samples: int) -> None:
    """Stars for the metrics that share first place in macro-F1 and in MCC, by paired bootstrap on common examples."""
    if len(rows) < 2:
        return
    for key, mark, figure in (("mcc", "first", matthews), ("f1", "f1_first", macro_f1)):
        values = np.array([row[key] for row in rows])
        best = found[rows[int(values.argmax())]["metric"]]
        p = np.ones(len(rows))
        for i, row in enumerate(rows):
            pairs = _pairs(best, found[row["metric"]])
            if values[i] < values.max() and pairs:
                draws = []
                for setup, good, first, second in pairs:
                    rng = _generator(seed, "pairs", setup.task, setup.language)
                    one, other = paired_draw(good, first, second, rng, samples)
                    draws.append(figure(one) - figure(other))
                p[i] = (1 + np.count_nonzero(np.mean(draws, axis=0) <= 1e-12)) / (1 + samples)
        for row, is_first in zip(rows, share_first(values, p), strict=True):
            row[mark] = FIRST if is_first else ""


def _pairs(first: Sequence[Verdict], second: Sequence[Verdict]) -> list[tuple[Setup, Bools, Bools, Bools]]:
    others = {v.setup.language: v for v in second}
    pairs = []
    for verdict in first:
        other = others.get(verdict.setup.language)
        if other is None:
            continue
        common = np.intersect1d(verdict.scored, other.scored)
        if len(common):
            here, there = np.searchsorted(verdict.scored, common), np.searchsorted(other.scored, common)
            pairs.append((verdict.setup, verdict.good[here], verdict.predicted[here], other.predicted[there]))
    return pairs


def _languages(
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    verdicts: dict[Any, Verdict],
    seed: int,
    samples: int,
    notes: Sequence[str],
) -> Table:
    rows: list[dict[str, Any]] = []
    for task in dict.fromkeys(setup.task for setup in cut):
        for name, own in _contestants(measured, cut, verdicts, task).items():
            for v in own:
                cells = _cells([_figures(v, seed, samples)])
                tp, fp, fn, tn = (int(cell) for cell in v.counts)
                rows.append(
                    {"task": task, "language": v.setup.language, "metric": name, "threshold": v.threshold, **cells}
                )
                rows[-1] |= {"dev_f1": v.dev_f1, "false_positive": fp, "false_negative": fn}
                rows[-1] |= {"true_positive": tp, "true_negative": tn, "unscored": len(v.setup.test) - len(v.good)}
    hidden = [*(f"{key}_{side}" for key in ("f1", "mcc") for side in ("low", "high")), "f1", "dev_f1", "threshold"]
    columns = (
        TableColumn("task"),
        TableColumn("language"),
        TableColumn("metric"),
        TableColumn("mcc", "MCC", "number", 3, interval=("mcc_low", "mcc_high")),
        *(TableColumn(key, kind="number", decimals=3, hidden=True) for key in hidden),
        *(
            TableColumn(key, kind="count", hidden=True)
            for key in ("true_positive", "false_positive", "false_negative", "true_negative", "unscored")
        ),
    )
    caption = "MCC by language (Moghe et al. 2023, Tables 7 to 11)"
    return Table("languages", columns, rows, caption, tuple(notes), Pivot("metric", "language", "mcc"))


def _balance(outcomes: TaskOutcomes, cut: Sequence[Setup], notes: Sequence[str]) -> Table:
    rows: list[dict[str, Any]] = []
    for setup in cut:
        row: dict[str, Any] = {"task": setup.task, "language": setup.language}
        for name, part in (("dev", setup.dev), ("test", setup.test)):
            good = int(outcomes.success[part].sum())
            row |= {f"{name}_good": good, f"{name}_bad": len(part) - good}
        low, high = wilson(row["test_bad"], len(setup.test))
        rows.append(row | {"rate": row["test_bad"] / len(setup.test), "rate_low": low, "rate_high": high})
    several = len({setup.task for setup in cut}) > 1
    columns = (
        TableColumn("task", hidden=not several),
        TableColumn("language"),
        *(
            TableColumn(f"{part}_{kind}", f"{part} {kind}", "count")
            for part in ("dev", "test")
            for kind in ("good", "bad")
        ),
        *estimate_columns("rate", "breakdowns in test, %", "percent", 1, mark=None),
    )
    caption = "Class balance: translations that the task survives (good) and breakdowns (bad)"
    return Table("balance", columns, rows, caption, tuple(notes))


def _thresholds(measured: Sequence[Measured], cut: Sequence[Setup], verdicts: dict[Any, Verdict]) -> Table:
    rows: list[dict[str, Any]] = []
    tasks = list(dict.fromkeys(setup.task for setup in cut))
    for metric in measured:
        for task in tasks:
            own = [v.threshold for v in verdicts.values() if v.metric == metric.name and v.setup.task == task]
            if own:
                rows.append({"task": task, "metric": metric.name, "mean": float(np.mean(own))})
                rows[-1] |= {"deviation": float(np.std(own)), "lowest": min(own), "highest": max(own)}
                rows[-1] |= {"languages": len(own), "better": "≥" if metric.card.higher_is_better else "≤"}
    columns = (
        TableColumn("task", hidden=len(tasks) < 2),
        TableColumn("metric"),
        TableColumn("better", "good if"),
        *(TableColumn(key, kind="number", decimals=3) for key in ("mean", "deviation", "lowest", "highest")),
        TableColumn("languages", kind="count"),
    )
    notes = ("Standard deviation over languages, of the population (n), as each metric's own scale has it",)
    return Table(
        "thresholds", columns, rows, "Thresholds chosen on the development part (Moghe et al. 2023, Table 3)", notes
    )


def _pseudo(
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    pseudo: dict[Any, Verdict],
    gold: dict[Any, Verdict],
    seed: int,
    samples: int,
) -> Table:
    rows: list[dict[str, Any]] = []
    tasks = list(dict.fromkeys(setup.task for setup in cut))
    for task in tasks:
        for metric in measured:
            mine = [v for v in pseudo.values() if (v.setup.task, v.metric) == (task, metric.name)]
            if not mine:
                continue
            cells = _cells([_figures(v, seed, samples) for v in mine])
            own = [matthews(v.counts) for v in gold.values() if (v.setup.task, v.metric) == (task, metric.name)]
            with_gold = float(np.mean(own)) if own else None
            rows.append({"task": task, "metric": metric.name, "languages": len(mine), **cells, "gold": with_gold})
            rows[-1] |= {"difference": None if with_gold is None else cells["mcc"] - with_gold}
    columns = (
        TableColumn("task", hidden=len(tasks) < 2),
        TableColumn("metric"),
        TableColumn("languages", kind="count"),
        *estimate_columns("mcc", "MCC", decimals=3, mark=None),
        *estimate_columns("f1", "macro-F1", decimals=3, mark=None),
        TableColumn("gold", "MCC with references", "number", 3),
        TableColumn("difference", kind="number", decimals=3),
    )
    notes = ("Hypothesis: the translation translated back; reference: the source; source: the translation",)
    return Table("pseudo", columns, rows, "With pseudo-references (Moghe et al. 2023, Table 4)", notes)


def _notes(
    outcomes: TaskOutcomes,
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    left_out: Sequence[str],
    verdicts: dict[Any, Verdict],
    seed: int,
    samples: int,
) -> list[str]:
    dev, test = sum(len(setup.dev) for setup in cut), sum(len(setup.test) for setup in cut)
    bad = sum(int((~outcomes.success[setup.test]).sum()) for setup in cut)
    languages = listing(dict.fromkeys(setup.language for setup in cut if setup.language))
    notes = [
        f"{dev:,} development and {test:,} test examples ({bad / test:.0%} breakdowns)"
        + (f" in {languages}" if languages else "")
        + f" · 95% bootstrap, n={samples:,}, seed {seed}"
    ]
    if len(measured) > 1:
        notes.append(first_place_note("none").replace("items", "examples"))
    for task, top in vote(measured, cut, verdicts).items():
        notes.append(f"{VOTE}{f' in {task}' if task else ''}: {', '.join(top)} (best on the development part)")
    return notes + list(left_out)
