"""Tables for a terminal: aligned by display width, wrapped when too wide, bold headings where colour is welcome."""

from __future__ import annotations

import os
import sys
import unicodedata
from collections.abc import Sequence
from typing import TextIO

from assay.core.table import Table
from assay.report.grid import Grid, grid


def render(tables: Sequence[Table], *, width: int | None = None, colour: bool = False) -> str:
    """All tables, one below the other, each with its caption above and its notes below."""
    return "\n\n".join(_one(table, width, colour) for table in tables) + "\n" if tables else ""


def width_of(stream: TextIO | None = None) -> int | None:
    """Columns of the terminal, or None when the output is not one (then nothing is wrapped)."""
    stream = stream or sys.stdout
    if not stream.isatty():
        return None
    try:
        return os.get_terminal_size(stream.fileno()).columns
    except OSError:
        return 80


def wants_colour(stream: TextIO | None = None) -> bool:
    """Whether colour is welcome: a terminal that is not dumb, and no NO_COLOR."""
    stream = stream or sys.stdout
    return stream.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM", "") != "dumb"


def _one(table: Table, width: int | None, colour: bool) -> str:
    drawn = grid(table)
    lines = [f" {table.caption}"] if table.caption else []
    for block in _blocks(drawn, width):
        lines += _draw(block, colour)
    lines += [f" {note}" for note in table.notes]
    return "\n".join(lines)


def _blocks(drawn: Grid, width: int | None) -> list[Grid]:
    """The grid cut into blocks of columns that fit the width; the leading text columns stand in every block."""
    sizes = _sizes(drawn)
    total = sum(sizes) + 2 * len(sizes)
    if width is None or total <= width or len(sizes) < 3:
        return [drawn]
    fixed = 1
    blocks: list[list[int]] = [[]]
    used = room = sum(sizes[:fixed]) + 2 * fixed
    for i in range(fixed, len(sizes)):
        if used + sizes[i] + 2 > width and blocks[-1]:
            blocks.append([])
            used = room
        blocks[-1].append(i)
        used += sizes[i] + 2
    return [_columns(drawn, [*range(fixed), *block]) for block in blocks]


def _columns(drawn: Grid, keep: list[int]) -> Grid:
    return Grid(
        [drawn.headings[i] for i in keep],
        [[row[i] for i in keep] for row in drawn.rows],
        [drawn.numeric[i] for i in keep],
    )


def _draw(drawn: Grid, colour: bool) -> list[str]:
    sizes = _sizes(drawn)
    numeric = drawn.numeric
    head = _line(drawn.headings, sizes, [False] * len(numeric) if not any(numeric) else numeric)
    return [f"\033[1m{head}\033[0m" if colour else head, *(_line(row, sizes, numeric) for row in drawn.rows)]


def _line(cells: Sequence[str], sizes: Sequence[int], right: Sequence[bool]) -> str:
    padded = []
    for text, size, flush_right in zip(cells, sizes, right, strict=True):
        space = " " * (size - display_width(text))
        padded.append(space + text if flush_right else text + space)
    return (" " + "  ".join(padded)).rstrip()


def _sizes(drawn: Grid) -> list[int]:
    return [
        max([display_width(heading), *(display_width(row[i]) for row in drawn.rows)])
        for i, heading in enumerate(drawn.headings)
    ]


def display_width(text: str) -> int:
    """Terminal cells that a text takes: two for wide East Asian characters, none for combining marks."""
    if text.isascii():
        return len(text)
    return sum(
        0
        if unicodedata.combining(char) or unicodedata.category(char) in ("Mn", "Me", "Cf")
        else 2
        if unicodedata.east_asian_width(char) in "WF"
        else 1
        for char in text
    )
