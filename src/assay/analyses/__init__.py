"""Registry of analyses by name. An analysis turns scored items or judged segments into tables."""

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
    """Return an analysis specified by name, as ``module:function`` or as a function, and its name for messages.

    Anything that is not a function is rejected, and so is a ``module:function`` without the analysis decorator.
    """
    from assay.core.analysis import is_analysis

    name = analysis if isinstance(analysis, str) else getattr(analysis, "__qualname__", repr(analysis))
    function = ANALYSES.resolve(analysis) if isinstance(analysis, str) else analysis
    if not callable(function):
        raise InputError(f"the analysis {name} must be a function, not {type(function).__name__}.")
    if isinstance(analysis, str) and not ANALYSES.registered(analysis) and not is_analysis(function):
        raise InputError(f"{name} is not marked as an analysis. Add {ANALYSES.mark} to the function.")
    return name, function


def check_analysis(analysis: str | Analysis, content: Sequence[Item] | Judged) -> tuple[str, Analysis]:
    """Find an analysis and check, before anything is scored, that it can be applied to this set."""
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
    """Return the tables of an analysis specified by name, as ``module:function`` or as a function.

    A set that lacks what the analysis needs is rejected (`assay.core.analysis.requires`).
    """
    name, function = check_analysis(analysis, content)
    tables = function(content, measured, seed=seed, samples=samples, correction=correction)
    if not isinstance(tables, Sequence) or not all(isinstance(table, Table) for table in tables):
        raise InputError(
            f"the analysis {name} must return a list of Table (assay.core.table), not {type(tables).__name__}."
        )
    return list(tables)
