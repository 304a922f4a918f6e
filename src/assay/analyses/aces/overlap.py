"""ACES tables of Section 8.2: how much a metric relies on surface overlap with the reference.

Metrics are grouped according to their cards (`study.group_of`). As in the paper (footnote 16), string metrics are excluded from
the group means but have their own rows.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.analyses.aces.study import GROUPS, Study, group_of
from assay.analyses.outcomes import difference_weights
from assay.analyses.table_parts import (
    MARKS,
    METRIC,
    UNSCORED,
    estimate_cells,
    estimate_columns,
    metric_cells,
    without_places,
)
from assay.core.table import Figure, Pivot, Table, TableColumn
from assay.data.aces import phenomena

N = TableColumn("n", kind="count")
LEXICAL_OVERLAP = "lexical-overlap"
GROUP = TableColumn("group", hidden=True)


def tables(study: Study) -> list[Table]:
    """Return the tables of Section 8.2; a table whose phenomena are missing has no rows."""
    levels, copied, overlapping = _levels(study), _reference_copied(study), _lexical_overlap(study)
    kinds = ("challenge_set",)
    caption = "ACES · mean difference of each group of metrics (Table 6)"
    copied_groups = _group_means(copied, kinds, "difference", "reference_copied_groups", caption)
    caption = "ACES · mean tau of each group of metrics on high lexical overlap (Section 8.2)"
    overlap_groups = _group_means(overlapping, kinds, "tau", "lexical_overlap_groups", caption)
    return [levels, _level_groups(levels), copied, copied_groups, overlapping, overlap_groups]


def _by_kind(fact: str) -> dict[str, dict[str, str]]:
    """Return phenomena by an attribute such as ``number 3``: by kind first, then by level or side."""
    kinds: dict[str, dict[str, str]] = {}
    for one in phenomena().values():
        kind, _, side = getattr(one, fact).rpartition(" ")
        if kind:
            kinds.setdefault(kind, {})[side] = one.name
    return kinds


def _metric_cells(study: Study, m: int, names: Sequence[str]) -> dict[str, Any]:
    """Return the cells for metric `m` and the items of the phenomena `names` that it scored."""
    metric = study.measured[m]
    averaged = "no" if metric.card.by_characters else "yes"
    return {
        **metric_cells(metric),
        "group": group_of(metric.card),
        "averaged": averaged,
        **study.sizes(m, names),
    }


def _levels(study: Study) -> Table:
    """Return tau at three levels of overlap between the incorrect translation and the reference (Section 8.2, Figure 2)."""
    levels = _by_kind("overlap")
    entries = [
        (kind, int(level), name)
        for kind, names in levels.items()
        for level, name in names.items()
        if name in study.index
    ]
    taus = study.estimates([study.mean([name]) for _, _, name in entries])
    rows: list[dict[str, Any]] = []
    for i, (kind, level, name) in enumerate(entries):
        first = levels[kind]["1"]
        change = None
        if level > 1 and first in study.index:
            plus, minus = study.strata([name, first])
            change = study.estimates([difference_weights(study.counts, plus, minus)], race=False)[0]
        for m in range(len(study.measured)):
            rows.append(
                {
                    "set": kind,
                    "level": level,
                    "name": f"{kind} {level}",
                    **_metric_cells(study, m, [name]),
                    **estimate_cells("tau", taus[i][m]),
                    **estimate_cells("change", change[m] if change else None, first=None),
                }
            )
    columns = (
        TableColumn("name", "set and level"),
        TableColumn("set", hidden=True),
        TableColumn("level", kind="count", hidden=True),
        METRIC,
        GROUP,
        TableColumn("averaged", hidden=True),
        N,
        *estimate_columns("tau"),
        *estimate_columns("change", "change from level 1", mark=None),
        UNSCORED,
        *MARKS,
    )
    caption = "ACES · numbers and names by similarity of the wrong text to the reference (Figure 2)"
    subtitle = "the wrong text is most similar at level 3 · bars: 95% intervals"
    return Table(
        "levels",
        columns,
        rows,
        caption,
        study.notes,
        Pivot("name", "metric", "tau"),
        reading="From level 1 to level 3, the wrong text becomes more similar to the reference. A metric whose tau falls relies on "
        "surface overlap.",
        figures=(Figure("levels", "levels", {"subtitle": subtitle}, "aces"),),
    )


def _level_groups(levels: Table) -> Table:
    """Return the lines of Figure 2: mean tau of reference-based and reference-free metrics, excluding string metrics."""
    caption = "ACES · mean tau by group of metrics and similarity of the wrong text to the reference (Figure 2)"
    table = _group_means(levels, ("set", "level"), "tau", "level_groups", caption)
    subtitle = "mean of the metrics of a group, without string metrics · bars: standard deviation over the metrics"
    figure = Figure("level_groups", "levels", {"subtitle": subtitle, "series": "group"}, "aces")
    return replace(table, figures=(figure,))


def _reference_copied(study: Study) -> Table:
    """Return tau when a synonym fixes the error, minus tau when the reference's own word does (Section 8.2, Table 6)."""
    rows: list[dict[str, Any]] = []
    for kind, names in _by_kind("mended").items():
        copied, synonym = names["copied"], names["synonym"]
        if copied not in study.index or synonym not in study.index:
            continue
        minus, plus = study.strata([copied, synonym])
        difference = study.estimates([difference_weights(study.counts, plus, minus)], race=False)[0]
        sides = study.estimates([study.mean([copied]), study.mean([synonym])], race=False)
        for m in range(len(study.measured)):
            rows.append(
                {
                    "challenge_set": kind,
                    **_metric_cells(study, m, [copied, synonym]),
                    **estimate_cells("tau_copied", sides[0][m], first=None),
                    **estimate_cells("tau_synonym", sides[1][m], first=None),
                    **estimate_cells("difference", difference[m], first=None),
                }
            )
    columns = (
        TableColumn("challenge_set", "challenge set"),
        METRIC,
        GROUP,
        TableColumn("averaged", hidden=True),
        N,
        *estimate_columns("tau_copied", "reference's word", mark=None),
        *estimate_columns("tau_synonym", "synonym", mark=None),
        *estimate_columns("difference", mark=None),
        UNSCORED,
        MARKS[1],
    )
    caption = "ACES · loss from a synonym instead of the reference's word (Table 6)"
    pivot = Pivot("metric", "challenge_set", "difference")
    reading = (
        "How much tau a metric loses if the good translation uses a synonym instead of the reference's own word. Near 0 is "
        "best."
    )
    return Table("reference_copied", columns, rows, caption, without_places(study.notes), pivot, reading)


