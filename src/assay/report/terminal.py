"""Tables for a terminal: aligned by display width, wrapped to fit, with bold headings if colour is allowed.

A table that is too wide first folds its long texts inside their cells. If it is still too wide, it is split into blocks of
columns, each of which repeats the columns that name the rows. Long texts are shown below their rows, one line each.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import TextIO

from assay.core.table import Table
from assay.report.grid import Grid, grid, split_mark
from assay.report.text import display_width, visible, wrap

GAP = 2
"""Spaces between two columns."""
INDENT = 4
"""Spaces before a text below its row."""
LEAST = 12
"""Minimum width of a column of texts."""


def render(tables: Sequence[Table], *, width: int | None = None, colour: bool = False) -> str:
    """Return all tables, one below the other, each with its caption above and its notes below."""
    return "\n\n".join(_render_table(table, width, colour) for table in tables) + "\n" if tables else ""


def show(tables: Sequence[Table]) -> None:
    """Print tables to standard output, fitted to the terminal."""
    sys.stdout.write(render(tables, width=width_of(), colour=wants_colour()))
    sys.stdout.flush()


def width_of(stream: TextIO | None = None) -> int | None:
    """Return the columns of the terminal; None if the output is not a terminal, so that nothing is wrapped."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns or 80
    except OSError:
        return 80


def wants_colour(stream: TextIO | None = None) -> bool:
    """Return whether colour is allowed: on a terminal that is not dumb, without NO_COLOR."""
    stream = stream or sys.stdout
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "") != "dumb"


def _render_table(table: Table, width: int | None, colour: bool) -> str:
    lines = paragraph(table.caption, width) if table.caption else []
    drawn = _align_numbers(_without_controls(grid(table)))
    if drawn.stacked:
        lines += _stacked(drawn, width, colour)
    else:
        for i, block in enumerate(_blocks(drawn, width)):
            lines += ([""] if i else []) + _draw(block, width, colour)
    for note in table.notes:
        lines += paragraph(note, width)
    return "\n".join(lines)


def paragraph(text: str, width: int | None) -> list[str]:
    """Return running text below a table; all lines after the first are indented."""
    text = visible(text)
    return [f" {line}" for line in (wrap(text, max(width - 1, 20), 2) if width else [text])]


def _without_controls(drawn: Grid) -> Grid:
    """Return the grid without characters that control the terminal or break a row."""
    return replace(
        drawn, headings=list(map(visible, drawn.headings)), rows=[list(map(visible, row)) for row in drawn.rows]
    )


def _align_numbers(drawn: Grid) -> Grid:
    """Return the grid with padding after numbers without a mark, so that digits are aligned."""
    columns = []
    for i, numeric in enumerate(drawn.numeric):
        cells = [row[i] for row in drawn.rows]
        marks = [split_mark(text)[1] for text in cells]
        room = max(map(display_width, marks), default=0)
        if numeric and room:
            cells = [
                text + " " * (room - display_width(mark) + (not mark)) for text, mark in zip(cells, marks, strict=True)
            ]
        columns.append(cells)
    return replace(drawn, rows=[list(row) for row in zip(*columns, strict=True)])


def _blocks(drawn: Grid, width: int | None) -> list[Grid]:
    """Split the grid into blocks of columns that fit the width; every block has the columns that name the rows."""
    if width is None:
        return [drawn]
    floor = _floor(width) if any(drawn.numeric) else LEAST
    least = [size if right else min(size, floor) for size, right in zip(_sizes(drawn), drawn.numeric, strict=True)]
    if _total(least) <= width:
        return [drawn]
    blocks = [list(drawn.names)]
    for i in range(len(least)):
        if i in drawn.names:
            continue
        if _total([least[j] for j in [*blocks[-1], i]]) > width and len(blocks[-1]) > len(drawn.names):
            blocks.append(list(drawn.names))
        blocks[-1].append(i)
    return [_columns(drawn, sorted(block)) for block in blocks]


