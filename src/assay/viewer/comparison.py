"""Comparison of two runs of the same job: differences, confidence intervals and the rows that changed most.

Segments are paired by language pair and number, items by their position; both runs must have the same texts. The tests are
the same as in `assay compare`, on stored segment scores: 95% bootstrap intervals of the mean difference, paired approximate
randomization, and Holm's correction over all rows of the table. Items are compared with the exact sign test.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.errors import InputError, count
from assay.core.table import Table, TableColumn
from assay.report.view_files import table_description
from assay.stats import resampling
from assay.stats.multiple import holm
from assay.stats.paired import sign_test
from assay.viewer.runs import Run, systems

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SAMPLES, TRIALS, SEED = 1000, 10_000, 12345
LEVEL, FEWEST = 0.05, 10
"""A difference is reported as significant below this p-value and with at least this many pairs."""
MOST_MOVED = 25
"""Number of rows with the largest changes that are shown in each direction."""


def compare_runs(a: Run, b: Run) -> dict[str, Any]:
    """Return the comparison of run `b` with run `a` for the page; reject runs of different jobs."""
    refuse_other_job(a, b)
    notes = [
        f"{name}: {a.name} was made with {first}, {b.name} with {second}."
        for name, first in signatures(a).items()
        if (second := signatures(b).get(name, first)) != first
    ]
    shared = [name for name in a.metrics if name in b.metrics]
    if not shared:
        raise InputError(f"{a.name} and {b.name} have no metrics in common: {_list(a.metrics)}; {_list(b.metrics)}.")
    result = _items(a, b, shared) if a.kind == "items" else _segments(a, b, shared)
    tables = [{**table_description(table), "rows": list(table.rows)} for table in result["tables"]]
    return {
        **result,
        "tables": tables,
        "kind": a.kind,
        "notes": notes,
        "names": [a.name, b.name],
        "keys": [a.key, b.key],
    }


def signatures(run: Run) -> Mapping[str, str]:
    """Return the signatures of a run's metrics."""
    signatures = run.manifest.get("signatures")
    return signatures if isinstance(signatures, Mapping) else {}


def refuse_other_job(a: Run, b: Run) -> None:
    """Raise if two runs cannot be compared."""
    if a.key == b.key:
        raise InputError("these are the same run. Choose a different one.")
    for run in (a, b):
        if run.live() is not None:
            raise InputError(f"{run.name} is still running. Wait until it is finished.")
        if not run.kind:
            raise InputError(f"{run.name} contains no rows to compare.")
    if a.kind != b.kind or a.verb != b.verb:
        raise InputError(
            f"{a.name} is a run of {_job(a)}, but {b.name} is a run of {_job(b)}. Only runs of the same kind can be compared."
        )
    if a.kind == "items":
        _refuse_other_texts(a, b, ("src", "good", "incorrect"), range(len(a.rows)), range(len(b.rows)))


def _job(run: Run) -> str:
    return f"assay {run.verb} over {'pairs' if run.kind == 'items' else 'translations'}"


def _label(run: Run, metric: str) -> str:
    """Return the label of a metric in tables, with an arrow if lower is better."""
    facts = run.metrics[metric]
    return f"{facts.get('label') or metric}{'' if facts.get('higher_is_better', True) else ' ↓'}"


def _list(names: Mapping[str, Any]) -> str:
    return ", ".join(list(names)[:5])


def _refuse_other_texts(a: Run, b: Run, texts: Sequence[str], rows: Sequence[int], other_rows: Sequence[int]) -> None:
    noun = "item" if a.kind == "items" else "segment"
    if len(rows) != len(other_rows):
        raise InputError(
            f"{a.name} has {count(len(rows), noun)}, but {b.name} has {count(len(other_rows), noun)}: not the same texts."
        )
    for name in texts:
        if name in a.rows.columns and name in b.rows.columns:
            one, two = list(a.rows.columns[name]), list(b.rows.columns[name])
            for number, (i, j) in enumerate(zip(rows, other_rows, strict=True), 1):
                if one[i] != two[j]:
                    raise InputError(f"{a.name} and {b.name} have different texts: {noun} {number} differs in {name}.")


# Segments