def _lexical_overlap(study: Study) -> Table:
    """Return tau when the incorrect translation is a paraphrase of the reference with a different meaning (Section 8.2)."""
    rows: list[dict[str, Any]] = []
    if LEXICAL_OVERLAP in study.index:
        taus = study.estimates([study.mean([LEXICAL_OVERLAP])])[0]
        rows = [
            {
                "challenge_set": LEXICAL_OVERLAP,
                **_metric_cells(study, m, [LEXICAL_OVERLAP]),
                **estimate_cells("tau", taus[m]),
            }
            for m in range(len(study.measured))
        ]
    hidden = (TableColumn("challenge_set", hidden=True), TableColumn("averaged", hidden=True))
    columns = (METRIC, TableColumn("group"), *hidden, N, *estimate_columns("tau"), UNSCORED, *MARKS)
    caption = "ACES · high lexical overlap of the wrong text with the reference (Section 8.2)"
    reading = "A metric near or below 0 mistakes shared words for shared meaning."
    return Table("lexical_overlap", columns, rows, caption, study.notes, reading=reading)


def _group_means(table: Table, keys: Sequence[str], value: str, name: str, caption: str) -> Table:
    """Return the mean and sample standard deviation over the metrics in each group, excluding string metrics (footnote 16)."""
    rows: list[dict[str, Any]] = []
    for key in dict.fromkeys(tuple(row[key] for key in keys) for row in table.rows):
        averaged_rows = [
            row for row in table.rows if tuple(row[key] for key in keys) == key and row["averaged"] == "yes"
        ]
        for group in GROUPS:
            group_rows = [row for row in averaged_rows if row["group"] == group and row[value] is not None]
            if group_rows:
                values = np.array([row[value] for row in group_rows])
                mean, std = float(values.mean()), float(values.std(ddof=1)) if len(group_rows) > 1 else None
                rows.append(
                    {
                        **dict(zip(keys, key, strict=True)),
                        "group": group,
                        "metrics": len(group_rows),
                        "n": max(row["n"] for row in group_rows),
                        value: mean,
                        "std": std,
                        f"{value}_low": mean - std if std is not None else None,
                        f"{value}_high": mean + std if std is not None else None,
                    }
                )
    columns = (
        *(TableColumn(key, key.replace("_", " ")) for key in keys),
        TableColumn("group"),
        TableColumn("metrics", kind="count"),
        N,
        TableColumn(value, kind="number", decimals=3),
        TableColumn("std", kind="number", decimals=3),
        *(TableColumn(f"{value}_{side}", kind="number", decimals=3, hidden=True) for side in ("low", "high")),
    )
    notes = ("string metrics are excluded from the means (footnote 16)",)
    reading = "The same, averaged over the metrics with and without a reference."
    return Table(name, columns, rows, caption, notes, reading=reading)
