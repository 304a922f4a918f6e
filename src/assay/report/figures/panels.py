"""Figures with one panel per metric or task: outcomes by score, score distributions, and shares as stacked bars."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import (
    INK,
    MARGIN,
    MUTED,
    PALETTE,
    RULE,
    Margins,
    about,
    bare,
    canvas,
    fold,
    label_width,
    labels,
    striped,
)  # fmt: skip

SURVIVES, BREAKS = PALETTE[0], PALETTE[1]
MAX_PANELS = 12
"""Panels of outcomes in one figure; further ones are left out."""
SEVERITIES = ("#f0c987", "#dd7f3f", "#8f2d1f")
"""Colours from the least to the worst part, which also differ in lightness."""
HATCHES = ("", "", "////")
GAP = 0.85
"""Inches between two rows of panels."""


def cases(table: Table) -> Any:
    """Draw breakdowns and successes in ten score ranges per task and language (Moghe et al. 2023, Figure 2).

    Bars of breakdowns are hatched, and the threshold is a dashed line.
    """
    panels: dict[tuple[str, str], list[Any]] = {}
    for row in table.rows:
        panels.setdefault((row["task"], row["language"]), []).append(row)
    subtitle = "test examples in ten equal ranges of the score · dashed: the threshold chosen on the development part"
    if len(panels) > MAX_PANELS:
        subtitle += f" · the first {MAX_PANELS} of {len(panels)} panels"
        panels = dict(list(panels.items())[:MAX_PANELS])
    margins = Margins(0.5, above=0.7, below=0.62)
    figure, position, across, every = _panels(table, subtitle, len(panels), 3, (5.6, 2.9), 2.0, 0.5, margins)
    _key(figure, position, (SURVIVES, BREAKS), ("", "////"), ("the task survives", "breakdown"), 1.75)
    for p, ((task, language), rows) in enumerate(panels.items()):
        axes = every[p]
        _outcomes(axes, rows, f"{task} {language}".strip())
        if p % across == 0:
            axes.set_ylabel("examples")
        if p + across >= len(panels):
            axes.set_xlabel(rows[0]["metric"])
    return figure


def _outcomes(axes: Any, rows: Any, title: str) -> None:
    axes.tick_params(axis="y", labelcolor=MUTED)
    low, high = rows[0]["from"], rows[-1]["to"]
    step = (high - low) / len(rows) or 1.0
    middles = [(row["from"] + row["to"]) / 2 for row in rows]
    for shift, key, colour, hatch in ((-0.21, "good", SURVIVES, ""), (0.21, "bad", BREAKS, "////")):
        heights = [row[key] for row in rows]
        x = [middle + shift * step for middle in middles]
        axes.bar(x, heights, 0.4 * step, color=colour, hatch=hatch, edgecolor="white", linewidth=0.4, zorder=2)
    axes.axvline(rows[0]["threshold"], color=INK, linewidth=1.2, linestyle=(0, (4, 3)), zorder=3)
    axes.set_title(title, loc="left", size=10.5, color=INK, weight="bold")
    axes.set_xlim(low - 0.3 * step, high + 0.3 * step)
    axes.locator_params(axis="x", nbins=5)
    axes.grid(axis="y", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)


def boxes(table: Table, *, what: str = "scores", unit: str = "segments") -> Any:
    """Draw score distributions by category: box 25% to 75%, whiskers 5% to 95%, the median as a dot.

    `what` names the underlying values, and `unit` the counted objects. Each metric has a separate panel because scales differ.
    """
    metrics = labels(table, "metric")
    subtitle = f"box: middle half of the {what}, dot: median, line: 5% to 95% · {unit} in brackets"
    sizes: dict[str, int] = {}
    for row in table.rows:
        sizes[row["category"]] = max(sizes.get(row["category"], 0), row["n"])
    names = [f"{fold(name, 30)} ({n:,})" for name, n in sizes.items()]
    margins = Margins(label_width(names) + 0.15, above=0.35)
    figure, _, across, every = _panels(table, subtitle, len(metrics), 3, (5.5, 2.75), 0.3 * len(names), 0.3, margins)
    for m, (metric, label) in enumerate(metrics.items()):
        axes = every[m]
        _named_rows(axes, names, label, m % across == 0)
        striped(axes, len(names))
        rows = {row["category"]: row for row in table.rows if row["metric"] == metric}
        for i, name in enumerate(sizes):
            _box(axes, i, rows.get(name))
    return figure


def _box(axes: Any, y: int, row: Any) -> None:
    if row is None or row["median"] is None:
        return
    from matplotlib.patches import Rectangle

    colour, size = PALETTE[0], (row["q75"] - row["q25"], 0.52)
    axes.plot([row["q05"], row["q95"]], [y, y], color=MUTED, linewidth=1.2, zorder=2)
    axes.add_patch(Rectangle((row["q25"], y - 0.26), *size, facecolor="#9ccbe8", edgecolor=colour, zorder=2.5))
    axes.plot([row["median"]], [y], marker="o", color=colour, markersize=5.5, markeredgecolor="white", zorder=3)


def shares(table: Table, *, index: str, parts: Sequence[str]) -> Any:
    """Draw stacked bars of the columns `parts`, from the least to the most severe (xCOMET's Figure 3a)."""
    metrics = labels(table, "metric")
    names = list(dict.fromkeys(str(row[index]) for row in table.rows))
    shown = [fold(name, 30) for name in names]
    margins = Margins(label_width(shown) + 0.15, above=0.7, below=0.45)
    subtitle = "share of the spans marked, %"
    figure, position, across, every = _panels(
        table, subtitle, len(metrics), 2, (5.6, 3.4), 0.36 * len(names), 0.35, margins
    )
    _key(figure, position, SEVERITIES, HATCHES, parts)
    for m, (metric, label) in enumerate(metrics.items()):
        axes = every[m]
        axes.set_xlim(0, 100)
        _named_rows(axes, shown, label, m % across == 0)
        rows = {str(row[index]): row for row in table.rows if row["metric"] == metric}
        for i, name in enumerate(names):
            _stacked_bar(axes, i, rows.get(name), parts)
    return figure


def _stacked_bar(axes: Any, y: int, row: Any, parts: Sequence[str]) -> None:
    if row is None or row[parts[0]] is None:
        axes.text(1, y, "no span", va="center_baseline", color=INK, size=8.5)
        return
    start = 0.0
    for part, colour, hatch in zip(parts, SEVERITIES, HATCHES, strict=False):
        wide = 100 * row[part]
        axes.barh(y, wide, 0.62, left=start, color=colour, hatch=hatch, edgecolor="white", linewidth=0.6)
        if wide >= 9:
            box = {"facecolor": colour, "edgecolor": "none", "pad": 1.2} if hatch else None
            ink = "white" if colour == SEVERITIES[2] else INK
            axes.text(start + wide / 2, y, f"{wide:.0f}", ha="center", va="center_baseline", color=ink, bbox=box)
        start += wide


def _panels(
    table: Table,
    subtitle: str,
    n: int,
    most: int,
    widths: tuple[float, float],
    deep: float,
    gap: float,
    margins: Margins,
) -> tuple[Any, tuple[float, float, float, float], int, list[Any]]:
    """Return a figure with `n` panels of the same size: the figure, the plot position, the panels per row, and each panel's axes.

    Rows have at most `most` panels. `widths` are for a single panel and for one of several, in inches like `deep` and `gap`.
    """
    across = min(most, n)
    down = -(-n // across)
    wide = widths[across > 1]
    plot = (across * wide + (across - 1) * gap, down * deep + (down - 1) * GAP)
    figure, position = canvas(table.caption, about(table, subtitle), plot, margins)
    unit_x, unit_y = position[2] / plot[0], position[3] / plot[1]
    every = []
    for p in range(n):
        x, y = (p % across) * (wide + gap), (down - 1 - p // across) * (deep + GAP)
        axes = figure.add_axes((position[0] + x * unit_x, position[1] + y * unit_y, wide * unit_x, deep * unit_y))
        bare(axes)
        every.append(axes)
    return figure, position, across, every


def _named_rows(axes: Any, names: Sequence[str], title: str, named: bool) -> None:
    """Give a panel one line per name; only the first panel of a row shows the names."""
    axes.set_ylim(len(names) - 0.5, -0.5)
    axes.set_title(title, loc="left", size=10.5, color=INK, weight="bold")
    axes.set_yticks(range(len(names)), names if named else [""] * len(names))


def _key(
    figure: Any,
    position: tuple[float, float, float, float],
    colours: Sequence[str],
    hatches: Sequence[str],
    names: Sequence[str],
    step: float | None = None,
) -> None:
    """Draw a legend for the bar colours above the panels; `step` is the spacing in inches (default: the width of each name)."""
    from matplotlib.patches import Rectangle

    width, height = figure.get_size_inches()
    y, x = position[1] + position[3] + 0.48 / height, MARGIN / width
    size = (0.2 / width, 0.13 / height)
    for colour, hatch, name in zip(colours, hatches, names, strict=False):
        figure.add_artist(Rectangle((x, y - 0.06 / height), *size, facecolor=colour, hatch=hatch, edgecolor="white"))
        figure.text(x + 0.28 / width, y, name, va="center_baseline")
        x += (0.28 + label_width([name]) + 0.35 if step is None else step) / width
