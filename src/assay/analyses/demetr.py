"""DEMETR tables (Karpinska et al. 2022): accuracy, Welch's test and sensitivity for 35 perturbations.

- `perturbations`: strict accuracy with Welch's t, p and df (Table A3) and the sensitivity ratio z (Section 4, Figure 2).
- `severity`, `categories`: unweighted mean of the perturbations' accuracies by severity (Table 4) and by category (Table 1).
- `welch`: Table A3 as printed: t, p, df and accuracy.
- `languages`, `perturbation_languages`: by source language, small cells partially pooled (Section 3 on COMET-QE and Hindi).
- `summary`: one row per metric, with the perturbations it is blindest to.

Accuracy is the share of items whose unperturbed text scores strictly better; a tie counts as an error. Number 35 (the
reference as translation) is reversed: an item is a hit unless the machine translation scores strictly better than the
reference, whichever of the two is the item's `good` text.

The perturbation of an item is given by its number in ``meta["perturbation"]`` or by its phenomenon, one of DEMETR's 35
names. Any other item needs a severity; its phenomenon then gets a row of its own after the 35.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.analyses.demetr_groups import Line, by_language, categories, severities, welch_tests
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
from assay.analyses.table_parts import (
    FIRST_PLACE,
    MARKS,
    METRIC,
    TIED,
    UNSCORED,
    accuracy_map,
    blindest,
    common_notes,
    estimate_cells,
    estimate_columns,
    metric_cells,
    none_if_nan,
    outcome_cells,
    tied_notes,
)
from assay.core.analysis import requirement_of, requires
from assay.core.errors import count as count_of
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Figure, Pivot, Table, TableColumn
from assay.data.demetr import EMPTY, REFERENCE, SEVERITIES, numbers, perturbations
from assay.stats.two_samples import welch

_LINES = {"index": "name", "group": "severity", "order": SEVERITIES}
_SENSITIVITY = Figure(
    "sensitivity",
    "heatmap",
    {
        "value": "z",
        "root": True,
        "starred": False,
        "title": "DEMETR · sensitivity z per perturbation (Figure 2)",
        "subtitle": "share of the drop to an empty translation · least sensitive first in each group · orange: the perturbed text "
        "scores better",
        **_LINES,
    },
    "demetr",
)


def _number(item: Item) -> int | None:
    """Return the DEMETR number of an item's perturbation; None if it is not one of the 35."""
    number = item.meta.get("perturbation")
    if type(number) is int:
        return number if 0 < number <= len(perturbations()) else None
    if number is None:
        return numbers().get(item.phenomenon)
    return int(number) if str(number).isdecimal() and 0 < int(number) <= len(perturbations()) else None


def _lacks(items: Sequence[Item]) -> str:
    without = next((item for item in items if not item.severity and _number(item) is None), None)
    if without is None:
        return ""
    return (
        "the column severity, or one of DEMETR's 35 names in the column phenomenon (or its number, 1 to 35, in "
        f'meta["perturbation"]) in every row: item {without.id} has neither'
    )


def _strata(items: Sequence[Item]) -> tuple[list[Line], Ints]:
    """Return the 35 lines and any additional ones, and the index of each item's line."""
    lines = [Line(one.number, one.phenomenon, one.label, one.severity, one.category) for one in perturbations()]
    further: dict[Line, int] = {}
    strata = np.empty(len(items), np.int64)
    for i, item in enumerate(items):
        number = _number(item)
        if number is None:
            line = Line(None, item.phenomenon, item.phenomenon, item.severity, item.category)
            strata[i] = further.setdefault(line, len(lines) + len(further))
        else:
            strata[i] = number - 1
    return [*lines, *further], strata


def _translation_first(items: Sequence[Item], measured: Sequence[Measured], strata: Ints) -> list[Measured]:
    """Return the scores with the machine translation of number 35 as the first text, even if the item has the reference first."""
    swapped = np.zeros(len(items), bool)
    for i in np.flatnonzero(strata == REFERENCE - 1).tolist():
        swapped[i] = items[i].good == items[i].reference != items[i].incorrect
    if not swapped.any():
        return list(measured)
    reordered = []
    for metric in measured:
        good, incorrect = raw_scores(metric, len(items))
        first, second = np.where(swapped, incorrect, good), np.where(swapped, good, incorrect)
        reordered.append(replace(metric, good=first, incorrect=second))
    return reordered


