"""Figures of an analysis' tables, as SVG or PNG. They need matplotlib (the extra ``figures``), imported when one is drawn.

A figure is drawn from one Table and from nothing else, so it shows what the table says. `FIGURES` names, for each analysis,
the figures and their tables; a new one is a line there.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any

from assay.core.errors import unknown
from assay.core.table import Table
from assay.report.figures.bars import cases
from assay.report.figures.boxes import boxes
from assay.report.figures.canvas import save, settings, with_font_note
from assay.report.figures.dots import dots, levels
from assay.report.figures.heatmap import heatmap
from assay.report.figures.rates import rates

FORMATS = ("svg", "png")


@dataclass(frozen=True, slots=True)
class Recipe:
    """A figure's name (its file's stem), the table it is drawn from, and how."""

    name: str
    table: str
    draw: Callable[[Table], Any]


_BARS = "bars: 95% intervals · dashed: a coin"
_HARDEST = "hardest first in each group · orange: worse than a coin, blue: better"
_LEAST = "share of the drop to an empty translation · least felt first in each group · orange: the perturbed text scores better"

_accuracy_dots = partial(dots, value="accuracy", span=(0, 1), chance=0.5, subtitle=f"strict accuracy · {_BARS}")
_accuracy_map = partial(heatmap, value="accuracy", chance=0.5, subtitle=f"strict accuracy, % · {_HARDEST}")
_tau_dots = partial(dots, value="tau", span=(-1, 1), chance=0, subtitle=f"Kendall's tau-like · {_BARS}")
_tau_map = partial(heatmap, value="tau", subtitle=f"Kendall's tau-like · {_HARDEST}")
_area_dots = partial(dots, value="auroc", span=(0, 1), chance=0.5, subtitle=f"area under the ROC curve · {_BARS}")
_by_severity: dict[str, Any] = {"index": "name", "group": "severity", "order": ("critical", "major", "minor", "base")}
_by_category: dict[str, Any] = {"index": "phenomenon", "group": "category"}


def _sensitivity(table: Table) -> Any:
    title = "DEMETR · sensitivity z per perturbation (Figure 2)"
    return heatmap(table, value="z", root=True, starred=False, title=title, subtitle=_LEAST, **_by_severity)


def _phenomena(table: Table) -> Any:
    """Dots while they can be told apart, a heat map for more."""
    if len(table.rows) <= 120 and len({row["phenomenon"] for row in table.rows}) <= 30:
        return _accuracy_dots(table, index="phenomenon")
    return _accuracy_map(table, **_by_category)


FIGURES: dict[str, tuple[Recipe, ...]] = {
    "demetr": (
        Recipe("heatmap", "perturbations", partial(_accuracy_map, **_by_severity)),
        Recipe("sensitivity", "perturbations", _sensitivity),
    ),
    "aces": (
        Recipe("categories", "categories", partial(_tau_dots, index="category")),
        Recipe(
            "levels", "levels", partial(levels, subtitle="the wrong text is nearest at level 3 · bars: 95% intervals")
        ),
        Recipe("phenomena", "phenomena", partial(_tau_map, **_by_category)),
    ),
    "dfki": (
        Recipe("categories", "categories", partial(_accuracy_dots, index="category")),
        Recipe("phenomena", "phenomena", partial(_accuracy_map, **_by_category)),
    ),
    "hallucinations": (
        Recipe("detection", "detection", partial(_area_dots, index="set")),
        Recipe("distribution", "distribution", boxes),
    ),
    "breakdown": (Recipe("cases", "cases", cases), Recipe("matrix", "matrix", rates)),
    "contrastive": (Recipe("phenomena", "phenomena", _phenomena),),
}
"""The figures of each analysis."""


def figures(tables: Mapping[str, Table], analysis: str) -> dict[str, Any]:
    """matplotlib Figures by name, for the tables that are there; an analysis without recipes has none."""
    drawn = {}
    for recipe in _there(tables, analysis):
        with settings():
            drawn[recipe.name] = recipe.draw(tables[recipe.table])
    return drawn


def render(tables: Mapping[str, Table], analysis: str, format: str = "svg") -> dict[str, bytes]:
    """The figures as files: name to content. The same tables give the same bytes."""
    if format not in FORMATS:
        raise unknown("figure format", format, FORMATS)
    files = {}
    for recipe in _there(tables, analysis):
        table = tables[recipe.table] if format == "svg" else with_font_note(tables[recipe.table])
        with settings(format):
            files[f"{recipe.name}.{format}"] = save(recipe.draw(table), format, recipe.name)
    return files


def inline(tables: Mapping[str, Table], analysis: str) -> dict[str, list[str]]:
    """SVG elements to stand inside a page, by the table they show."""
    import re

    found: dict[str, list[str]] = {}
    for recipe in _there(tables, analysis):
        with settings():
            whole = save(recipe.draw(tables[recipe.table]), "svg", f"{analysis} {recipe.name}").decode()
        # Ids of groups are never referred to, and would repeat from figure to figure.
        element = re.sub(r'<g id="[^"]*"', "<g", whole[whole.index("<svg") :])
        found.setdefault(recipe.table, []).append(re.sub(r"<metadata>.*?</metadata>", "", element, flags=re.DOTALL))
    return found


def available() -> bool:
    """Whether matplotlib is installed."""
    from importlib.util import find_spec

    return find_spec("matplotlib") is not None


def _there(tables: Mapping[str, Table], analysis: str) -> list[Recipe]:
    return [recipe for recipe in FIGURES.get(analysis, ()) if recipe.table in tables and tables[recipe.table].rows]
