"""What was said against what came: a line for each metric, the diagonal where both are equal."""

from __future__ import annotations

from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import MUTED, RULE, Margins, about, bare, canvas, labels, look

SPANS = "share of predicted spans that people marked, by the confidence in them"


def reliability(
    table: Table,
    series: str = "metric",
    said: str = "confidence",
    came: str = "right",
    axes_labels: tuple[str, str] = ("confidence, %", "right, %"),
    subtitle: str = SPANS,
) -> Any:
    """What was said across, what came up, with its interval; a line for each value of the column `series`."""
    lines = labels(table, series)
    under = about(table, f"{subtitle} · bars: 95% intervals · dashed: honest")
    frame = Margins(0.75, above=0.2, below=0.62)
    figure, place = canvas(table.caption, under, (4.6, 4.2), frame, list(lines.values()))
    width = figure.get_size_inches()[0]
    axes = figure.add_axes((place[0], place[1], 4.6 / width, place[3]))
    bare(axes)
    axes.set(xlim=(0, 100), ylim=(0, 100))
    axes.tick_params(axis="y", labelcolor=MUTED)
    axes.set_xlabel(axes_labels[0])
    axes.set_ylabel(axes_labels[1])
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.plot([0, 100], [0, 100], color=MUTED, linewidth=1.1, linestyle=(0, (4, 3)))
    for i, line in enumerate(lines):
        rows = [row for row in table.rows if row[series] == line]
        colour, marker = look(i)
        y = [100 * row[came] for row in rows]
        sides = [
            [max(0.0, 100 * (row[came] - row[f"{came}_low"])) for row in rows],
            [max(0.0, 100 * (row[f"{came}_high"] - row[came])) for row in rows],
        ]
        axes.errorbar(
            [100 * row[said] for row in rows], y, yerr=sides, marker=marker, color=colour, linewidth=1.6, elinewidth=1,
            markersize=6, markeredgecolor="white", markeredgewidth=0.5, clip_on=False, zorder=3,
        )  # fmt: skip
    return figure
