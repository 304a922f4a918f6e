"""Tables as HTML: fragments for notebooks, and self-contained pages with tables, figures and explanations."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.core.table import Table
from assay.report.grid import grid, split_mark

_STYLE = """
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
"""Characters from which on a text wraps inside its cell."""


def fragment(table: Table, caption: bool = True) -> str:
    """Return one table as an HTML fragment, for a notebook or a page."""
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
    # A mark has zero width, so that digits are aligned.
    return f"<td class=n>{html.escape(number)}" + (f"<i>&nbsp;{html.escape(mark)}</i>" if mark else "") + "</td>"


_SECTIONS = """
h1{font-size:1.6rem;margin:0 0 .2rem}
h2{font-size:1.35rem;margin:2.5rem 0 .3rem;border-bottom:1px solid #8886;padding-bottom:.3rem}
h3{font-size:1.08rem;margin:2rem 0 .3rem}
.lead,.reading{max-width:46rem}
.reading{margin:.2rem 0 .5rem}
figure{margin:1rem 0;background:#fff;border:1px solid #8884;border-radius:6px;overflow-x:auto;max-width:fit-content}
figure svg{display:block;max-width:100%;height:auto;min-width:32rem}
nav{margin:.6rem 0;line-height:1.9}
nav a{margin-right:1rem;white-space:nowrap}
"""


@dataclass(frozen=True, slots=True)
class Section:
    """One suite's part of a page. `figures` are SVG elements by table name."""

    title: str
    tables: Sequence[Table]
    lead: str = ""
    figures: Mapping[str, Sequence[str]] = field(default_factory=dict)


def head_of(title: str, style: str) -> str:
    """Return the beginning of a page, up to its content."""
    shown = html.escape(title)
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{shown}</title><style>{style}</style></head><body>\n<h1>{shown}</h1>\n"
    )


def page_of_tables(tables: Sequence[Table], title: str = "assay") -> str:
    """Return a page that contains only tables."""
    return head_of(title, _STYLE) + "\n".join(map(fragment, tables)) + "\n</body></html>\n"


def page(sections: Sequence[Section], title: str) -> str:
    """Return a page with sections, starting with the first table of each."""
    body = "\n".join(_section(section, f"s{i}-") for i, section in enumerate(sections))
    return f"{head_of(title, _STYLE + _SECTIONS)}{body}\n</body></html>\n"


def _section(section: Section, prefix: str) -> str:
    links = " ".join(
        f'<a href="#{prefix}{html.escape(table.name)}">{html.escape(table.name.replace("_", " "))}</a>'
        for table in section.tables
    )
    parts = [f"<section><h2 dir=auto>{html.escape(section.title)}</h2>"]
    parts += [f'<p class="lead">{html.escape(section.lead)}</p>'] if section.lead else []
    parts += [f"<nav>{links}</nav>"] if len(section.tables) > 1 else []
    for table in section.tables:
        parts.append(f'<h3 id="{prefix}{html.escape(table.name)}">{html.escape(table.caption or table.name)}</h3>')
        parts += [f'<p class="reading">{html.escape(table.reading)}</p>'] if table.reading else []
        parts.append(fragment(table, caption=False))
        parts += [f"<figure>{svg}</figure>" for svg in section.figures.get(table.name, ())]
    return "\n".join([*parts, "</section>"])
