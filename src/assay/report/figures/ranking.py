"""Systems from best to worst: mean judgement with its interval, the range of ranks, and rules between clusters."""

from __future__ import annotations

from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import INK, MUTED, PALETTE, Margins, about, bare, canvas, fold, label_width, striped

ROW = 0.3


def ranking(table: Table, *, value: str, label: str) -> Any:
    """A panel for each language pair; `value` is the column with bounds beside it, `label` what it is called."""
    pairs = list(dict.fromkeys(row["langpair"] for row in table.rows))
    names = {row["system"]: fold(str(row["system"]), 32) for row in table.rows}
    sizes = [sum(row["langpair"] == pair for row in table.rows) for pair in pairs]
    gap, wide = 0.85, 5.2
    plot = (wide + 0.9, sum(ROW * size for size in sizes) + gap * (len(pairs) - 1))
    subtitle = f"{label} · bars: 95% intervals · right: range of ranks · dashed: between clusters"
    frame = Margins(label_width(list(names.values())) + 0.15, above=0.35, below=0.6)
    figure, place = canvas(table.caption, about(table, subtitle), plot, frame)
    unit_x, unit_y = place[2] / plot[0], place[3] / plot[1]
    top = place[1] + place[3]
    for pair, size in zip(pairs, sizes, strict=True):
        deep = ROW * size
        axes = figure.add_axes((place[0], top - deep * unit_y, wide * unit_x, deep * unit_y))
        top -= (deep + gap) * unit_y
        rows = [row for row in table.rows if row["langpair"] == pair]
        _panel(axes, rows, names, value)
        axes.set_title(pair or label, loc="left", size=10.5, color=INK, weight="bold")
        if pair == pairs[-1]:
            axes.set_xlabel(label)
    return figure


def _panel(axes: Any, rows: Any, names: dict[Any, str], value: str) -> None:
    bare(axes)
    axes.set_ylim(len(rows) - 0.5, -0.5)
    axes.set_yticks(range(len(rows)), [names[row["system"]] for row in rows])
    striped(axes, len(rows))
    known = [(i, row) for i, row in enumerate(rows) if row[value] is not None]
    x = [row[value] for _, row in known]
    sides = [
        [max(0.0, row[value] - row[f"{value}_low"]) for _, row in known],
        [max(0.0, row[f"{value}_high"] - row[value]) for _, row in known],
    ]
    axes.errorbar(
        x, [i for i, _ in known], xerr=sides, fmt="o", color=PALETTE[0], markersize=6, elinewidth=1.3,
        markeredgecolor="white", markeredgewidth=0.5, zorder=3,
    )  # fmt: skip
    for i, row in enumerate(rows):
        axes.text(1.03, i, row["ranks"], transform=axes.get_yaxis_transform(), va="center_baseline", color=MUTED)
        if i and row["cluster"] != rows[i - 1]["cluster"]:
            axes.axhline(i - 0.5, color=INK, linewidth=1.0, linestyle=(0, (4, 3)), zorder=2)
