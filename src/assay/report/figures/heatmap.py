"""A heat map: one line a phenomenon, one column a metric, the number in the cell, grouped and hardest first."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.table import Table
from assay.report.figures.canvas import INK, MUTED, TIED, Margins, about, canvas, fold, label_width, labels, tied
from assay.report.grid import number

BELOW, MIDDLE, ABOVE = "#b3480a", "#f7f7f7", "#0b5394"
ROW = 0.25
MOST = 150
"""More lines than these are cut: the hardest are kept."""


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
    """`chance` is the value without colour; `root` spreads small values apart, as sensitivities need.

    With `ties`, ties are coloured as half won, so a metric that ties every pair has no colour, and numbers with more ties than
    losses end with =.

    `starred` numbers that share the first place are bold and have a star; the mark belongs to the table's own value.
    `order` puts groups first that have an order of their own.
    """
    metrics = labels(table, "metric")
    if starred and any(row.get("first") for row in table.rows):
        subtitle += " · * and bold: shares first place"
    if ties and any(map(tied, table.rows)):
        subtitle += f" · {TIED} mostly ties, coloured as half won"
    lines = _lines(table, index, group, value)
    if len(lines) > MOST:
        subtitle += f" · the {MOST} hardest of {len(lines)}"
        kept = set(sorted(lines, key=lambda key: lines[key][1])[:MOST])
        lines = {key: line for key, line in lines.items() if key in kept}
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
    above = 0.16 + 0.17 * max(head.count("\n") + 1 for head in heads)
    frame = Margins(left + 0.2, above, 0.25)
    figure, place = canvas(title or table.caption, about(table, subtitle), (wide * len(metrics), height), frame)
    inches = figure.get_size_inches()
    axes = figure.add_axes((place[0], place[1], wide * len(metrics) / inches[0], place[3]))
    axes.set_axis_off()
    axes.set(xlim=(0, wide * len(metrics)), ylim=(height, 0))
    for m, head in enumerate(heads):
        axes.text((m + 0.5) * wide, -0.09, head, ha="center", va="baseline", weight="bold", linespacing=1.15)
    column, y = table.column(value), 0.0
    for name, members in groups.items():
        if named:
            axes.text(-left - 0.1, y + 0.9 * ROW, name, va="baseline", weight="bold", color=MUTED)
            y += 1.25 * ROW
        for label, cells in members:
            axes.text(-0.1, y + deep / 2, label, ha="right", va=_middle(label), linespacing=1.1)
            for m, metric in enumerate(metrics):
                row = cells.get(metric, {})
                known = _is_number(row.get(value))
                half = (1 - chance) * _tied_share(row) if ties else 0.0
                shade = _colour(row[value] + half, chance, root) if known else "#e3e3e3"
                text = number(row[value], column) + (TIED if ties and tied(row) else "") if known else "–"
                first = starred and known and bool(row.get("first"))
                _cell(axes, (m * wide, y, wide, deep), shade, text, first)
            y += deep
        y += 0 if named else 0.05
    return figure


def _lines(table: Table, index: str, group: str, value: str) -> dict[tuple[str, str], tuple[dict[Any, Any], float]]:
    """For each group and name the rows by metric, and the metrics' mean value, by which lines are ordered."""
    found: dict[tuple[str, str], dict[Any, Any]] = {}
    for row in table.rows:
        found.setdefault((str(row[group]), str(row[index])), {})[row["metric"]] = row
    lines = {}
    for key, cells in found.items():
        known = [row[value] for row in cells.values() if _is_number(row[value])]
        lines[key] = cells, sum(known) / len(known) if known else math.inf
    return lines


def _tied_share(row: Mapping[str, Any]) -> float:
    """The share of pairs that a metric neither wins nor loses; 0 if the table does not count them."""
    if not row.get("n") or "losses" not in row:
        return 0.0
    return float((row["n"] - row["wins"] - row["losses"]) / row["n"])


def _is_number(value: Any) -> bool:
    return value is not None and not math.isnan(value)


def _middle(label: str) -> str:
    """Single lines share a baseline whatever letters they have; folded ones are centred."""
    return "center" if "\n" in label else "center_baseline"


def _cell(axes: Any, box: tuple[float, float, float, float], shade: Any, text: str, first: bool) -> None:
    from matplotlib.colors import to_rgb
    from matplotlib.patches import Rectangle

    x, y, width, height = box
    axes.add_patch(Rectangle((x, y), width, height, facecolor=shade, edgecolor="white", linewidth=1))
    red, green, blue = to_rgb(shade)
    light = 0.299 * red + 0.587 * green + 0.114 * blue > 0.48
    axes.text(
        x + width / 2,
        y + height / 2,
        text + ("*" if first else ""),
        ha="center",
        va="center_baseline",
        color=INK if light else "white",
        weight="bold" if first else "normal",
    )


def _colour(value: float, chance: float, root: bool) -> tuple[float, ...]:
    """Orange below chance, blue above it, white at chance; the same for readers who do not tell red from green."""
    from matplotlib.colors import to_rgb

    share = (value - chance) / (1 - chance)
    strength = min(1.0, abs(share))
    strength = math.sqrt(strength) if root else strength
    end = to_rgb(ABOVE if share >= 0 else BELOW)
    return tuple(a + strength * (b - a) for a, b in zip(to_rgb(MIDDLE), end, strict=True))
