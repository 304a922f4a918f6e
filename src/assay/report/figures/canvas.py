"""Elements common to all figures: layout in inches, colour-blind-safe colours, title and legend, file output.

The layout is based on the display width of the labels, so long names neither overlap nor get cut off. matplotlib's settings
are changed only during a call, and pyplot is never imported.
"""

from __future__ import annotations

import io
import math
import warnings
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

from assay.core.errors import MissingPart
from assay.core.table import Table
from assay.report.grid import cell
from assay.report.text import display_width, wrap

INK, MUTED, RULE, BAND = "#1f2328", "#59636e", "#c5ccd3", "#f3f5f7"
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000", "#882255")
"""Okabe and Ito's colours, with their yellow replaced by one that is visible on white."""
MARKERS = "osD^vPX<>"
EM = 0.081
"""Inches per display cell of a label."""
MARGIN = 0.25
_OTHER_SCRIPTS = (
    "Noto Sans CJK SC", "Noto Sans CJK JP", "Noto Sans CJK KR", "WenQuanYi Micro Hei", "IPAGothic", "PingFang SC",
    "Hiragino Sans", "Microsoft YaHei", "Yu Gothic", "Malgun Gothic", "Noto Sans Arabic", "Noto Sans Hebrew",
    "Noto Sans Devanagari", "Noto Sans Thai",
)  # fmt: skip
TIED = "="
"""The mark, in a table's `marks`, of a metric that ties more pairs than it gets wrong."""
NO_GLYPH = "□"
"""The character that matplotlib draws for a letter that no font has."""


def tied(row: Mapping[str, Any]) -> bool:
    """Return whether a metric ties more pairs than it gets wrong."""
    return TIED in str(row.get("marks") or "")


def need_matplotlib() -> Any:
    """Return matplotlib; raise MissingPart with the install command if it is missing."""
    try:
        import matplotlib
    except ImportError:
        raise MissingPart("figures need the extra 'figures': pip install 'mt-assay[figures]'") from None
    return matplotlib


@contextmanager
def settings(format: str = "svg") -> Iterator[None]:
    """Apply assay's matplotlib settings inside the block."""
    matplotlib = need_matplotlib()
    families = ["DejaVu Sans"] if format == "svg" else _families()
    ours = {
        "font.family": [*families, "sans-serif"],
        "font.size": 9.5,
        "text.color": INK,
        "text.parse_math": False,
        "axes.edgecolor": RULE,
        "axes.labelcolor": MUTED,
        "xtick.color": MUTED,
        "ytick.color": MUTED,
        "svg.fonttype": "none",
    }
    with matplotlib.rc_context(ours), warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Glyph .* missing from font")
        yield


def _families() -> list[str]:
    from matplotlib.font_manager import fontManager

    installed = set(fontManager.get_font_names())
    return ["DejaVu Sans", *(name for name in _OTHER_SCRIPTS if name in installed)]


def with_font_note(table: Table) -> Table:
    """Add a note to the table if its PNG lacks glyphs; an SVG leaves fonts to the viewer."""
    from matplotlib.font_manager import findfont, get_font

    texts = "".join(
        str(row.get(column.key, "")) for column in table.columns if column.kind == "text" for row in table.rows
    )
    drawable = set().union(*(get_font(findfont(family)).get_charmap() for family in _families()))
    if all(ord(char) in drawable for char in texts):
        return table
    note = (
        f"{NO_GLYPH} boxed letters are missing from the installed fonts, but not from the SVG (fonts-noto-cjk "
        "has Chinese, Japanese, Korean)"
    )
    return replace(table, notes=(*table.notes, note))


def look(i: int) -> tuple[str, str]:
    """Return the colour and marker for the i-th metric."""
    return PALETTE[i % len(PALETTE)], MARKERS[i % len(MARKERS)]


def labels(table: Table, key: str) -> dict[Any, str]:
    """Return a column's values in order of appearance, with their text (including the mark)."""
    column = table.column(key)
    return {row[key]: cell(column, row) for row in table.rows}


def about(table: Table, subtitle: str) -> str:
    """Return the subtitle with the table's notes on metrics trained on the suite and on missing glyphs."""
    return " · ".join([subtitle, *(note for note in table.notes if note.startswith(("†", NO_GLYPH)))])


