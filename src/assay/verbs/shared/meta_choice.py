"""Task selection for ``assay meta`` beyond the official tasks: task files, other gold scores, stored metrics."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypedDict

from assay.analyses.meta.custom_tasks import check_patterns, match_names, recipe_of, tasks_of
from assay.analyses.meta.recipes import langpairs_of, recipe_for, task_set
from assay.core.errors import listing, unknown
from assay.core.judged_systems import JudgedSystems
from assay.io.documents import read_document

if TYPE_CHECKING:
    from assay.analyses.meta.custom_tasks import TaskChoice
    from assay.analyses.meta.recipes import TaskSet
    from assay.io.wmt.tree import EvalSet
    from assay.suites.wmt import PairFacts, WmtFacts

RECIPES = ("official", "xcomet")


class MetaChoice(TypedDict, total=False):
    """Options that select tasks other than the official ones, and the stored metrics to use.

    Args:
        statistics: Statistics for custom tasks, one task per language pair: ``pearson``, ``kendall``, ``soft_pairwise_accuracy`` …
        levels: ``sys`` or ``seg``: include tasks at these levels.
        groups: ``none``, ``item`` or ``system``: include tasks whose statistic is averaged over these groups.
        gold: Human scores other than the standard ones (``da-sqm``).
        domains: Run each task once per domain (patterns).
        systems: Use only these systems (patterns; ``!ONLINE-*`` excludes).
        humans: Whether human translations count as systems; by default as in the official tasks.
        stored: Use only these stored metrics (patterns), primary or not.
        contrastive: Use all stored metrics, not only the primary ones.
    """

    statistics: Sequence[str]
    levels: Sequence[str]
    groups: Sequence[str]
    gold: str | None
    domains: Sequence[str]
    systems: Sequence[str]
    humans: bool | None
    stored: Sequence[str]
    contrastive: bool


Document = tuple[Any, str]
"""Content of a file of tasks, and its name."""


def read_recipe(recipe: str | os.PathLike[str]) -> Document | None:
    """Read the task file; None for the official tasks."""
    name = os.fspath(recipe)
    if name == "official":
        return None
    if not Path(name).is_file():
        raise unknown("recipe", name, RECIPES, "or specify a task file")
    return read_document(name, yaml=not name.endswith((".json", ".json.gz"))), name


def pairs_of(own: Document | None, official: Sequence[str]) -> list[str]:
    """Return the language pairs of the tasks in a file, or of the official tasks."""
    return list(official) if own is None else langpairs_of(recipe_of(*own, official))


def tasks(
    choice: TaskChoice, own: Document | None, official: WmtFacts | None, judged: Mapping[str, JudgedSystems]
) -> TaskSet:
    """Return the tasks before further selection: for the requested statistics, from the file, for the year, or as in WMT23."""
    pairs = list(judged)
    recipe = official.recipe if official is not None else recipe_for(pairs)
    if choice.statistics:
        return tasks_of(choice, pairs, _humans(recipe))
    if own is not None:
        recipe = recipe_of(*own, pairs)
    elif not set(pairs) & set(langpairs_of(recipe)):
        recipe = recipe_for(pairs)
    return task_set(recipe, judged).for_langpairs(pairs)


def _humans(recipe: Mapping[str, Any]) -> dict[str, bool]:
    """Return whether the official tasks of each language pair include human translations."""
    return {
        row["langpairs"][0]: row.get("human", True) for row in recipe.get("tasks", ()) if len(row["langpairs"]) == 1
    }


def judged_by(gold: str, sets: Mapping[str, EvalSet]) -> dict[str, EvalSet]:
    """Return the language pairs that have these human scores."""
    matching_sets = {pair: evalset for pair, evalset in sets.items() if gold in list(evalset.human)}
    if not matching_sets:
        raise unknown("human score", gold, sorted({name for evalset in sets.values() for name in evalset.human}))
    return matching_sets


def left_out(gold: str | None, pairs: set[str]) -> list[str]:
    """Return a note on language pairs without the gold scores."""
    return [f"no scores {gold} for {listing(sorted(pairs))}: left out"] if pairs else []


def stored_metrics(
    sets: Mapping[str, EvalSet],
    about: Mapping[str, PairFacts],
    official: WmtFacts | None,
    patterns: Sequence[str],
    contrastive: bool,
) -> Sequence[str] | None:
    """Return the names of the stored metrics to use; None for all."""
    if not patterns:
        return None if official is None or contrastive else official.primary
    names = {name.name for pair, one in sets.items() for name in one.metric_names(about[pair].standard_reference)}
    check_patterns(patterns, sorted(names), "stored metric")
    return match_names(patterns, sorted(names))
