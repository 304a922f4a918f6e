"""Score distributions by category: a panel for each metric, since each metric has a scale of its own."""

from __future__ import annotations

from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import (
    INK,
    MUTED,
    PALETTE,
    Margins,
    about,
    bare,
    canvas,
    fold,
    label_width,
    labels,
    striped,
)


def boxes(table: Table, *, what: str = "scores", unit: str = "segments") -> Any:
    """Boxes from the quantiles of the table: 25% to 75%, whiskers from 5% to 95%, the median as a dot.

    `what` is what the quantiles are of, `unit` what is counted.
    """
    metrics = labels(table, "metric")
    subtitle = f"box: middle half of the {what}, dot: median, line: 5% to 95% · {unit} in brackets"
    sizes: dict[str, int] = {}
    for row in table.rows:
        sizes[row["category"]] = max(sizes.get(row["category"], 0), row["n"])
    names = [f"{fold(name, 30)} ({n:,})" for name, n in sizes.items()]
    across = min(3, len(metrics))
    down = -(-len(metrics) // across)
    wide, deep, gap = (2.75 if across > 1 else 5.5), 0.3 * len(names), (0.3, 0.85)
    plot = (across * wide + (across - 1) * gap[0], down * deep + (down - 1) * gap[1])
    figure, place = canvas(table.caption, about(table, subtitle), plot, Margins(label_width(names) + 0.15, above=0.35))
    unit_x, unit_y = place[2] / plot[0], place[3] / plot[1]
    for m, (metric, label) in enumerate(metrics.items()):
        x, y = (m % across) * (wide + gap[0]), (down - 1 - m // across) * (deep + gap[1])
        box = (place[0] + x * unit_x, place[1] + y * unit_y, wide * unit_x, deep * unit_y)
        axes = figure.add_axes(box)
        bare(axes)
        axes.set_ylim(len(names) - 0.5, -0.5)
        axes.set_title(label, loc="left", size=10.5, color=INK, weight="bold")
        axes.set_yticks(range(len(names)), names if m % across == 0 else [""] * len(names))
        striped(axes, len(names))
        rows = {row["category"]: row for row in table.rows if row["metric"] == metric}
        for i, name in enumerate(sizes):
            _box(axes, i, rows.get(name))
    return figure


def _box(axes: Any, y: int, row: Any) -> None:
    if row is None or row["median"] is None:
        return
    from matplotlib.patches import Rectangle

    colour = PALETTE[0]
    axes.plot([row["q05"], row["q95"]], [y, y], color=MUTED, linewidth=1.2, zorder=2)
    axes.add_patch(
        Rectangle(
            (row["q25"], y - 0.26), row["q75"] - row["q25"], 0.52, facecolor="#9ccbe8", edgecolor=colour, zorder=2.5
        )
    )
    axes.plot([row["median"]], [y], marker="o", color=colour, markersize=5.5, markeredgecolor="white", zorder=3)
