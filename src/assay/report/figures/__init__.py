"""Figures of tables, as SVG or PNG, drawn by matplotlib (the extra ``figures``), which is imported on use.

A table names its figures (`assay.core.table`). A figure is drawn from its table alone, so both show the same numbers. A new
kind of figure is a line in `DRAWINGS`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from assay.core.errors import unknown
from assay.core.table import Figure, FigureKind, Table
from assay.report.figures.canvas import save, settings, with_font_note
from assay.report.figures.intervals import dots, levels, ranking, reliability
from assay.report.figures.maps import heatmap, rates
from assay.report.figures.panels import boxes, cases, shares

FORMATS = ("svg", "png")


DRAWINGS: Mapping[FigureKind, Callable[..., Any]] = {
    "heatmap": heatmap,
    "dots": dots,
    "levels": levels,
    "boxes": boxes,
    "cases": cases,
    "rates": rates,
    "shares": shares,
    "reliability": reliability,
    "ranking": ranking,
}
"""Kind of figure to its drawing function; the figure's parameters are the function's keyword arguments."""

Tables = Mapping[str, Table] | Iterable[Table]


def figures(tables: Tables) -> dict[str, Any]:
    """Return matplotlib Figures by name, as the tables name them; tables without rows have none."""
    drawn = {}
    for table, figure in _figures_of(tables):
        with settings():
            drawn[figure.name] = draw(figure, table)
    return drawn


def render(tables: Tables, format: str = "svg") -> dict[str, bytes]:
    """Return the figures as files, name to content. The same tables give the same bytes."""
    if format not in FORMATS:
        raise unknown("figure format", format, FORMATS)
    files = {}
    for table, figure in _figures_of(tables):
        with settings(format):
            whole = draw(figure, table if format == "svg" else with_font_note(table))
            files[f"{figure.name}.{format}"] = save(whole, format, figure.name)
    return files


def inline(tables: Tables) -> dict[str, list[str]]:
    """Return SVG elements for an HTML page, by the table they show."""
    import re

    elements: dict[str, list[str]] = {}
    for table, figure in _figures_of(tables):
        with settings():
            whole = save(draw(figure, table), "svg", f"{figure.family} {figure.name}").decode()
        # Group ids are never referenced, and would be repeated in every figure.
        element = re.sub(r'<g id="[^"]*"', "<g", whole[whole.index("<svg") :])
        elements.setdefault(table.name, []).append(re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL))
    return elements


def draw(figure: Figure, table: Table) -> Any:
    """Return one matplotlib Figure."""
    if figure.kind not in DRAWINGS:
        raise unknown("kind of figure", figure.kind, DRAWINGS)
    return DRAWINGS[figure.kind](table, **figure.parameters)


def available() -> bool:
    """Return whether matplotlib is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def _figures_of(tables: Tables) -> list[tuple[Table, Figure]]:
    every = tables.values() if isinstance(tables, Mapping) else tables
    return [(table, figure) for table in every if table.rows for figure in table.figures]