def _stacked(drawn: Grid, width: int | None, colour: bool) -> list[str]:
    """Return rows with their long texts below them; columns that do not fit are shown below as well."""
    first, *others = _blocks(_columns(drawn, [i for i in range(len(drawn.headings)) if i not in drawn.stacked]), width)
    head, *rows = _draw_rows(first, width, colour)
    labels = [drawn.headings[i] for i in drawn.stacked] + ["more"] * bool(others)
    label_size = max(map(display_width, labels))
    lines = list(head)
    for i, row in enumerate(rows):
        lines += ([""] if i else []) + row
        texts = [drawn.rows[i][at] for at in drawn.stacked]
        more = [f"{block.headings[at]} {block.rows[i][at].strip()}" for block in others for at in _own_columns(block)]
        for label, text in zip(labels, [*texts, " · ".join(more)], strict=False):
            margin = " " * (INDENT + label_size + GAP)
            folded = wrap(text, max(width - len(margin), LEAST)) if width else [text]
            start = " " * INDENT + label + " " * (label_size - display_width(label) + GAP)
            lines += [((start if k == 0 else margin) + part).rstrip() for k, part in enumerate(folded)] if text else []
    return lines


def _own_columns(block: Grid) -> list[int]:
    """Return the columns of a block that do not name the rows."""
    return [i for i in range(len(block.headings)) if i not in block.names]


def _floor(width: int) -> int:
    """Return the width below which a text column is not folded if another one can be."""
    return max(LEAST, min(28, width // 3))


def _total(sizes: Sequence[int]) -> int:
    return 1 + sum(sizes) + GAP * (len(sizes) - 1)


def _columns(drawn: Grid, keep: list[int]) -> Grid:
    return Grid(
        [drawn.headings[i] for i in keep],
        [[row[i] for i in keep] for row in drawn.rows],
        [drawn.numeric[i] for i in keep],
        [keep.index(i) for i in drawn.names],
    )


def _draw(drawn: Grid, width: int | None, colour: bool) -> list[str]:
    return [line for lines in _draw_rows(drawn, width, colour) for line in lines]


def _draw_rows(drawn: Grid, width: int | None, colour: bool) -> list[list[str]]:
    """Return the lines of the heading, then those of every row."""
    sizes = _fit_sizes(drawn, width)
    head = _line(drawn.headings, sizes, drawn.numeric) if any(map(str.strip, drawn.headings)) else []
    head = [f"\033[1m{line}\033[0m" for line in head] if colour else head
    return [head, *(_line(row, sizes, drawn.numeric) for row in drawn.rows)]


def _fit_sizes(drawn: Grid, width: int | None) -> list[int]:
    """Return column sizes that fit the width: the widest text column shrinks first, to a readable floor, then further."""
    sizes = _sizes(drawn)
    texts = [i for i, right in enumerate(drawn.numeric) if not right]
    for floor in (_floor(width), LEAST) if width is not None and texts else ():
        while (over := _total(sizes) - (width or 0)) > 0:
            widest = max(texts, key=lambda i: sizes[i])
            others = max((sizes[i] for i in texts if i != widest), default=0)
            least = max(floor, min(others, sizes[widest] - 1))
            if sizes[widest] <= least:
                break
            sizes[widest] = max(least, sizes[widest] - over)
    return sizes


def _line(cells: Sequence[str], sizes: Sequence[int], right: Sequence[bool]) -> list[str]:
    """Return the lines of one row; folded lines are indented, so that they do not look like rows."""
    folded = [wrap(text, size, indent=2) for text, size in zip(cells, sizes, strict=True)]
    lines = []
    for i in range(max(map(len, folded), default=0)):
        padded = []
        for parts, size, flush_right in zip(folded, sizes, right, strict=True):
            text = parts[i] if i < len(parts) else ""
            space = " " * (size - display_width(text))
            padded.append(space + text if flush_right else text + space)
        lines.append((" " + (" " * GAP).join(padded)).rstrip())
    return lines


def _sizes(drawn: Grid) -> list[int]:
    return [
        max([display_width(heading), *(display_width(row[i]) for row in drawn.rows)])
        for i, heading in enumerate(drawn.headings)
    ]
