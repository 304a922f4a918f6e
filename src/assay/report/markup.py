"""Tables as Markdown, LaTeX and HTML: the same grid in three costumes."""

from __future__ import annotations

import html
import re
from collections.abc import Sequence

from assay.core.table import Table
from assay.report.grid import grid, split_mark
from assay.report.text import visible


def markdown(tables: Sequence[Table]) -> str:
    """GitHub's pipe tables, captions in bold above, notes below."""
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
    """Text that Markdown shows as it is: no pipe ends the cell, no star, underscore, link or tag is taken for markup."""
    return re.sub(r"([\\`*_<|\[])", r"\\\1", _one_line(text))


def _one_line(text: str) -> str:
    """No line ends inside a cell, and nothing that steers the terminal on which the document is shown."""
    return visible(" ".join(text.splitlines()))


_LATEX = {
    "\\": r"\textbackslash{}", "&": r"\&", "%": r"\%", "$": r"\$", "#": r"\#", "_": r"\_", "{": r"\{", "}": r"\}",
    "~": r"\textasciitilde{}", "^": r"\textasciicircum{}", "±": r"$\pm$", "↓": r"$\downarrow$", "–": "--", "<": r"$<$",
    "†": r"$\dagger$", "‡": r"$\ddagger$", "→": r"$\rightarrow$", "←": r"$\leftarrow$", "·": r"$\cdot$", "≤": r"$\leq$",
}  # fmt: skip


def latex(tables: Sequence[Table]) -> str:
    """booktabs tables, ready to be \\input."""
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


STYLE = """
:root{color-scheme:light dark}
body{font:15px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:72rem;padding:0 1rem}
table{border-collapse:collapse;margin:.5rem 0;font-variant-numeric:tabular-nums}
caption{text-align:left;font-weight:600;padding:.3rem 0}
th,td{padding:.2rem .7rem;border-bottom:1px solid #8884;text-align:left;white-space:nowrap;vertical-align:top}
td.t{white-space:normal;min-width:16rem}
td.n,th.n{text-align:right;padding-right:1.2rem}
td i{display:inline-block;width:0;font-style:normal}
thead th{border-bottom:2px solid #888;vertical-align:bottom}
.note{color:#6b7280;font-size:.9em;margin:.1rem 0}
.scroll{overflow-x:auto}
th:first-child,td:first-child{position:sticky;left:0;background:Canvas}
@media (prefers-color-scheme:dark){.note{color:#a3abb5}}
@media (max-width:40rem){body{margin:1rem auto;padding:0 .6rem}th,td{padding:.2rem .45rem}}
"""

_LONG = 40
"""Texts with more characters are broken inside their cell."""


def fragment(table: Table, caption: bool = True) -> str:
    """One table as an HTML fragment, for a notebook or a page."""
    drawn = grid(table)
    head = "".join(
        f"<th{' class=n' if right else ''} dir=auto>{html.escape(text)}</th>"
        for text, right in zip(drawn.headings, drawn.numeric, strict=True)
    )
    body = "\n".join(
        "<tr>" + "".join(_cell(text, right) for text, right in zip(row, drawn.numeric, strict=True)) + "</tr>"
        for row in drawn.rows
    )
    title = f"<caption>{html.escape(table.caption)}</caption>" if caption and table.caption else ""
    notes = "".join(f'<p class="note">{html.escape(note)}</p>' for note in table.notes)
    return (
        f'<div class="scroll"><table>{title}<thead><tr>{head}</tr></thead>\n<tbody>{body}</tbody></table></div>{notes}'
    )


def _cell(text: str, right: bool) -> str:
    if not right:
        return f"<td{' class=t' if len(text) > _LONG and ' ' in text else ''} dir=auto>{html.escape(text)}</td>"
    number, mark = split_mark(text)
    # A mark takes no room, so that digits stand below digits.
    return f"<td class=n>{html.escape(number)}" + (f"<i>&nbsp;{html.escape(mark)}</i>" if mark else "") + "</td>"


def page(tables: Sequence[Table], title: str = "assay", extra: str = "") -> str:
    """A whole HTML page that needs nothing from elsewhere; `extra` is put below the tables as it is."""
    body = "\n".join(fragment(table) for table in tables)
    return (
        f'<!doctype html>\n<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">'
        f"<title>{html.escape(title)}</title><style>{STYLE}</style></head><body><h1>{html.escape(title)}</h1>\n{body}\n{extra}</body></html>\n"
    )