def label_width(lines: Sequence[str]) -> float:
    """Return the width in inches of the widest line in some labels."""
    return max((display_width(line) for text in lines for line in text.split("\n")), default=0) * EM


def fold(text: str, width: int) -> str:
    """Return a label in lines of at most `width` cells."""
    return "\n".join(wrap(text, width))


@dataclass(frozen=True, slots=True)
class Margins:
    """Inches around the plot: `left` for labels, `above` for column headings, `below` for the axis."""

    left: float
    above: float = 0.1
    below: float = 0.55


def canvas(
    title: str, subtitle: str, plot: tuple[float, float], frame: Margins, legend: Sequence[str] = ()
) -> tuple[Any, tuple[float, float, float, float]]:
    """Return a figure with title and legend, and the plot position (left, bottom, width, height as fractions)."""
    from matplotlib.figure import Figure

    width = max(MARGIN + frame.left + plot[0] + MARGIN, 5.8)
    heading = wrap(title, int(width / 0.118))
    about = wrap(subtitle, int((width - 2 * MARGIN) / 0.072))
    columns, column_width = _legend_columns(legend, width)
    legend_height = 0.24 * math.ceil(len(legend) / columns) + 0.12 if legend else 0.0
    top = MARGIN + 0.25 * len(heading) + 0.19 * len(about) + 0.14 + legend_height
    height = top + frame.above + plot[1] + frame.below
    figure = Figure(figsize=(width, height), facecolor="white")
    y = height - MARGIN
    figure.text(MARGIN / width, y / height, "\n".join(heading), size=13, weight="bold", va="top", linespacing=1.2)
    y -= 0.25 * len(heading) + 0.05
    figure.text(MARGIN / width, y / height, "\n".join(about), color=MUTED, va="top", linespacing=1.25)
    y -= 0.19 * len(about) + 0.22
    if legend:
        _draw_legend(figure, legend, columns, column_width, y)
    position = (
        (MARGIN + frame.left) / width,
        frame.below / height,
        (width - 2 * MARGIN - frame.left) / width
        if MARGIN + frame.left + plot[0] + MARGIN < width
        else plot[0] / width,
        plot[1] / height,
    )
    return figure, position


def _legend_columns(legend: Sequence[str], width: float) -> tuple[int, float]:
    column = label_width(legend) + 0.5
    return max(1, min(len(legend), int((width - 2 * MARGIN) / column))), column


def _draw_legend(figure: Any, legend: Sequence[str], columns: int, column: float, y: float) -> None:
    """Draw markers and names in rows below the subtitle."""
    from matplotlib.lines import Line2D

    width, height = figure.get_size_inches()
    for i, name in enumerate(legend):
        colour, marker = look(i)
        x, row_y = MARGIN + 0.08 + (i % columns) * column, y - 0.24 * (i // columns)
        figure.add_artist(
            Line2D([x / width], [row_y / height], color=colour, marker=marker, markersize=6.5, linestyle="none")
        )
        figure.text((x + 0.15) / width, row_y / height, name, va="center_baseline")


def bare(axes: Any) -> None:
    """Remove the box of axes and the ticks on the left."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.tick_params(axis="y", length=0, pad=8, labelcolor=INK)


def striped(axes: Any, lines: int) -> None:
    """Draw value grid lines, and a band behind every other line."""
    axes.grid(axis="x", color=RULE, linewidth=0.6)
    axes.set_axisbelow(True)
    for i in range(0, lines, 2):
        axes.axhspan(i - 0.5, i + 0.5, color=BAND, zorder=0)


def save(figure: Any, format: str, name: str) -> bytes:
    """Return the figure as file content, reproducible for the same input (no date, ids derived from the name only)."""
    matplotlib = need_matplotlib()
    out = io.BytesIO()
    with matplotlib.rc_context({"svg.hashsalt": name}):
        metadata = {"Date": None, "Creator": "assay"} if format == "svg" else {"Software": "assay"}
        figure.savefig(out, format=format, dpi=150, metadata=metadata)
    return out.getvalue()
