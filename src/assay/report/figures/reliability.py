"""Confidence against truth: a line for each metric, the diagonal where both are equal."""

from __future__ import annotations

from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import MUTED, RULE, Margins, about, bare, canvas, labels, look


def reliability(table: Table) -> Any:
    """Mean confidence of each range across, share of right spans up, with its interval."""
    metrics = labels(table, "metric")
    subtitle = (
        "share of predicted spans that people marked, by the confidence in them · bars: 95% intervals · dashed: honest"
    )
    frame = Margins(0.75, above=0.2, below=0.62)
    figure, place = canvas(table.caption, about(table, subtitle), (4.6, 4.2), frame, list(metrics.values()))
    width = figure.get_size_inches()[0]
    axes = figure.add_axes((place[0], place[1], 4.6 / width, place[3]))
    bare(axes)
    axes.set(xlim=(0, 100), ylim=(0, 100))
    axes.tick_params(axis="y", labelcolor=MUTED)
    axes.set_xlabel("confidence, %")
    axes.set_ylabel("right, %")
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.plot([0, 100], [0, 100], color=MUTED, linewidth=1.1, linestyle=(0, (4, 3)))
    for m, metric in enumerate(metrics):
        rows = [row for row in table.rows if row["metric"] == metric]
        colour, marker = look(m)
        y = [100 * row["right"] for row in rows]
        sides = [
            [max(0.0, 100 * (row["right"] - row["right_low"])) for row in rows],
            [max(0.0, 100 * (row["right_high"] - row["right"])) for row in rows],
        ]
        axes.errorbar(
            [100 * row["confidence"] for row in rows], y, yerr=sides, marker=marker, color=colour, linewidth=1.6, elinewidth=1,
            markersize=6, markeredgecolor="white", markeredgewidth=0.5, clip_on=False, zorder=3,
        )  # fmt: skip
    return figure
