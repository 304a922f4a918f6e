"""Supporting tables of breakdown detection: class balance, thresholds and pseudo-references (Moghe et al. 2023)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from assay.analyses.breakdown.verdicts import Setup, Verdicts, figures, mean_cells
from assay.analyses.table_parts import estimate_columns
from assay.core.outcomes import TaskOutcomes
from assay.core.suite import Measured
from assay.core.table import Pivot, Table, TableColumn
from assay.stats.classification import (
    matthews,
)
from assay.stats.proportions import wilson


def balance(outcomes: TaskOutcomes, cut: Sequence[Setup], notes: Sequence[str]) -> Table:
    """Return the numbers of good and bad examples for each language, and the share of breakdowns."""
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
    caption = "Class balance: translations with which the task succeeds (good) and breakdowns (bad)"
    reading = "How many translations the task succeeds with (good) and how many break it (bad)."
    return Table("balance", columns, rows, caption, tuple(notes), reading=reading)


def thresholds(measured: Sequence[Measured], cut: Sequence[Setup], verdicts: Verdicts) -> Table:
    """Return the mean and deviation, over languages, of the thresholds chosen on the development set (Table 3)."""
    rows: list[dict[str, Any]] = []
    tasks = list(dict.fromkeys(setup.task for setup in cut))
    for metric in measured:
        for task in tasks:
            chosen = [v.threshold for v in verdicts.values() if v.metric == metric.name and v.setup.task == task]
            if chosen:
                mean, deviation = float(np.mean(chosen)), float(np.std(chosen))
                rows.append({"task": task, "metric": metric.name, "mean": mean, "deviation": deviation})
                rows[-1] |= {"mean_low": mean - deviation, "mean_high": mean + deviation}
                rows[-1] |= {"lowest": min(chosen), "highest": max(chosen)}
                rows[-1] |= {"languages": len(chosen), "better": "≥" if metric.card.higher_is_better else "≤"}
    several = len(tasks) > 1
    columns = (
        TableColumn("task", hidden=not several),
        TableColumn("metric"),
        TableColumn("better", "good if"),
        TableColumn("mean", kind="number", decimals=2, interval=("mean_low", "mean_high")),
        *(TableColumn(key, kind="number", decimals=2, hidden=several) for key in ("lowest", "highest")),
        *(TableColumn(key, kind="number", decimals=2, hidden=True) for key in ("deviation", "mean_low", "mean_high")),
        TableColumn("languages", kind="count", hidden=several),
    )
    notes = ("mean ± standard deviation over languages (population, n), on the scale of each metric",)
    caption = "Thresholds chosen on the development part (Moghe et al. 2023, Table 3)"
    reading = "A threshold that differs much between languages does not transfer to a new one."
    return Table(
        "thresholds", columns, rows, caption, notes, Pivot("metric", "task", "mean") if several else None, reading
    )


def pseudo_table(
    measured: Sequence[Measured],
    cut: Sequence[Setup],
    pseudo: Verdicts,
    gold: Verdicts,
    seed: int,
    samples: int,
) -> Table:
    """Return results with back-translated pseudo-references, compared with references (Table 4)."""
    rows: list[dict[str, Any]] = []
    tasks = list(dict.fromkeys(setup.task for setup in cut))
    for task in tasks:
        for metric in measured:
            pseudo_verdicts = [v for v in pseudo.values() if (v.setup.task, v.metric) == (task, metric.name)]
            if not pseudo_verdicts:
                continue
            cells = mean_cells([figures(v, seed, samples) for v in pseudo_verdicts])
            gold_figures = [
                matthews(v.counts) for v in gold.values() if (v.setup.task, v.metric) == (task, metric.name)
            ]
            with_gold = float(np.mean(gold_figures)) if gold_figures else None
            rows.append(
                {"task": task, "metric": metric.name, "languages": len(pseudo_verdicts), **cells, "gold": with_gold}
            )
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
    caption = "With pseudo-references (Moghe et al. 2023, Table 4)"
    reading = (
        "Without references: the translation is translated back and compared with the source. The difference is the cost of "
        "missing references."
    )
    return Table("pseudo", columns, rows, caption, notes, reading=reading)
