"""Summary tables for the DFKI challenge set: hardest phenomena, first places by metric, and pass rates of MT systems.

Avramidis et al. 2023 discuss the first two in Section 4 (accuracies averaged over all metrics, categories won) and print
neither as a table. Tables 1 and 4 are for de-en, 2 and 5 for en-de, 3 and 6 for en-ru; run each language pair separately.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from assay.analyses import dfki
from assay.core.analysis import columns as has_columns
from assay.core.analysis import requires
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Table, TableColumn
from assay.stats.proportions import wilson


@requires("items", has_columns("category", "phenomenon"))
def tables(
    items: Sequence[Item],
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """Return the tables from `dfki` and, if there are several metrics, `metric_means` and `wins`."""
    all_tables = dfki.tables(items, measured, seed=seed, samples=samples, correction=correction)
    if len(measured) < 2:
        return all_tables
    averages, categories, phenomena = all_tables
    return [*all_tables, _means(averages, categories, phenomena), _wins(categories, phenomena)]


def _means(averages: Table, categories: Table, phenomena: Table) -> Table:
    """Return the unweighted mean over all metrics for every average, category and phenomenon, hardest first (Section 4.2)."""
    rows = [
        *_averaged(averages, "average", ("average",)),
        *sorted(_averaged(categories, "category", ("category",)), key=_hardest),
        *sorted(_averaged(phenomena, "phenomenon", ("category", "phenomenon")), key=_hardest),
    ]
    columns = (
        TableColumn("level"),
        TableColumn("name"),
        TableColumn("category", hidden=True),
        TableColumn("n", kind="count"),
        TableColumn("metrics", kind="count"),
        TableColumn("accuracy", "mean accuracy", "percent"),
        TableColumn("best", "best metric"),
        TableColumn("highest", kind="percent"),
        TableColumn("lowest", kind="percent"),
    )
    caption = "DFKI · accuracy averaged over all metrics, the hardest first"
    notes = ("mean of the metrics that scored some of the items; n: most items scored by one metric",)
    reading = "What is hard for all metrics together, and the accuracy of the best one."
    return Table("metric_means", columns, rows, caption, notes, reading=reading)


def _averaged(table: Table, level: str, keys: tuple[str, ...]) -> list[dict[str, Any]]:
    lines: dict[tuple[str, ...], list[Mapping[str, Any]]] = {}
    for row in table.rows:
        if row["accuracy"] is not None:
            lines.setdefault(tuple(row[key] for key in keys), []).append(row)
    rows = []
    for labels, group in lines.items():
        best = max(group, key=lambda row: row["accuracy"])
        rows.append(
            {
                "level": level,
                "name": labels[-1],
                "category": labels[0] if level != "average" else "",
                "n": max(row["n"] for row in group),
                "metrics": len(group),
                "accuracy": sum(row["accuracy"] for row in group) / len(group),
                "best": best["metric"],
                "highest": best["accuracy"],
                "lowest": min(row["accuracy"] for row in group),
            }
        )
    return rows


def _hardest(row: Mapping[str, Any]) -> float:
    return float(row["accuracy"])


def _wins(categories: Table, phenomena: Table) -> Table:
    """Return how often a metric shares first place, holds it alone, and shares first place in its class (Section 4.1)."""
    wins: dict[str, dict[str, Any]] = {}
    for level, table in (("categories", categories), ("phenomena", phenomena)):
        shared: dict[tuple[str, ...], int] = {}
        for row in table.rows:
            group = row["category"], row.get("phenomenon", "")
            shared[group] = shared.get(group, 0) + bool(row["first"])
        for row in table.rows:
            totals = wins.setdefault(row["metric"], {"metric": row["metric"], "class": row["class"]})
            alone = row["first"] and shared[row["category"], row.get("phenomenon", "")] == 1
            for key, won in (
                (level, row["first"]),
                (f"{level}_alone", alone),
                (f"{level}_class", row["first_in_class"]),
            ):
                totals[key] = totals.get(key, 0) + bool(won)
    rows = sorted(wins.values(), key=lambda row: (-row["categories"], -row["phenomena"]))
    columns = (
        TableColumn("metric"),
        TableColumn("class"),
        *(
            TableColumn(f"{level}{part}", f"{level}{words}", "number", 0)
            for level in ("categories", "phenomena")
            for part, words in (("", ""), ("_alone", " alone"), ("_class", " in class"))
        ),
    )
    sizes = [len({(row["category"], row.get("phenomenon")) for row in table.rows}) for table in (categories, phenomena)]
    caption = f"DFKI · first places in {sizes[0]:,} categories and {sizes[1]:,} phenomena"
    reading = "How often a metric shares the first place, holds it alone, and shares the first place of its own class."
    return Table("wins", columns, rows, caption, categories.notes[:1], reading=reading)


def pass_rates(verdicts: Table) -> Table:
    """Count passed, failed and unresolved outputs for every phenomenon.

    The pass rate, with Wilson's interval, excludes unresolved ones.
    """
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    sentences: dict[tuple[str, str, str], set[str]] = {}
    for row in verdicts.rows:
        key = row["langpair"], row["category"], row["phenomenon"]
        counts.setdefault(key, Counter())[row["verdict"]] += 1
        sentences.setdefault(key, set()).add(row["id"])
    rows = []
    for key, verdict_counts in counts.items():
        decided = verdict_counts["pass"] + verdict_counts["fail"]
        low, high = wilson(verdict_counts["pass"], decided) if decided else (None, None)
        rows.append(
            {
                **dict(zip(("langpair", "category", "phenomenon"), key, strict=True)),
                "sentences": len(sentences[key]),
                "n": verdict_counts.total(),
                "pass": verdict_counts["pass"],
                "fail": verdict_counts["fail"],
                "unresolved": verdict_counts["unresolved"],
                "rate": verdict_counts["pass"] / decided if decided else None,
                "rate_low": low,
                "rate_high": high,
            }
        )
    columns = (
        TableColumn("langpair", "pair"),
        TableColumn("category"),
        TableColumn("phenomenon"),
        TableColumn("sentences", kind="count"),
        TableColumn("n", "outputs", "count"),
        TableColumn("pass", kind="count"),
        TableColumn("fail", kind="count"),
        TableColumn("unresolved", "open", "count"),
        TableColumn("rate", "pass rate", "percent", interval=("rate_low", "rate_high")),
        *(TableColumn(key, kind="percent", hidden=True) for key in ("rate_low", "rate_high")),
    )
    caption = "DFKI · pass rate of outputs by phenomenon"
    return Table(
        "phenomena", columns, rows, caption, ("open outputs are excluded from the rate · 95% intervals: Wilson",)
    )
