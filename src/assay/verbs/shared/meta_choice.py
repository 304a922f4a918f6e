"""What ``assay meta`` compares when it is not the official tasks: a file of tasks, other gold scores, some stored metrics."""

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
    """Other tasks than the official ones, and stored metrics.

    Args:
        statistics: Statistics of tasks of your own, for each language pair: ``pearson``, ``kendall``, ``soft_pairwise_accuracy`` …
        levels: ``sys`` or ``seg``: tasks of these levels.
        groups: ``none``, ``item`` or ``system``: tasks whose statistic is averaged over these groups.
        gold: Human scores other than the standard ones (``da-sqm``).
        domains: Run each task once per domain (patterns).
        systems: Use these systems only (patterns; ``!ONLINE-*`` excludes).
        humans: Whether human translations count as systems; by default as in the official tasks.
        stored: Use these stored metrics only (patterns), primary or not.
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
"""What a file of tasks holds, and its name."""


def read_recipe(recipe: str | os.PathLike[str]) -> Document | None:
    """The file of tasks, None for the official ones."""
    name = os.fspath(recipe)
    if name == "official":
        return None
    if not Path(name).is_file():
        raise unknown("recipe", name, RECIPES, "or give a file of tasks")
    return read_document(name, yaml=not name.endswith((".json", ".json.gz"))), name


def pairs_of(own: Document | None, official: Sequence[str]) -> list[str]:
    """The language pairs that the tasks are about: those of a file, the official ones without."""
    return list(official) if own is None else langpairs_of(recipe_of(*own, official))


def tasks(
    choice: TaskChoice, own: Document | None, official: WmtFacts | None, judged: Mapping[str, JudgedSystems]
) -> TaskSet:
    """The tasks before they are changed: of the statistics asked for, of the file, of the year, or of WMT23's shape."""
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
    """Whether the official tasks about a language pair alone let human translations take part."""
    return {
        row["langpairs"][0]: row.get("human", True) for row in recipe.get("tasks", ()) if len(row["langpairs"]) == 1
    }


def judged_by(gold: str, sets: Mapping[str, EvalSet]) -> dict[str, EvalSet]:
    """The language pairs that have these human scores."""
    found = {pair: evalset for pair, evalset in sets.items() if gold in list(evalset.human)}
    if not found:
        raise unknown("human score", gold, sorted({name for evalset in sets.values() for name in evalset.human}))
    return found


def left_out(gold: str | None, pairs: set[str]) -> list[str]:
    """A note on the language pairs that lack the gold scores."""
    return [f"no scores {gold} for {listing(sorted(pairs))}, left out"] if pairs else []


def stored_metrics(
    sets: Mapping[str, EvalSet],
    about: Mapping[str, PairFacts],
    official: WmtFacts | None,
    patterns: Sequence[str],
    contrastive: bool,
) -> Sequence[str] | None:
    """Names of the stored metrics that take part; None for all."""
    if not patterns:
        return None if official is None or contrastive else official.primary
    found = {name.name for pair, one in sets.items() for name in one.metric_names(about[pair].standard_reference)}
    check_patterns(patterns, sorted(found), "stored metric")
    return match_names(patterns, sorted(found))
