"""Dots with intervals: one line a category or phenomenon, one dot a metric."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import (
    INK,
    MUTED,
    RULE,
    Margins,
    about,
    bare,
    canvas,
    fold,
    label_width,
    labels,
    look,
    striped,
    tied,
)

STEP = 0.105
"""Inches between the dots of two metrics on one line."""


def dots(
    table: Table,
    *,
    index: str,
    value: str,
    subtitle: str,
    span: tuple[float, float],
    chance: float,
    series: str = "metric",
    left_out: Sequence[str] = (),
) -> Any:
    """`span` is the range of the axis and `chance` the value of a coin, both as the table holds them.

    Every value of `series` has a colour, and a height of its own on each line where metrics share the lines. Rows of the metrics
    `left_out` are not drawn.
    """
    rows = [row for row in table.rows if row["metric"] not in left_out]
    metrics = {name: shown for name, shown in labels(table, series).items() if any(row[series] == name for row in rows)}
    names = list(dict.fromkeys(str(row[index]) for row in rows))
    shown = {name: fold(name, 38) for name in names}
    step = STEP if series == "metric" else 0.0
    deep = max(0.3, 0.17 + step * len(metrics), 0.2 * max(text.count("\n") + 1 for text in shown.values()) + 0.06)
    column = table.column(value)
    scale = 100 if column.kind == "percent" else 1
    frame = Margins(label_width(list(shown.values())) + 0.15, below=0.62)
    if any(map(tied, rows)):
        subtitle += " · hollow: mostly ties"
    figure, place = canvas(
        table.caption, about(table, subtitle), (6.6, deep * len(names)), frame, list(metrics.values())
    )
    axes = figure.add_axes(place)
    bare(axes)
    axes.set(xlim=(span[0] * scale, span[1] * scale), ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), list(shown.values()), linespacing=1.1)
    axes.set_xlabel(_axis(column.label or column.key, column.kind))
    striped(axes, len(names))
    axes.axvline(chance * scale, color=MUTED, linewidth=1.1, linestyle=(0, (4, 3)), zorder=1.5)
    for m, metric in enumerate(metrics):
        shift = (m - (len(metrics) - 1) / 2) * step / deep
        _series(axes, [row for row in rows if row[series] == metric], names, index, value, scale, shift, m)
    return figure


def _axis(name: str, kind: str) -> str:
    return f"{name}, %" if kind == "percent" else name


def _series(axes: Any, rows: Any, names: list[str], index: str, value: str, scale: float, shift: float, m: int) -> None:
    known = [row for row in rows if row[value] is not None and not math.isnan(row[value])]
    if not known:
        return
    colour, marker = look(m)
    x = [row[value] * scale for row in known]
    low, high = ([row.get(f"{value}_{side}") for row in known] for side in ("low", "high"))
    sides = [
        [max(0.0, v - lower * scale) if lower is not None else 0.0 for v, lower in zip(x, low, strict=True)],
        [max(0.0, upper * scale - v) if upper is not None else 0.0 for v, upper in zip(x, high, strict=True)],
    ]
    y = [names.index(str(row[index])) + shift for row in known]
    axes.errorbar(
        x, y, xerr=sides, fmt=marker, color=colour, markersize=6, elinewidth=1.3, markeredgecolor="white",
        markeredgewidth=0.5, clip_on=False, zorder=3,
    )  # fmt: skip
    hollow = [(at, place) for at, place, row in zip(x, y, known, strict=True) if tied(row)]
    if hollow:
        axes.plot(
            *zip(*hollow, strict=True), linestyle="none", marker=marker, markersize=6, markerfacecolor="white",
            markeredgecolor=colour, markeredgewidth=1.3, clip_on=False, zorder=4,
        )  # fmt: skip


def levels(table: Table, *, subtitle: str, series: str = "metric") -> Any:
    """ACES's Figure 2: tau as the wrong text nears the reference, a panel for each set, a line for each metric or group."""
    metrics = labels(table, series)
    sets = list(dict.fromkeys(row["set"] for row in table.rows))
    across = sorted({row["level"] for row in table.rows} | {1, 2, 3})
    frame = Margins(0.65, above=0.35, below=0.62)
    wide = 3.9 if len(sets) > 1 else 6.0
    plot = (wide * len(sets) + 0.35 * (len(sets) - 1), 3.9)
    figure, place = canvas(table.caption, about(table, subtitle), plot, frame, list(metrics.values()))
    share = place[2] / plot[0]
    for p, panel in enumerate(sets):
        axes = figure.add_axes((place[0] + p * (wide + 0.35) * share, place[1], wide * share, place[3]))
        bare(axes)
        axes.set(xlim=(across[0] - 0.25, across[-1] + 0.25), ylim=(-1.04, 1.04))
        axes.set_xticks(across, [f"level {level}" for level in across])
        axes.tick_params(axis="y", labelleft=p == 0, labelcolor=MUTED)
        axes.set_title(panel, loc="left", size=10.5, color=INK, weight="bold")
        axes.grid(axis="y", color=RULE, linewidth=0.6)
        axes.axhline(0, color=MUTED, linewidth=1.1, linestyle=(0, (4, 3)))
        if p == 0:
            axes.set_ylabel("tau")
        for m, metric in enumerate(metrics):
            _level_line(axes, [r for r in table.rows if r[series] == metric and r["set"] == panel], m, len(metrics))
    return figure


def _level_line(axes: Any, rows: Any, m: int, of: int) -> None:
    known = sorted((row for row in rows if row["tau"] is not None), key=lambda row: row["level"])
    if not known:
        return
    colour, marker = look(m)
    x = [row["level"] + (m - (of - 1) / 2) * 0.035 for row in known]
    y = [row["tau"] for row in known]
    sides = [
        [max(0.0, row["tau"] - row["tau_low"]) if row["tau_low"] is not None else 0.0 for row in known],
        [max(0.0, row["tau_high"] - row["tau"]) if row["tau_high"] is not None else 0.0 for row in known],
    ]
    axes.errorbar(
        x, y, yerr=sides, marker=marker, color=colour, linewidth=1.6, elinewidth=1, markersize=5.5,
        markeredgecolor="white", markeredgewidth=0.5, clip_on=False, zorder=3,
    )  # fmt: skip
