"""The figures that several analyses' tables carry, in one wording."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.analyses.rows import AVERAGE
from assay.core.table import Figure

_BARS = "bars: 95% intervals · dashed: chance"
_HARDEST = "hardest first in each group · orange: below chance, blue: above"
BY_CATEGORY: Mapping[str, Any] = {"index": "phenomenon", "group": "category"}


def accuracy_dots(family: str, name: str, index: str) -> Figure:
    """One line a value of `index`, one dot a metric; the mean over the metrics is not drawn."""
    how = {"value": "accuracy", "span": (0, 1), "chance": 0.5, "subtitle": f"strict accuracy · {_BARS}"}
    return Figure(name, "dots", {**how, "index": index, "left_out": (AVERAGE,)}, family)


def accuracy_map(family: str, name: str, lines: Mapping[str, Any] = BY_CATEGORY) -> Figure:
    """Accuracies in percent, one line a phenomenon, grouped as `lines` says."""
    how = {"value": "accuracy", "chance": 0.5, "ties": True, "subtitle": f"strict accuracy, % · {_HARDEST}"}
    return Figure(name, "heatmap", {**how, **lines}, family)


def accuracies(family: str, name: str, rows: Sequence[Mapping[str, Any]]) -> Figure:
    """Accuracies by phenomenon: dots while they can be told apart, a heat map for more."""
    few = len(rows) <= 120 and len({row["phenomenon"] for row in rows}) <= 30
    return accuracy_dots(family, name, "phenomenon") if few else accuracy_map(family, name)


def tau_dots(family: str, name: str, index: str, series: str = "metric") -> Figure:
    """The same as `accuracy_dots` for Kendall's tau-like; `series` says what has a colour."""
    how = {"value": "tau", "span": (-1, 1), "chance": 0, "subtitle": f"Kendall's tau-like · {_BARS}"}
    return Figure(name, "dots", {**how, "index": index, "series": series, "left_out": (AVERAGE,)}, family)


def tau_map(family: str, name: str) -> Figure:
    """The same as `accuracy_map` for Kendall's tau-like."""
    how = {"value": "tau", "ties": True, "subtitle": f"Kendall's tau-like · {_HARDEST}", **BY_CATEGORY}
    return Figure(name, "heatmap", how, family)


def area_dots(family: str, name: str, index: str) -> Figure:
    """The same as `accuracy_dots` for areas under the ROC curve."""
    how = {"value": "auroc", "span": (0, 1), "chance": 0.5, "subtitle": f"area under the ROC curve · {_BARS}"}
    return Figure(name, "dots", {**how, "index": index}, family)