@requires("items", _lacks)
def tables(
    items: Sequence[Item],
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """Return this module's tables; those by language or category only if the items have these labels."""
    sampling = Sampling(tuple(metric.name for metric in measured), seed, samples, correction)
    requirement_of(tables).check("demetr", items)
    lines, strata = _strata(items)
    measured = _translation_first(items, measured, strata)
    outcome = outcomes(items, measured)
    right = np.where(strata == REFERENCE - 1, ~outcome.better, outcome.better)
    counts = count(outcome, strata, len(lines), sampling, right)
    present = [k for k in range(len(lines)) if (strata == k).any()]
    singles = estimates(counts, [mean_weights(counts, [k]) for k in present], sampling)
    notes = common_notes(items, measured, outcome, sampling)
    severity = severities(lines, measured, counts, present, sampling, notes)
    accuracies = dict(zip(present, singles, strict=True))
    perturbed = _perturbations(items, lines, measured, counts, strata, accuracies, notes)
    all_tables = [
        _summary(len(items), lines, measured, severity, accuracies, counts, notes),
        severity,
        perturbed,
        categories(lines, measured, counts, present, sampling, notes),
        welch_tests(perturbed),
        *by_language(items, lines, measured, outcome, strata, right, sampling, notes),
    ]
    return [table for table in all_tables if table.rows]


def _perturbations(
    items: Sequence[Item],
    lines: Sequence[Line],
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
        line = lines[k]
        for m, metric in enumerate(measured):
            good, incorrect = raw_scores(metric, len(items))
            chosen = rows_of[k]
            chosen = chosen[~np.isnan(good[chosen] + incorrect[chosen])]
            test = welch(good[chosen], incorrect[chosen])
            cells = estimate_cells("accuracy", per_metric[m])
            rows.append(
                {
                    "perturbation": line.number,
                    "name": line.name,
                    "phenomenon": line.phenomenon,
                    "label": line.label,
                    "severity": line.severity,
                    **metric_cells(metric),
                    "n": int(counts.n[m, k]),
                    **cells,
                    "t": none_if_nan(test.t),
                    "p": none_if_nan(test.p),
                    "df": none_if_nan(test.df),
                    **_sensitivity(good, incorrect, chosen, empty_row),
                    **_pairs(counts, m, k, line, cells["first"]),
                    "unscored": int(counts.unscored[m, k]),
                }
            )
    columns = (
        TableColumn("perturbation", kind="count", hidden=True),
        TableColumn("name", "perturbation"),
        TableColumn("phenomenon", hidden=True),
        TableColumn("label", hidden=True),
        TableColumn("severity"),
        METRIC,
        TableColumn("n", kind="count"),
        *estimate_columns("accuracy", kind="percent", decimals=1, mark="marks"),
        TableColumn("t", kind="number", decimals=2),
        TableColumn("p", kind="p"),
        TableColumn("df", kind="number", decimals=2),
        *estimate_columns("z", decimals=3, mark=None),
        TableColumn("ties", kind="count", hidden=True),
        UNSCORED,
        *MARKS,
    )
    notes_here = (
        "35 is reversed: a hit is a reference that does not score below the machine translation",
        "t, p, df: table welch (raw scores, unperturbed first; if lower is better, a harmful perturbation has t < 0)",
        "z: mean share of the drop to an empty translation (interval from the standard error)",
    )
    return Table(
        "perturbations",
        columns,
        rows,
        "DEMETR · strict accuracy per perturbation (Table A3)",
        (*notes_here, *tied_notes(rows), *notes),
        Pivot("name", "metric", "accuracy"),
        f"One row per perturbation. Below 50, the metric prefers the perturbed text or ties. {FIRST_PLACE}",
        (accuracy_map("demetr", "heatmap", _LINES), _SENSITIVITY),
    )


def _pairs(counts: Counts, m: int, k: int, line: Line, first: str = "") -> dict[str, Any]:
    """Return a metric's wins, ties and losses on a perturbation; on number 35 a tie is a win."""
    n, wins, ties = int(counts.n[m, k]), int(counts.hits[m, k]), int(counts.ties[m, k])
    return outcome_cells(n, wins, ties, first=first, ties_win=line.number == REFERENCE)


def _empty_partner(items: Sequence[Item], empty: Ints | None) -> Ints | None:
    """Return, for every item, the row of the empty translation of the same sentence, or -1.

    The score of the empty string depends only on source and reference, so these two identify the sentence.
    """
    if empty is None:
        return None
    by_sentence = {(items[int(i)].source, items[int(i)].reference): int(i) for i in empty}
    return np.array([by_sentence.get((item.source, item.reference), -1) for item in items], np.int64)


def _sensitivity(good: Floats, incorrect: Floats, chosen: Ints, empty_row: Ints | None) -> dict[str, Any]:
    """Compute the sensitivity of Section 4: z is the mean of z_i = (score(t) - score(t')) / (score(t) - score(empty)).

    The paper does not say what to do with items whose translation gets the same score as the empty string. They have no ratio
    and are left out.
    """
    if empty_row is not None:
        partner = empty_row[chosen]
        chosen, partner = chosen[partner >= 0], partner[partner >= 0]
        drop = good[chosen] - incorrect[partner]
        usable = ~np.isnan(drop) & (drop != 0)
        ratios = (good[chosen] - incorrect[chosen])[usable] / drop[usable]
        if len(ratios):
            mean = float(ratios.mean())
            if len(ratios) == 1:
                return {"z": mean, "z_low": None, "z_high": None}
            margin = 1.959964 * float(ratios.std(ddof=1)) / np.sqrt(len(ratios))
            return {"z": mean, "z_low": float(mean - margin), "z_high": float(mean + margin)}
    return {"z": None, "z_low": None, "z_high": None}


def _summary(
    pairs: int,
    lines: Sequence[Line],
    measured: Sequence[Measured],
    severity: Table,
    accuracies: dict[int, list[Estimate | None]],
    counts: Counts,
    notes: tuple[str, ...],
) -> Table:
    present = dict.fromkeys(str(row["severity"]) for row in severity.rows)
    names = [name for name in dict.fromkeys(("all", *present)) if name in present]
    rows: list[dict[str, Any]] = []
    for m, metric in enumerate(measured):
        row: dict[str, Any] = metric_cells(metric)
        by_severity = {line["severity"]: line for line in severity.rows if line["metric"] == metric.name}
        for name in names:
            line = by_severity[name]
            row |= {name: line["accuracy"], f"{name}_low": line["accuracy_low"], f"{name}_high": line["accuracy_high"]}
            row[f"{name}_first"] = line["first"]
        row |= (
            {"n": by_severity["all"]["n"], "unscored": by_severity["all"]["unscored"]} if "all" in by_severity else {}
        )
        row["ties"] = sum(_pairs(counts, m, k, lines[k])["ties"] for k in accuracies if lines[k].number != REFERENCE)
        lowest = [
            (estimate.value, k, lines[k].name, TIED in _pairs(counts, m, k, lines[k])["marks"])
            for k, per_metric in accuracies.items()
            if lines[k].number != REFERENCE and (estimate := per_metric[m]) is not None
        ]
        rows.append(row | {"blindest": blindest(lowest)})
    columns = [METRIC]
    for name in names:
        columns += estimate_columns(name, kind="percent", decimals=1, mark=f"{name}_first")
        columns.append(TableColumn(f"{name}_first", hidden=True))
    columns += [TableColumn("ties", kind="count", hidden=not any(row["ties"] for row in rows)), TableColumn("blindest")]
    columns.append(TableColumn("n", kind="count", hidden=True))
    columns += [TableColumn("unscored", kind="count", hidden=True), TableColumn("contaminated", hidden=True)]
    caption = f"DEMETR · {count_of(pairs, 'minimal pair')} · strict accuracy"
    reading = (
        "The share of pairs in which a metric scores the translation above its perturbed copy, in percent. A tie counts as an "
        "error, and 50 is chance. The last column names the perturbations it detects least, and whether they are mostly tied."
    )
    return Table("summary", columns, rows, caption, notes, reading=reading)
