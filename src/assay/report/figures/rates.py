"""A matrix of rates: one line an error type, one column a task, the breakdown rate and its number of examples in the cell."""

from __future__ import annotations

from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import INK, MUTED, Margins, about, canvas, fold, label_width

LOW, HIGH = "#f7f7f7", "#b3480a"
ROW, WIDE = 0.31, 1.6


def rates(table: Table) -> Any:
    """Darker cells break more often; lines from the most to the least harmful, as the table has them."""
    types = list(dict.fromkeys(row["error_type"] for row in table.rows))
    tasks = list(dict.fromkeys(row["task"] for row in table.rows))
    cells = {(row["error_type"], row["task"]): row for row in table.rows}
    names = {kind: fold(kind, 40) for kind in types}
    heads = [fold(task, 15) for task in tasks]
    left = label_width(list(names.values())) + 0.2
    wide = max(WIDE, label_width(heads) * 1.1 + 0.14)
    subtitle = "share of examples with the error whose task fails, % · small: 95% interval, number of examples"
    frame = Margins(left, above=0.2 + 0.17 * max(head.count("\n") + 1 for head in heads), below=0.25)
    size = (wide * len(tasks), ROW * len(types))
    figure, place = canvas(table.caption, about(table, subtitle), size, frame)
    inches = figure.get_size_inches()
    axes = figure.add_axes((place[0], place[1], size[0] / inches[0], place[3]))
    axes.set_axis_off()
    axes.set(xlim=(0, size[0]), ylim=(size[1], 0))
    for t, head in enumerate(heads):
        axes.text((t + 0.5) * wide, -0.09, head, ha="center", va="baseline", weight="bold", linespacing=1.15)
    for i, kind in enumerate(types):
        middle = "center" if "\n" in names[kind] else "center_baseline"
        axes.text(-0.1, (i + 0.5) * ROW, names[kind], ha="right", va=middle, linespacing=1.0)
        for t, task in enumerate(tasks):
            _cell(axes, (t * wide, i * ROW, wide, ROW), cells.get((kind, task)))
    return figure


def _cell(axes: Any, box: tuple[float, float, float, float], row: Any) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    x, y, width, height = box
    rate = None if row is None else row["rate"]
    if rate is None:
        shade: Any = "#e3e3e3"
    else:
        shade = tuple(a + rate * (b - a) for a, b in zip(to_rgb(LOW), to_rgb(HIGH), strict=True))
    axes.add_patch(Rectangle((x, y), width, height, facecolor=shade, edgecolor="white", linewidth=1))
    if rate is None:
        axes.text(x + width / 2, y + height / 2, "–", ha="center", va="center_baseline", color=MUTED)
        return
    ink, faint = ("white", "white") if rate > 0.7 else (INK, INK if rate > 0.25 else MUTED)
    number = {"va": "center_baseline", "y": y + height / 2}
    axes.text(x + 0.29 * width, s=f"{100 * rate:.0f}", ha="right", color=ink, **number)
    small = f"{100 * row['rate_low']:.0f}–{100 * row['rate_high']:.0f}, n={row['n']:,}"
    axes.text(x + 0.35 * width, s=small, ha="left", size=6.5, color=faint, **number)
