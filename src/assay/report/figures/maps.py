"""Figures with a number in every cell: heat maps of phenomena by metric, and breakdown rates of error types by task."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import INK, MUTED, TIED, Margins, about, canvas, fold, label_width, labels, tied
from assay.report.grid import number

BELOW, MIDDLE, ABOVE = "#b3480a", "#f7f7f7", "#0b5394"
"""Colours of values below chance, at chance and above it."""
EMPTY = "#e3e3e3"
ROW, RATE_ROW, RATE_WIDTH = 0.25, 0.31, 1.6
MAX_LINES = 150
"""Lines of a heat map; of more, only the hardest are drawn."""

Box = tuple[float, float, float, float]


def heatmap(
    table: Table,
    *,
    index: str,
    group: str,
    value: str,
    subtitle: str,
    chance: float = 0.0,
    ties: bool = False,
    root: bool = False,
    title: str = "",
    starred: bool = True,
    order: Sequence[str] = (),
) -> Any:
    """Draw one line per phenomenon and one column per metric, in groups, the hardest line first.

    Args:
        table: The table; `index`, `group` and `value` are its columns.
        index: The column that names the lines.
        group: The column that groups the lines.
        value: The column of the numbers.
        subtitle: The sentence under the title.
        chance: The value that has no colour.
        ties: Colour ties as half won, so that a metric that ties every pair has no colour, and mark numbers with more ties than
            losses with ``=``.
        root: Spread small values apart, as sensitivities need.
        title: The title, by default the table's caption.
        starred: Print numbers that share first place in bold with a star, if the mark belongs to this column.
        order: Groups that come first, in this order.
    """
    metrics = labels(table, "metric")
    if starred and any(row.get("first") for row in table.rows):
        subtitle += " · * and bold: shares first place"
    if ties and any(map(tied, table.rows)):
        subtitle += f" · {TIED} mostly ties, coloured as half won"
    lines = _lines(table, index, group, value)
    if len(lines) > MAX_LINES:
        subtitle += f" · the {MAX_LINES} hardest of {len(lines)}"
        hardest = set(sorted(lines, key=lambda key: lines[key][1])[:MAX_LINES])
        lines = {key: line for key, line in lines.items() if key in hardest}
    groups: dict[str, list[tuple[str, dict[Any, Any]]]] = {}
    for (head, name), (cells, _) in sorted(lines.items(), key=lambda item: item[1][1]):
        groups.setdefault(head, []).append((fold(name, 58), cells))
    first_seen = dict.fromkeys([*order, *(str(row[group]) for row in table.rows)])
    groups = {head: groups[head] for head in first_seen if head in groups}
    heads = [fold(name, 11) for name in metrics.values()]
    wide = max(0.78, label_width(heads) * 1.1 + 0.14)
    deep = ROW if all("\n" not in name for members in groups.values() for name, _ in members) else 1.5 * ROW
    named = len(groups) > 1
    height = sum(deep * len(members) + (ROW * 1.25 if named else 0.05) for members in groups.values())
    left = max(label_width([name for members in groups.values() for name, _ in members]), label_width(list(groups)))
    axes = _matrix(title or table.caption, about(table, subtitle), heads, wide, height, left + 0.2, 0.16)
    column, y = table.column(value), 0.0
    for name, members in groups.items():
        if named:
            axes.text(-left - 0.1, y + 0.9 * ROW, name, va="baseline", weight="bold", color=MUTED)
            y += 1.25 * ROW
        for label, cells in members:
            axes.text(-0.1, y + deep / 2, label, ha="right", va=_middle(label), linespacing=1.1)
            for m, metric in enumerate(metrics):
                row = cells.get(metric, {})
                scored = _is_number(row.get(value))
                half = (1 - chance) * _tied_share(row) if ties else 0.0
                shade = _colour(row[value] + half, chance, root) if scored else EMPTY
                text = number(row[value], column) + (TIED if ties and tied(row) else "") if scored else "–"
                _value_cell(axes, (m * wide, y, wide, deep), shade, text, starred and scored and bool(row.get("first")))
            y += deep
        y += 0 if named else 0.05
    return axes.figure


def _lines(table: Table, index: str, group: str, value: str) -> dict[tuple[str, str], tuple[dict[Any, Any], float]]:
    """Return the rows by metric for each group and name, with the mean over metrics, which determines the order of lines."""
    rows: dict[tuple[str, str], dict[Any, Any]] = {}
    for row in table.rows:
        rows.setdefault((str(row[group]), str(row[index])), {})[row["metric"]] = row
    lines = {}
    for key, cells in rows.items():
        values = [row[value] for row in cells.values() if _is_number(row[value])]
        lines[key] = cells, sum(values) / len(values) if values else math.inf
    return lines


def _tied_share(row: Mapping[str, Any]) -> float:
    """Return the share of pairs that a metric neither wins nor loses; 0 if the table does not count them."""
    if not row.get("n") or "losses" not in row:
        return 0.0
    return float((row["n"] - row["wins"] - row["losses"]) / row["n"])


def _is_number(value: Any) -> bool:
    return value is not None and not math.isnan(value)


def _value_cell(axes: Any, box: Box, shade: Any, text: str, first: bool) -> None:
    from matplotlib.colors import to_rgb

    x, y, width, height = box
    _rectangle(axes, box, shade)
    red, green, blue = to_rgb(shade)
    ink = INK if 0.299 * red + 0.587 * green + 0.114 * blue > 0.48 else "white"
    weight = "bold" if first else "normal"
    shown = text + ("*" if first else "")
    axes.text(x + width / 2, y + height / 2, shown, ha="center", va="center_baseline", color=ink, weight=weight)


def _colour(value: float, chance: float, root: bool) -> tuple[float, ...]:
    """Return orange below chance, blue above it and white at chance: colours that differ for colour-blind readers too."""
    share = (value - chance) / (1 - chance)
    strength = min(1.0, abs(share))
    return _between(MIDDLE, ABOVE if share >= 0 else BELOW, math.sqrt(strength) if root else strength)


def _between(one: str, other: str, share: float) -> tuple[float, ...]:
    from matplotlib.colors import to_rgb

    return tuple(a + share * (b - a) for a, b in zip(to_rgb(one), to_rgb(other), strict=True))


def rates(table: Table) -> Any:
    """Draw one line per error type and one column per task: the breakdown rate with its interval and number of examples.

    Darker cells break more often. Lines go from the most to the least harmful, as in the table.
    """
    types = list(dict.fromkeys(row["error_type"] for row in table.rows))
    tasks = list(dict.fromkeys(row["task"] for row in table.rows))
    cells = {(row["error_type"], row["task"]): row for row in table.rows}
    names = {kind: fold(kind, 40) for kind in types}
    heads = [fold(task, 15) for task in tasks]
    wide = max(RATE_WIDTH, label_width(heads) * 1.1 + 0.14)
    subtitle = "share of examples with the error whose task fails, % · small: 95% interval, number of examples"
    left = label_width(list(names.values())) + 0.2
    axes = _matrix(table.caption, about(table, subtitle), heads, wide, RATE_ROW * len(types), left, 0.2)
    for i, kind in enumerate(types):
        axes.text(-0.1, (i + 0.5) * RATE_ROW, names[kind], ha="right", va=_middle(names[kind]), linespacing=1.0)
        for t, task in enumerate(tasks):
            _rate_cell(axes, (t * wide, i * RATE_ROW, wide, RATE_ROW), cells.get((kind, task)))
    return axes.figure


def _rate_cell(axes: Any, box: Box, row: Any) -> None:
    x, y, width, height = box
    rate = None if row is None else row["rate"]
    _rectangle(axes, box, EMPTY if rate is None else _between(MIDDLE, BELOW, rate))
    if rate is None:
        axes.text(x + width / 2, y + height / 2, "–", ha="center", va="center_baseline", color=MUTED)
        return
    ink, faint = ("white", "white") if rate > 0.7 else (INK, INK if rate > 0.25 else MUTED)
    middle = {"va": "center_baseline", "y": y + height / 2}
    axes.text(x + 0.29 * width, s=f"{100 * rate:.0f}", ha="right", color=ink, **middle)
    small = f"{100 * row['rate_low']:.0f}–{100 * row['rate_high']:.0f}, n={row['n']:,}"
    axes.text(x + 0.35 * width, s=small, ha="left", size=6.5, color=faint, **middle)


def _matrix(
    title: str, subtitle: str, heads: Sequence[str], wide: float, height: float, left: float, above: float
) -> Any:
    """Return axes measured in inches from the top left, below the column headings; `left` and `above` are margins."""
    frame = Margins(left, above + 0.17 * max(head.count("\n") + 1 for head in heads), 0.25)
    size = (wide * len(heads), height)
    figure, position = canvas(title, subtitle, size, frame)
    axes = figure.add_axes((position[0], position[1], size[0] / figure.get_size_inches()[0], position[3]))
    axes.set_axis_off()
    axes.set(xlim=(0, size[0]), ylim=(height, 0))
    for i, head in enumerate(heads):
        axes.text((i + 0.5) * wide, -0.09, head, ha="center", va="baseline", weight="bold", linespacing=1.15)
    return axes


def _middle(label: str) -> str:
    """Return the vertical alignment of a label: single lines share a baseline, folded ones are centred."""
    return "center" if "\n" in label else "center_baseline"


def _rectangle(axes: Any, box: Box, shade: Any) -> None:
    from matplotlib.patches import Rectangle

    x, y, width, height = box
    axes.add_patch(Rectangle((x, y), width, height, facecolor=shade, edgecolor="white", linewidth=1))
