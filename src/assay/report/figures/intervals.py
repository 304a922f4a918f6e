"""Figures of values with intervals: dots by phenomenon, ACES's levels, rankings of systems, and reliability diagrams."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import (
    INK,
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
    look,
    striped,
    tied,
)  # fmt: skip

DASHED = (0, (4, 3))
STEP = 0.105
"""Inches between the dots of two metrics on one line."""
ROW = 0.3
"""Inches between two systems of a ranking."""


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
    """Draw one line per category or phenomenon and one dot with its interval per metric.

    `span` is the axis range and `chance` the chance level, both in the table's units. Every value of `series` has a colour
    and, if the series are metrics, a separate height on each line. Rows of the metrics in `left_out` are not drawn.
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
    size = (6.6, deep * len(names))
    figure, position = canvas(table.caption, about(table, subtitle), size, frame, list(metrics.values()))
    axes = figure.add_axes(position)
    bare(axes)
    axes.set(xlim=(span[0] * scale, span[1] * scale), ylim=(len(names) - 0.5, -0.5))
    axes.set_yticks(range(len(names)), list(shown.values()), linespacing=1.1)
    axes.set_xlabel(f"{column.label or column.key}, %" if column.kind == "percent" else column.label or column.key)
    striped(axes, len(names))
    axes.axvline(chance * scale, color=MUTED, linewidth=1.1, linestyle=DASHED, zorder=1.5)
    for m, metric in enumerate(metrics):
        own = [row for row in rows if row[series] == metric and row[value] is not None and not math.isnan(row[value])]
        shift = (m - (len(metrics) - 1) / 2) * step / deep
        _dots_of_metric(axes, own, [names.index(str(row[index])) + shift for row in own], value, scale, m)
    return figure


def _dots_of_metric(axes: Any, rows: Sequence[Any], y: Sequence[float], value: str, scale: float, m: int) -> None:
    if not rows:
        return
    colour, marker = look(m)
    x = [row[value] * scale for row in rows]
    axes.errorbar(
        x, y, xerr=_sides(rows, value, scale), fmt=marker, color=colour, markersize=6, elinewidth=1.3,
        markeredgecolor="white", markeredgewidth=0.5, clip_on=False, zorder=3,
    )  # fmt: skip
    if hollow := [point for *point, row in zip(x, y, rows, strict=True) if tied(row)]:
        axes.plot(
            *zip(*hollow, strict=True), linestyle="none", marker=marker, markersize=6, markerfacecolor="white",
            markeredgecolor=colour, markeredgewidth=1.3, clip_on=False, zorder=4,
        )  # fmt: skip


def levels(table: Table, *, subtitle: str, series: str = "metric") -> Any:
    """Draw Figure 2 of the ACES paper: tau by difficulty level, one panel per set and one line per metric or group."""
    metrics = labels(table, series)
    sets = list(dict.fromkeys(row["set"] for row in table.rows))
    across = sorted({row["level"] for row in table.rows} | {1, 2, 3})
    frame = Margins(0.65, above=0.35, below=0.62)
    wide = 3.9 if len(sets) > 1 else 6.0
    plot = (wide * len(sets) + 0.35 * (len(sets) - 1), 3.9)
    figure, position = canvas(table.caption, about(table, subtitle), plot, frame, list(metrics.values()))
    share = position[2] / plot[0]
    for p, panel in enumerate(sets):
        axes = figure.add_axes((position[0] + p * (wide + 0.35) * share, position[1], wide * share, position[3]))
        bare(axes)
        axes.set(xlim=(across[0] - 0.25, across[-1] + 0.25), ylim=(-1.04, 1.04))
        axes.set_xticks(across, [f"level {level}" for level in across])
        axes.tick_params(axis="y", labelleft=p == 0, labelcolor=MUTED)
        axes.set_title(panel, loc="left", size=10.5, color=INK, weight="bold")
        axes.grid(axis="y", color=RULE, linewidth=0.6)
        axes.axhline(0, color=MUTED, linewidth=1.1, linestyle=DASHED)
        if p == 0:
            axes.set_ylabel("tau")
        for m, metric in enumerate(metrics):
            rows = [r for r in table.rows if r[series] == metric and r["set"] == panel and r["tau"] is not None]
            rows.sort(key=lambda row: row["level"])
            x = [row["level"] + (m - (len(metrics) - 1) / 2) * 0.035 for row in rows]
            _line(axes, x, rows, "tau", m, markersize=5.5)
    return figure


