"""Analyses by name: one file a paper's family of tables, one line here. Items (or Judged) and Scores in, Tables out."""

from __future__ import annotations

import inspect
from collections.abc import Sequence
from typing import TYPE_CHECKING

from assay.core.errors import InputError
from assay.core.registry import Registry
from assay.core.table import Table

if TYPE_CHECKING:
    from assay.core.analysis import Analysis
    from assay.core.item import Item
    from assay.core.judged import Judged
    from assay.core.suite import Measured

ANALYSES = Registry(
    "analysis",
    {
        "demetr": "assay.analyses.demetr:tables",
        "aces": "assay.analyses.aces.tables:tables",
        "dfki": "assay.analyses.dfki_summary:tables",
        "hallucinations": "assay.analyses.hallucinations:tables",
        "judged": "assay.analyses.judged:tables",
        "contrastive": "assay.analyses.contrastive:tables",
        "breakdown": "assay.analyses.breakdown.tables:tables",
        "localized": "assay.analyses.spans.localized:tables",
    },
    mark="@assay.requires()",
)


def find_analysis(analysis: str | Analysis) -> tuple[str, Analysis]:
    """An analysis that is named, given as ``module:function`` or given itself, with the name that messages call it by.

    What is no function, and a ``module:function`` that is not marked as an analysis, is refused before it is called.
    """
    from assay.core.analysis import is_analysis

    name = analysis if isinstance(analysis, str) else getattr(analysis, "__qualname__", repr(analysis))
    function = ANALYSES.resolve(analysis) if isinstance(analysis, str) else analysis
    if not callable(function):
        raise InputError(f"the analysis {name} is {type(function).__name__}, not a function.")
    if isinstance(analysis, str) and not ANALYSES.registered(analysis) and not is_analysis(function):
        raise InputError(f"{name} is not marked as an analysis: write {ANALYSES.mark} above the function.")
    return name, function


def check_analysis(analysis: str | Analysis, content: Sequence[Item] | Judged) -> tuple[str, Analysis]:
    """The same, once it is sure that it can be made of this set: seen before anything is scored for it."""
    from assay.core.analysis import requirement_of

    name, function = find_analysis(analysis)
    requirement_of(function).check(name, content)
    try:
        inspect.signature(function).bind(content, [], seed=0, samples=0, correction="none")
    except TypeError as error:
        takes = "(content, measured, *, seed, samples, correction)"
        raise InputError(f"the analysis {name} must take {takes}: {error}.") from error
    return name, function


def analyse(
    analysis: str | Analysis,
    content: Sequence[Item] | Judged,
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """The tables that an analysis makes of a set; it is named, given as ``module:function`` or given itself.

    A set that lacks what the analysis needs is refused in one sentence (`assay.core.analysis.requires`).
    """
    name, function = check_analysis(analysis, content)
    tables = function(content, measured, seed=seed, samples=samples, correction=correction)
    if not isinstance(tables, Sequence) or not all(isinstance(table, Table) for table in tables):
        raise InputError(f"the analysis {name} gave {type(tables).__name__}, not a list of Table (assay.core.table).")
    return list(tables)
