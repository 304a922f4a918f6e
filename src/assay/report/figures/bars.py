"""Outcomes by score: for each language the breakdowns and successes in ten ranges of a metric (Moghe et al. 2023, Figure 2)."""

from __future__ import annotations

from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import INK, MARGIN, MUTED, PALETTE, RULE, Margins, about, bare, canvas

SURVIVES, BREAKS = PALETTE[0], PALETTE[1]
MOST = 12
"""More panels than these are cut: the first are kept."""


def cases(table: Table) -> Any:
    """One panel a task and language: two bars a range, breakdowns hatched, and the threshold as a dashed line."""
    panels: dict[tuple[str, str], list[Any]] = {}
    for row in table.rows:
        panels.setdefault((row["task"], row["language"]), []).append(row)
    subtitle = "test examples in ten equal ranges of the score · dashed: the threshold chosen on the development part"
    if len(panels) > MOST:
        subtitle += f" · the first {MOST} of {len(panels)} panels"
        panels = dict(list(panels.items())[:MOST])
    across = min(3, len(panels))
    down = -(-len(panels) // across)
    wide, deep, gap = (2.9 if across > 1 else 5.6), 2.0, (0.5, 0.85)
    plot = (across * wide + (across - 1) * gap[0], down * deep + (down - 1) * gap[1])
    figure, place = canvas(table.caption, about(table, subtitle), plot, Margins(0.5, above=0.7, below=0.62))
    unit_x, unit_y = place[2] / plot[0], place[3] / plot[1]
    _key(figure, place)
    for p, ((task, language), rows) in enumerate(panels.items()):
        x, y = (p % across) * (wide + gap[0]), (down - 1 - p // across) * (deep + gap[1])
        axes = figure.add_axes((place[0] + x * unit_x, place[1] + y * unit_y, wide * unit_x, deep * unit_y))
        _panel(axes, rows, f"{task} {language}".strip())
        if p % across == 0:
            axes.set_ylabel("examples")
        if p // across == down - 1 or p + across >= len(panels):
            axes.set_xlabel(rows[0]["metric"])
    return figure


def _key(figure: Any, place: tuple[float, float, float, float]) -> None:
    """What the two kinds of bars mean, above the panels."""
    from matplotlib.patches import Rectangle

    width, height = figure.get_size_inches()
    y, x = place[1] + place[3] + 0.48 / height, MARGIN / width
    for colour, hatch, name in ((SURVIVES, "", "the task survives"), (BREAKS, "////", "breakdown")):
        box = Rectangle(
            (x, y - 0.06 / height), 0.2 / width, 0.13 / height, facecolor=colour, hatch=hatch, edgecolor="white"
        )
        figure.add_artist(box)
        figure.text(x + 0.28 / width, y, name, va="center_baseline")
        x += 1.75 / width


def _panel(axes: Any, rows: Any, title: str) -> None:
    bare(axes)
    axes.tick_params(axis="y", labelcolor=MUTED)
    low, high = rows[0]["from"], rows[-1]["to"]
    step = (high - low) / len(rows) or 1.0
    middles = [(row["from"] + row["to"]) / 2 for row in rows]
    for shift, key, colour, hatch in ((-0.21, "good", SURVIVES, ""), (0.21, "bad", BREAKS, "////")):
        heights = [row[key] for row in rows]
        at = [middle + shift * step for middle in middles]
        axes.bar(at, heights, 0.4 * step, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4, zorder=2)
    axes.axvline(rows[0]["threshold"], color=INK, linewidth=1.2, linestyle=(0, (4, 3)), zorder=3)
    axes.set_title(title, loc="left", size=10.5, color=INK, weight="bold")
    axes.set_xlim(low - 0.3 * step, high + 0.3 * step)
    axes.locator_params(axis="x", nbins=5)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