def ranking(table: Table, *, value: str, label: str) -> Any:
    """Draw systems from best to worst: one panel per language pair, rules between clusters, rank ranges on the right.

    `value` is the column of means, whose bounds are in other columns, and `label` its name.
    """
    pairs = list(dict.fromkeys(row["langpair"] for row in table.rows))
    names = {row["system"]: fold(str(row["system"]), 32) for row in table.rows}
    sizes = [sum(row["langpair"] == pair for row in table.rows) for pair in pairs]
    gap, wide = 0.85, 5.2
    plot = (wide + 0.9, sum(ROW * size for size in sizes) + gap * (len(pairs) - 1))
    subtitle = f"{label} · bars: 95% intervals · right: range of ranks · dashed: between clusters"
    frame = Margins(label_width(list(names.values())) + 0.15, above=0.35, below=0.6)
    figure, position = canvas(table.caption, about(table, subtitle), plot, frame)
    unit_x, unit_y = position[2] / plot[0], position[3] / plot[1]
    top = position[1] + position[3]
    for pair, size in zip(pairs, sizes, strict=True):
        deep = ROW * size
        axes = figure.add_axes((position[0], top - deep * unit_y, wide * unit_x, deep * unit_y))
        top -= (deep + gap) * unit_y
        _ranked_systems(axes, [row for row in table.rows if row["langpair"] == pair], names, value)
        axes.set_title(pair or label, loc="left", size=10.5, color=INK, weight="bold")
        if pair == pairs[-1]:
            axes.set_xlabel(label)
    return figure


def _ranked_systems(axes: Any, rows: Sequence[Any], names: Mapping[Any, str], value: str) -> None:
    bare(axes)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [names[row["system"]] for row in rows])
    striped(axes, len(rows))
    scored = [(i, row) for i, row in enumerate(rows) if row[value] is not None]
    axes.errorbar(
        [row[value] for _, row in scored], [i for i, _ in scored], xerr=_sides([row for _, row in scored], value),
        fmt="o", color=PALETTE[0], markersize=6, elinewidth=1.3, markeredgecolor="white", markeredgewidth=0.5, zorder=3,
    )  # fmt: skip
    for i, row in enumerate(rows):
        axes.text(1.03, i, row["ranks"], transform=axes.get_yaxis_transform(), va="center_baseline", color=MUTED)
        if i and row["cluster"] != rows[i - 1]["cluster"]:
            axes.axhline(i - 0.5, color=INK, linewidth=1.0, linestyle=DASHED, zorder=2)


def reliability(
    table: Table,
    series: str = "metric",
    said: str = "confidence",
    came: str = "right",
    axes_labels: tuple[str, str] = ("confidence, %", "right, %"),
    subtitle: str = "share of predicted spans that annotators marked, by confidence",
) -> Any:
    """Draw a reliability diagram: predicted confidence (`said`) against observed accuracy (`came`), one line per `series`."""
    lines = labels(table, series)
    under = about(table, f"{subtitle} · bars: 95% intervals · dashed: perfect calibration")
    frame = Margins(0.75, above=0.2, below=0.62)
    figure, position = canvas(table.caption, under, (4.6, 4.2), frame, list(lines.values()))
    axes = figure.add_axes((position[0], position[1], 4.6 / figure.get_size_inches()[0], position[3]))
    bare(axes)
    axes.set(xlim=(0, 100), ylim=(0, 100))
    axes.tick_params(axis="y", labelcolor=MUTED)
    axes.set_xlabel(axes_labels[0])
    axes.set_ylabel(axes_labels[1])
    axes.grid(color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.plot([0, 100], [0, 100], color=MUTED, linewidth=1.1, linestyle=DASHED)
    for i, line in enumerate(lines):
        rows = [row for row in table.rows if row[series] == line]
        _line(axes, [100 * row[said] for row in rows], rows, came, i, 100, markersize=6)
    return figure


def _line(
    axes: Any, x: Sequence[float], rows: Sequence[Any], value: str, i: int, scale: float = 1, *, markersize: float
) -> None:
    """Draw a line of values with intervals in the style of the i-th metric."""
    if not rows:
        return
    colour, marker = look(i)
    axes.errorbar(
        x, [scale * row[value] for row in rows], yerr=_sides(rows, value, scale), marker=marker, color=colour,
        linewidth=1.6, elinewidth=1, markeredgecolor="white", markeredgewidth=0.5, clip_on=False, zorder=3, markersize=markersize,
    )  # fmt: skip


def _sides(rows: Sequence[Any], value: str, scale: float = 1) -> list[list[float]]:
    """Return the distances of the interval bounds below and above the values; 0 for a row without an interval."""
    sides: list[list[float]] = []
    for side, sign in (("low", 1), ("high", -1)):
        bounds = [row.get(f"{value}_{side}") for row in rows]
        sides.append([
            0.0 if bound is None else max(0.0, sign * (row[value] - bound) * scale)
            for row, bound in zip(rows, bounds, strict=True)
        ])  # fmt: skip
    return sides