def _segments(a: Run, b: Run, metrics: Sequence[str]) -> dict[str, Any]:
    import numpy as np

    rows: list[dict[str, Any]] = []
    moved: dict[str, Any] = {name: [] for name in metrics}
    for first, second in _pairs(a, b):
        numbers, other_numbers = _numbers(a, first), _numbers(b, second)
        if numbers.keys() != other_numbers.keys():
            key = next(iter(numbers.keys() ^ other_numbers.keys()))
            raise InputError(f"{a.name} and {b.name} have different segments: {key[-1]} is in only one of them.")
        i, j = list(numbers.values()), [other_numbers[key] for key in numbers]
        _refuse_other_texts(a, b, ("src", "ref"), i, j)
        for metric in metrics:
            before, after = (_values(run, metric)[rows] for run, rows in ((a, i), (b, j)))
            there = np.isfinite(before) & np.isfinite(after)
            if not there.any():
                continue
            higher = bool(a.metrics[metric].get("higher_is_better", True))
            name = second if first == second else f"{first} → {second}"
            rows.append(
                {"system": name, "metric": _label(a, metric)} | _difference(before[there], after[there], higher)
            )
            gain = np.where(there, after - before if higher else before - after, 0.0)
            moved[metric] += [(float(gain[k]), i[k], j[k]) for k in _furthest(gain)]
    if not rows:
        raise InputError(f"{a.name} and {b.name} have no scored segments in common.")
    for row, p in zip(rows, holm([1.0 if row["p"] is None else row["p"] for row in rows]), strict=True):
        row["p"] = None if row["p"] is None else float(p)
    _verdicts(rows)
    return {"tables": [_table("systems", rows, a, b)], "moved": {m: _shown(a, b, found) for m, found in moved.items()}}


def _pairs(a: Run, b: Run) -> list[tuple[str, str]]:
    """Return the pairs of systems: those with the same name, or the only ones."""
    names, other_names = systems(a.rows) or [""], systems(b.rows) or [""]
    if len(names) == len(other_names) == 1:
        return [(names[0], other_names[0])]
    both = [(name, name) for name in names if name in other_names]
    if not both:
        raise InputError(f"{a.name} and {b.name} have no systems in common.")
    return both


def _numbers(run: Run, system: str) -> dict[tuple[Any, ...], int]:
    """Return the rows of a system by language pair and segment number."""
    columns = run.rows.columns
    keys = [columns[name] for name in ("langpair", "segment") if name in columns] or [range(len(run.rows))]
    whose = columns.get("system") or [""] * len(run.rows)
    pairs = zip(zip(*keys, strict=True), whose, strict=True)
    return {key: i for i, (key, name) in enumerate(pairs) if (name or "") == system}


def _values(run: Run, name: str) -> NDArray[np.float64]:
    import numpy as np

    values = run.rows.numbers(name) if name in run.rows.columns else None
    return np.full(len(run.rows), np.nan) if values is None else values


def _difference(before: NDArray[np.float64], after: NDArray[np.float64], higher: bool) -> dict[str, Any]:
    gain = after - before
    n = len(gain)
    low = high = p = None
    if n >= FEWEST and gain.any():
        sums = resampling.bootstrap_sums(gain[:, None], SAMPLES, SEED)[:, 0] / n
        bounds = resampling.interval(sums)
        low, high = bounds.low, bounds.high
        observed = abs(float(gain.mean()))
        p = resampling.paired_randomization(
            before[:, None], after[:, None], lambda sums: sums[..., 0] / n, observed, TRIALS, SEED
        )
    signed = gain if higher else -gain
    return {
        "n": n, "before": float(before.mean()), "after": float(after.mean()), "difference": float(gain.mean()), "low": low,
        "high": high, "p": p, "up": int((signed > 0).sum()), "down": int((signed < 0).sum()), "higher": higher,
    }  # fmt: skip


def _furthest(gain: NDArray[np.float64]) -> list[int]:
    import numpy as np

    order = np.argsort(gain, kind="stable")
    ends = [*order[:MOST_MOVED].tolist(), *order[::-1][:MOST_MOVED].tolist()]
    return [k for k in dict.fromkeys(ends) if gain[k] != 0]


def _shown(a: Run, b: Run, moved: Sequence[tuple[float, int, int]]) -> dict[str, Any]:
    """Return the rows with the largest changes in each direction, with both translations."""
    ordered = sorted(moved, key=lambda change: change[0])
    shown: dict[str, Any] = {}
    for name, first in (("worse", ordered[:MOST_MOVED]), ("better", ordered[::-1][:MOST_MOVED])):
        chosen = [change for change in first if (change[0] > 0) == (name == "better") and change[0] != 0]
        shown[name] = [{"gain": gain, "a": a.rows.row(i, 400), "b": b.rows.row(j, 400)} for gain, i, j in chosen]
    return shown


