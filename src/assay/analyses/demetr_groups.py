"""DEMETR tables by severity (Table 4), category (Table 1) and source language, and Table A3 as printed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from assay.analyses.languages import cell_table, cross, language_table
from assay.analyses.outcomes import Bools, Counts, Ints, Outcomes, Sampling, estimates, mean_weights
from assay.analyses.table_parts import MARKS, METRIC, UNSCORED, estimate_cells, estimate_columns, metric_cells
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.data.demetr import REFERENCE, SEVERITIES


@dataclass(frozen=True, slots=True)
class Line:
    """One row of the tables: one of the 35 perturbations, or another phenomenon with the severity of its items."""

    number: int | None
    phenomenon: str
    label: str
    severity: str
    category: str = ""

    @property
    def name(self) -> str:
        """Name in the tables."""
        return self.label if self.number is None else f"{self.number} {self.label}"


def severities(
    lines: Sequence[Line],
    measured: Sequence[Measured],
    counts: Counts,
    present: Sequence[int],
    sampling: Sampling,
    notes: tuple[str, ...],
) -> Table:
    """Return the unweighted mean of the perturbations' accuracies by severity; `base` and `all` exclude number 35 (Table 4)."""
    included = [k for k in present if lines[k].number != REFERENCE]
    names = dict.fromkeys([*SEVERITIES, *(lines[k].severity for k in included)])
    groups = {name: [k for k in included if lines[k].severity == name] for name in names} | {"all": included}
    caption = "DEMETR · mean accuracy of the perturbations by severity (Table 4)"
    reading = (
        "The plain mean of the accuracies of the perturbations of each severity, so rare perturbations count as much as "
        "frequent ones."
    )
    table = Table("severity", (TableColumn("severity"),), (), caption, notes, reading=reading)
    return _means(table, groups, measured, counts, sampling)


def categories(
    lines: Sequence[Line],
    measured: Sequence[Measured],
    counts: Counts,
    present: Sequence[int],
    sampling: Sampling,
    notes: tuple[str, ...],
) -> Table:
    """Return the five categories of Table 1 as unweighted means over their perturbations; `baseline` excludes number 35."""
    included = [k for k in present if lines[k].number != REFERENCE and lines[k].category]
    groups = {
        name: [k for k in included if lines[k].category == name]
        for name in dict.fromkeys(lines[k].category for k in included)
    }
    caption = "DEMETR · mean accuracy of the perturbations by category (Table 1)"
    reading = (
        "Perturbations by the quality they affect: accuracy, fluency, both (mixed), typography, and the baselines."
    )
    table = Table("categories", (TableColumn("category"),), (), caption, notes, reading=reading)
    return _means(table, groups, measured, counts, sampling)


def _means(
    table: Table, groups: Mapping[str, list[int]], measured: Sequence[Measured], counts: Counts, sampling: Sampling
) -> Table:
    """Return one row per group of perturbations and metric: the unweighted mean of the accuracies."""
    key = table.columns[0].key
    groups = {name: strata for name, strata in groups.items() if strata}
    group_estimates = estimates(counts, [mean_weights(counts, strata) for strata in groups.values()], sampling)
    rows = [
        {
            key: name,
            **metric_cells(metric),
            "perturbations": len(strata),
            "n": int(counts.n[m, strata].sum()),
            **estimate_cells("accuracy", group_estimates[g][m]),
            "unscored": int(counts.unscored[m, strata].sum()),
        }
        for g, (name, strata) in enumerate(groups.items())
        for m, metric in enumerate(measured)
    ]
    columns = (
        *table.columns,
        METRIC,
        TableColumn("perturbations", kind="count"),
        TableColumn("n", kind="count"),
        *estimate_columns("accuracy", kind="percent", decimals=2),
        UNSCORED,
        *MARKS,
    )
    pivot = Pivot("metric", key, "accuracy")
    return Table(table.name, columns, rows, table.caption, table.notes, pivot, table.reading)


def welch_tests(perturbations: Table) -> Table:
    """Return one row per perturbation and metric, with t, p, df and accuracy (Table A3 as printed)."""
    keys = ("perturbation", "name", "severity", "metric", "n", "t", "p", "df", "accuracy", "contaminated")
    rows = [{key: row[key] for key in keys} for row in perturbations.rows]
    columns = (
        TableColumn("perturbation", kind="count", hidden=True),
        TableColumn("name", "perturbation"),
        TableColumn("severity"),
        METRIC,
        TableColumn("n", kind="count"),
        TableColumn("t", kind="number", decimals=2),
        TableColumn("p", kind="p"),
        TableColumn("df", kind="number", decimals=2),
        TableColumn("accuracy", kind="percent", decimals=1),
        TableColumn("contaminated", hidden=True),
    )
    notes = (
        "Welch's test of the raw scores, unperturbed first; if lower is better, a harmful perturbation has t < 0",
        "35 is reversed: a hit is a reference that does not score below the machine translation",
    )
    reading = (
        "Whether a perturbation changes a metric's scores at all (t, p, df), and how often in the right direction."
    )
    caption = "DEMETR · Welch's test and strict accuracy per perturbation (Table A3)"
    return Table("welch", columns, rows, caption, notes, reading=reading)


def by_language(
    items: Sequence[Item],
    lines: Sequence[Line],
    measured: Sequence[Measured],
    outcome: Outcomes,
    strata: Ints,
    right: Bools,
    sampling: Sampling,
    notes: tuple[str, ...],
) -> list[Table]:
    """Return the tables by source language.

    `languages` contains the mean over the perturbations except number 35, `perturbation_languages` each perturbation.
    """
    languages = [item.langpair.partition("-")[0] for item in items]
    if len({language for language in languages if language}) < 2:
        return []
    crossing = cross(outcome, strata, languages, sampling, right)
    labels = [{"name": line.name, "perturbation": line.number, "phenomenon": line.phenomenon} for line in lines]
    hidden = tuple(TableColumn(key, hidden=True) for key in ("perturbation", "phenomenon"))
    caption = "DEMETR · strict accuracy per perturbation and source language"
    reading = "Each perturbation by source language. A language that a metric does not support shows up here first."
    names = (TableColumn("name", "perturbation"), *hidden, TableColumn("language"))
    crossed = Table("perturbation_languages", names, (), caption, notes, reading=reading)
    mean = Table(
        "languages", (TableColumn("language"),), (), "DEMETR · mean accuracy of the perturbations by source language", notes,
        reading="Plain mean over the perturbations except number 35, by source language.",
    )  # fmt: skip
    identity = [k for k, line in enumerate(lines) if line.number == REFERENCE]
    return [
        language_table(crossing, measured, sampling, mean, tau=False, plain=True, left_out=identity),
        cell_table(crossing, measured, labels, crossed, tau=False),
    ]
