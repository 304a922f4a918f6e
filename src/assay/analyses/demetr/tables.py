"""DEMETR (Karpinska et al. 2022): accuracy, Welch's test and sensitivity for 35 perturbations.

- `perturbations`: strict accuracy with Welch's t, p and df (Table A3) and the sensitivity ratio z (Section 4, Figure 2).
- `severity`: plain mean of the perturbations' accuracies by severity (Table 4).
- `summary`: one line a metric, with the perturbations it is blindest to.

Accuracy is the share of items whose unperturbed text scores strictly better; a tie earns nothing. Number 35 (the
reference as translation) is reversed: an item is a hit unless the machine translation scores strictly better than the
reference. Items hold the machine translation as `good` and the perturbed text as `incorrect` for all 35 numbers, and
their number in ``meta["perturbation"]``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.analyses.demetr.facts import EMPTY, PERTURBATIONS, REFERENCE, SEVERITIES
from assay.analyses.outcomes import (
    Counts,
    Estimate,
    Floats,
    Ints,
    Sampling,
    count,
    estimates,
    mean_weights,
    outcomes,
    raw_scores,
)
from assay.analyses.rows import (
    MARKS,
    METRIC,
    UNSCORED,
    common_notes,
    estimate_cells,
    estimate_columns,
    known,
    metric_cells,
)
from assay.core.errors import InputError
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.welch import welch

NUMBERS = tuple(PERTURBATIONS)


def tables(
    items: Sequence[Item],
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """The tables `summary`, `severity` and `perturbations`."""
    sampling = Sampling(tuple(metric.name for metric in measured), seed, samples, correction)
    outcome = outcomes(items, measured)
    strata = np.array([_number(item) - 1 for item in items], np.int64)
    right = np.where(strata == REFERENCE - 1, ~outcome.better, outcome.better)
    counts = count(outcome, strata, len(NUMBERS), sampling, right)
    there = [k for k in range(len(NUMBERS)) if (strata == k).any()]
    singles = estimates(counts, [mean_weights(counts, [k]) for k in there], sampling)
    notes = common_notes(items, measured, outcome, sampling)
    severity = _severity(measured, counts, there, sampling, notes)
    accuracies = dict(zip(there, singles, strict=True))
    return [
        _summary(len(items), measured, severity, accuracies, notes),
        severity,
        _perturbations(items, measured, counts, strata, accuracies, notes),
    ]


def _number(item: Item) -> int:
    number = item.meta.get("perturbation")
    if number is None or int(number) not in PERTURBATIONS:
        raise InputError(f'item {item.id} has no DEMETR number (1 to 35) in meta["perturbation"]: {number!r}.')
    return int(number)


def _perturbations(
    items: Sequence[Item],
    measured: Sequence[Measured],
    counts: Counts,
    strata: Ints,
    accuracies: dict[int, list[Estimate | None]],
    notes: tuple[str, ...],
) -> Table:
    rows_of = {k: np.flatnonzero(strata == k) for k in accuracies}
    empty_row = _empty_partner(items, rows_of.get(EMPTY - 1))
    rows: list[dict[str, Any]] = []
    for k, per_metric in accuracies.items():
        number = k + 1
        label, severity = PERTURBATIONS[number]
        for m, metric in enumerate(measured):
            good, incorrect = raw_scores(metric, len(items))
            chosen = rows_of[k]
            chosen = chosen[~np.isnan(good[chosen] + incorrect[chosen])]
            test = welch(good[chosen], incorrect[chosen])
            rows.append(
                {
                    "perturbation": number,
                    "name": f"{number} {label}",
                    "label": label,
                    "severity": severity,
                    **metric_cells(metric),
                    "n": int(counts.n[m, k]),
                    **estimate_cells("accuracy", per_metric[m]),
                    "t": known(test.t),
                    "p": known(test.p),
                    "df": known(test.df),
                    **_sensitivity(good, incorrect, chosen, empty_row),
                    "ties": int(counts.ties[m, k]),
                    "unscored": int(counts.unscored[m, k]),
                }
            )
    columns = (
        TableColumn("perturbation", kind="count", hidden=True),
        TableColumn("name", "perturbation"),
        TableColumn("label", hidden=True),
        TableColumn("severity"),
        METRIC,
        TableColumn("n", kind="count"),
        *estimate_columns("accuracy", kind="percent", decimals=1),
        TableColumn("t", kind="number", decimals=2),
        TableColumn("p", kind="p"),
        TableColumn("df", kind="number", decimals=2),
        *estimate_columns("z", decimals=3, mark=None),
        TableColumn("ties", kind="count", hidden=True),
        UNSCORED,
        *MARKS,
    )
    own = (
        "35 is reversed: a hit is a reference that does not score below the machine translation",
        "json and csv also have t, p, df (raw scores, unperturbed first: where lower is better t < 0 when a perturbation hurts)",
        "and z: mean share of the drop to an empty translation (interval from the standard error)",
    )
    return Table(
        "perturbations",
        columns,
        rows,
        "DEMETR · strict accuracy per perturbation (Table A3)",
        (*own, *notes),
        Pivot("name", "metric", "accuracy"),
    )


def _empty_partner(items: Sequence[Item], empty: Ints | None) -> Ints | None:
    """For every item the row of the empty translation of the same sentence, or -1. A score against the empty string
    depends on source and reference alone, so those two join them."""
    if empty is None:
        return None
    by_sentence = {(items[int(i)].source, items[int(i)].reference): int(i) for i in empty}
    return np.array([by_sentence.get((item.source, item.reference), -1) for item in items], np.int64)


def _sensitivity(good: Floats, incorrect: Floats, chosen: Ints, empty_row: Ints | None) -> dict[str, Any]:
    """Section 4: z is the mean of z_i = (score(t) - score(t')) / (score(t) - score(empty)).

    The paper does not say what becomes of an item whose translation scores like the empty string: it has no ratio and is
    left out of the mean.
    """
    if empty_row is not None:
        partner = empty_row[chosen]
        chosen, partner = chosen[partner >= 0], partner[partner >= 0]
        drop = good[chosen] - incorrect[partner]
        usable = ~np.isnan(drop) & (drop != 0)
        ratios = (good[chosen] - incorrect[chosen])[usable] / drop[usable]
        if len(ratios):
            mean = float(ratios.mean())
            margin = 1.959964 * float(ratios.std(ddof=1)) / np.sqrt(len(ratios)) if len(ratios) > 1 else 0.0
            return {"z": mean, "z_low": float(mean - margin), "z_high": float(mean + margin)}
    return {"z": None, "z_low": None, "z_high": None}


def _severity(
    measured: Sequence[Measured], counts: Counts, there: list[int], sampling: Sampling, notes: tuple[str, ...]
) -> Table:
    """Table 4: each severity is the plain mean of its perturbations' accuracies; `base` and `all` leave out number 35."""
    without_reference = [k for k in there if k + 1 != REFERENCE]
    groups = {s: [k for k in without_reference if PERTURBATIONS[k + 1].severity == s] for s in SEVERITIES}
    groups = {name: strata for name, strata in (groups | {"all": without_reference}).items() if strata}
    found = estimates(counts, [mean_weights(counts, strata) for strata in groups.values()], sampling)
    rows = [
        {
            "severity": name,
            **metric_cells(metric),
            "perturbations": len(strata),
            "n": int(counts.n[m, strata].sum()),
            **estimate_cells("accuracy", found[g][m]),
            "unscored": int(counts.unscored[m, strata].sum()),
        }
        for g, (name, strata) in enumerate(groups.items())
        for m, metric in enumerate(measured)
    ]
    columns = (
        TableColumn("severity"),
        METRIC,
        TableColumn("perturbations", kind="count"),
        TableColumn("n", kind="count"),
        *estimate_columns("accuracy", kind="percent", decimals=2),
        UNSCORED,
        *MARKS,
    )
    caption = "DEMETR · mean accuracy of the perturbations by severity (Table 4)"
    return Table("severity", columns, rows, caption, notes, Pivot("metric", "severity", "accuracy"))


def _summary(
    pairs: int,
    measured: Sequence[Measured],
    severity: Table,
    accuracies: dict[int, list[Estimate | None]],
    notes: tuple[str, ...],
) -> Table:
    names = [name for name in ("all", *SEVERITIES) if any(row["severity"] == name for row in severity.rows)]
    rows: list[dict[str, Any]] = []
    for m, metric in enumerate(measured):
        row: dict[str, Any] = metric_cells(metric)
        mine = {line["severity"]: line for line in severity.rows if line["metric"] == metric.name}
        for name in names:
            line = mine[name]
            row |= {name: line["accuracy"], f"{name}_low": line["accuracy_low"], f"{name}_high": line["accuracy_high"]}
            row[f"{name}_first"] = line["first"]
        row |= {"n": mine["all"]["n"], "unscored": mine["all"]["unscored"]} if "all" in mine else {}
        rows.append(row | {"blindest": _blindest(m, accuracies)})
    columns = [METRIC]
    for name in names:
        columns += estimate_columns(name, kind="percent", decimals=1, mark=f"{name}_first")
        columns.append(TableColumn(f"{name}_first", hidden=True))
    columns += [TableColumn("blindest"), TableColumn("n", kind="count", hidden=True)]
    columns += [TableColumn("unscored", kind="count", hidden=True), TableColumn("contaminated", hidden=True)]
    return Table("summary", columns, rows, f"DEMETR · {pairs:,} minimal pairs · strict accuracy", notes)


def _blindest(m: int, accuracies: dict[int, list[Estimate | None]], most: int = 2) -> str:
    """The perturbations with the lowest accuracy, number 35 apart."""
    known = [(line[m], k + 1) for k, line in accuracies.items() if k + 1 != REFERENCE]
    lowest = sorted((estimate.value, number) for estimate, number in known if estimate is not None)[:most]
    return ", ".join(f"{number} {PERTURBATIONS[number].label} {100 * value:.0f}%" for value, number in lowest)
