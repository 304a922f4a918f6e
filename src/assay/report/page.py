"""A report as one HTML page that needs nothing from elsewhere: tables, how to read them, figures inside, light and dark."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from assay.core.table import Table
from assay.report.markup import STYLE, fragment

_STYLE = (
    STYLE
    + """
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
)


@dataclass(frozen=True, slots=True)
class Section:
    """One suite's part of a report. `figures` (SVG elements) belong to tables by name."""

    title: str
    tables: Sequence[Table]
    lead: str = ""
    figures: Mapping[str, Sequence[str]] = field(default_factory=dict)


def page(sections: Sequence[Section], title: str) -> str:
    """The whole page, a section after the other, the first table of each first."""
    body = "\n".join(_section(section, f"s{i}-") for i, section in enumerate(sections))
    return (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{html.escape(title)}</title><style>{_STYLE}</style></head><body>\n"
        f"<h1>{html.escape(title)}</h1>\n{body}\n</body></html>\n"
    )


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
