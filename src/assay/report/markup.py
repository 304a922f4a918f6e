"""Tables as Markdown and LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence

from assay.core.table import Table
from assay.report.grid import grid
from assay.report.text import visible


def markdown(tables: Sequence[Table]) -> str:
    """Return GitHub pipe tables, with bold captions above and notes below."""
    return "\n".join(_markdown(table) for table in tables)


def _markdown(table: Table) -> str:
    drawn = grid(table)

    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(plain(text) for text in cells) + " |"

    lines = [f"**{plain(table.caption)}**", ""] if table.caption else []
    lines += [line(drawn.headings), "|" + "|".join("---:" if right else "---" for right in drawn.numeric) + "|"]
    lines += [line(row) for row in drawn.rows]
    lines += ["", *(f"{plain(note)}  " for note in table.notes)] if table.notes else []
    return "\n".join(lines) + "\n"


def plain(text: str) -> str:
    """Escape markup characters, so that Markdown shows the text literally."""
    return re.sub(r"([\\`*_<|\[])", r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    """Return the text on one line, without characters that control a terminal."""
    return visible(" ".join(text.splitlines()))


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "↓": r"$\downarrow$", "–": "--", "<": r"$<$",
    "†": r"$\dagger$", "‡": r"$\ddagger$", "→": r"$\rightarrow$", "←": r"$\leftarrow$", "·": r"$\cdot$", "≤": r"$\leq$",
}  # fmt: skip


def latex(tables: Sequence[Table]) -> str:
    """Return booktabs tables for \\input."""
    return "\n".join(_latex(table) for table in tables)


def _latex(table: Table) -> str:
    drawn = grid(table)

    def escape(text: str) -> str:
        return "".join(_LATEX.get(char, char) for char in _one_line(text))

    def line(cells: Sequence[str]) -> str:
        return "  " + " & ".join(escape(text) for text in cells) + r" \\"

    columns = "".join(
        "r" if right else f"p{{{0.7 / len(drawn.stacked):.2f}\\linewidth}}" if i in drawn.stacked else "l"
        for i, right in enumerate(drawn.numeric)
    )
    lines = [
        r"\begin{table}",
        r"\centering",
        rf"\begin{{tabular}}{{{columns}}}",
        r"\toprule",
        line(drawn.headings),
        r"\midrule",
    ]
    lines += [line(row) for row in drawn.rows]
    lines += [r"\bottomrule", r"\end{tabular}"]
    sentences = [text.rstrip(".") + "." for text in (table.caption, *table.notes) if text]
    lines += [rf"\caption{{{escape(' '.join(sentences))}}}"] if sentences else []
    return "\n".join([*lines, r"\end{table}", ""])
