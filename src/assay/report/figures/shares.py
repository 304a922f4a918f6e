"""Stacked bars: how a whole is divided, one line a name, a panel for each metric (xCOMET's Figure 3a)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import INK, MARGIN, Margins, about, bare, canvas, fold, label_width, labels

COLOURS = ("#f0c987", "#dd7f3f", "#8f2d1f")
"""From the least to the worst part: told apart by lightness as well."""
HATCHES = ("", "", "////")


def shares(table: Table, *, index: str, parts: Sequence[str]) -> Any:
    """`parts` are the columns that make up the whole, from the least to the worst."""
    metrics = labels(table, "metric")
    names = list(dict.fromkeys(str(row[index]) for row in table.rows))
    shown = [fold(name, 30) for name in names]
    across = min(2, len(metrics))
    down = -(-len(metrics) // across)
    wide, deep, gap = (3.4 if across > 1 else 5.6), 0.36 * len(names), (0.35, 0.85)
    plot = (across * wide + (across - 1) * gap[0], down * deep + (down - 1) * gap[1])
    subtitle = "share of the spans marked, %"
    frame = Margins(label_width(shown) + 0.15, above=0.7, below=0.45)
    figure, place = canvas(table.caption, about(table, subtitle), plot, frame)
    _key(figure, place, parts)
    unit_x, unit_y = place[2] / plot[0], place[3] / plot[1]
    for m, (metric, label) in enumerate(metrics.items()):
        x, y = (m % across) * (wide + gap[0]), (down - 1 - m // across) * (deep + gap[1])
        axes = figure.add_axes((place[0] + x * unit_x, place[1] + y * unit_y, wide * unit_x, deep * unit_y))
        bare(axes)
        axes.set(xlim=(0, 100), ylim=(len(names) - 0.5, -0.5))
        axes.set_title(label, loc="left", size=10.5, color=INK, weight="bold")
        axes.set_yticks(range(len(names)), shown if m % across == 0 else [""] * len(names))
        rows = {str(row[index]): row for row in table.rows if row["metric"] == metric}
        for i, name in enumerate(names):
            _bar(axes, i, rows.get(name), parts)
    return figure


def _bar(axes: Any, y: int, row: Any, parts: Sequence[str]) -> None:
    if row is None or row[parts[0]] is None:
        axes.text(1, y, "no span", va="center_baseline", color=INK, size=8.5)
        return
    start = 0.0
    for part, colour, hatch in zip(parts, COLOURS, HATCHES, strict=False):
        wide = 100 * row[part]
        axes.barh(y, wide, 0.62, left=start, color=colour, hatch=hatch, edgecolor="white", linewidth=0.6)
        if wide >= 9:
            box = {"facecolor": colour, "edgecolor": "none", "pad": 1.2} if hatch else None
            ink = "white" if colour == COLOURS[2] else INK
            axes.text(start + wide / 2, y, f"{wide:.0f}", ha="center", va="center_baseline", color=ink, bbox=box)
        start += wide


def _key(figure: Any, place: tuple[float, float, float, float], parts: Sequence[str]) -> None:
    """What the parts of a bar mean, above the panels."""
    from matplotlib.patches import Rectangle

    width, height = figure.get_size_inches()
    y, x = place[1] + place[3] + 0.48 / height, MARGIN / width
    for colour, hatch, name in zip(COLOURS, HATCHES, parts, strict=False):
        size = (0.2 / width, 0.13 / height)
        figure.add_artist(Rectangle((x, y - 0.06 / height), *size, facecolor=colour, hatch=hatch, edgecolor="white"))
        figure.text(x + 0.28 / width, y, name, va="center_baseline")
        x += (0.28 + label_width([name]) + 0.35) / width