# Items


def _items(a: Run, b: Run, metrics: Sequence[str]) -> dict[str, Any]:
    import numpy as np

    phenomena = [str(name) for name in a.rows.columns.get("phenomenon", [""] * len(a.rows))]
    groups = {name: np.array([of_item == name for of_item in phenomena]) for name in dict.fromkeys(phenomena)}
    totals, parts = [], []
    moved = {}
    for metric in metrics:
        right, there = zip(*(_right(run, metric) for run in (a, b)), strict=True)
        both = there[0] & there[1]
        if not both.any():
            continue
        totals.append({"metric": _label(a, metric)} | _sides(right[0][both], right[1][both]))
        for name, chosen in groups.items():
            if (both & chosen).any():
                parts.append(
                    {"phenomenon": name, "metric": _label(a, metric)}
                    | _sides(right[0][both & chosen], right[1][both & chosen])
                )
        gain = np.where(both, right[1].astype(float) - right[0], 0.0)
        moved[metric] = [(float(gain[k]), int(k), int(k)) for k in _furthest(gain)]
    if not totals:
        raise InputError(f"{a.name} and {b.name} have no scored items in common.")
    for rows in (totals, parts):
        for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
            row["p"] = float(p)
        _verdicts(rows)
    parts.sort(key=lambda row: (not row["verdict"], -abs(row["difference"])))
    tables = [_table("metrics", totals, a, b), _table("phenomena", parts, a, b)]
    return {"tables": tables, "moved": {m: _shown(a, b, found) for m, found in moved.items()}}


def _right(run: Run, metric: str) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
    import numpy as np

    good, incorrect = (_values(run, f"{metric} {side}") for side in ("good", "incorrect"))
    higher = run.metrics[metric].get("higher_is_better", True)
    return (good > incorrect if higher else good < incorrect), np.isfinite(good) & np.isfinite(incorrect)


def _sides(before: NDArray[np.bool_], after: NDArray[np.bool_]) -> dict[str, Any]:
    up, down = int((~before & after).sum()), int((before & ~after).sum())
    p = min(1.0, 2 * sign_test(max(up, down), min(up, down))) if up + down else 1.0
    return {
        "n": len(before), "before": float(before.mean()), "after": float(after.mean()),
        "difference": float(after.mean() - before.mean()), "p": p, "up": up, "down": down, "higher": True,
    }  # fmt: skip


def _verdicts(rows: Sequence[dict[str, Any]]) -> None:
    """Add the verdict ``better`` or ``worse`` to rows whose p-value and, for scores, interval are significant."""
    for row in rows:
        sure = row["p"] is not None and row["p"] < LEVEL and row["n"] >= FEWEST
        low, high = row.get("low"), row.get("high")
        if low is not None and high is not None:
            sure = sure and (math.isnan(low) or low > 0 or high < 0)
        up = (row["difference"] > 0) == row.pop("higher")
        row["verdict"] = ("better" if up else "worse") if sure and row["difference"] else ""


def _table(name: str, rows: Sequence[Mapping[str, Any]], a: Run, b: Run) -> Table:
    items = a.kind == "items"
    kind: Any = "percent" if items else "number"
    places = 1 if items else 2
    labels = [
        TableColumn(key)
        for key in ("system", "phenomenon", "metric")
        if key in rows[0] and any(row[key] for row in rows)
    ]
    numbers = [
        TableColumn("n", "items" if items else "segments", "count"),
        TableColumn("before", a.name, kind, decimals=places),
        TableColumn("after", b.name, kind, decimals=places),
        TableColumn("difference", "difference", kind, decimals=places)
        if items
        else TableColumn("difference", "difference", "change", decimals=places, interval=("low", "high")),
        TableColumn("p", "p", "p"),
        TableColumn("verdict", "significant"),
        TableColumn("up", "better", "count"),
        TableColumn("down", "worse", "count"),
    ]
    method = (
        "Strict accuracy in percent. Better and worse count the items whose result changed, p is from the exact sign test on them"
        if items
        else f"Means of segment scores; 95% bootstrap (n={SAMPLES:,}) and paired randomization (n={TRIALS:,}, seed {SEED})"
    )
    caption = {"systems": "What changed", "metrics": "What changed", "phenomena": "By phenomenon"}[name]
    reading = f"{method}, corrected for the rows of the table (Holm)." if len(rows) > 1 else f"{method}."
    return Table(name, [*labels, *numbers], rows, caption, reading=reading)
