"""Official sets of meta-evaluation tasks: levels, statistics and weights.

The sets are data (``assay/data/wmt/*.json``). A recipe lists tasks, or a grid that is expanded over language pairs,
domains, levels, human translations included or excluded, groupings and statistics, like WMT22's 201 tasks (Freitag et al.
2022, Section 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from assay.core.errors import InputError, listing, unknown
from assay.core.judged_systems import JudgedSystems
from assay.stats.groups import Grouping

Statistic = Literal[
    "pairwise_accuracy", "pearson", "spearman", "kendall", "acc_t", "pair_accuracy", "soft_pairwise_accuracy"
]
TaskLevel = Literal["sys", "seg"]
CORRELATIONS = ("pearson", "spearman", "kendall")
"""Statistics from -1 to 1; they are mapped to 0..1 before averaging over tasks."""
SYSTEM_STATISTICS = ("pairwise_accuracy", "soft_pairwise_accuracy")
"""Statistics computed on pairs of systems."""


@dataclass(frozen=True)
class MetaTask:
    """One comparison of metrics with human judgements.

    `gold` names the human scores; None selects the standard ones of each language pair. With `human`, human translations are
    included as systems, except the standard reference. `weight` is relative to the other tasks in a set.
    """

    number: int
    langpairs: tuple[str, ...]
    level: TaskLevel
    statistic: Statistic
    grouping: Grouping = "none"
    human: bool = True
    outliers: bool = False
    domain: str | None = None
    gold: str | None = None
    systems: tuple[str, ...] = ()
    """Patterns for the systems to include (``ONLINE-*``); a leading ``!`` excludes matches. If empty, all systems are included."""
    weight: float = 1.0

    def __post_init__(self) -> None:
        for kind, value, allowed in (
            ("statistic", self.statistic, get_args(Statistic)),
            ("level", self.level, get_args(TaskLevel)),
            ("grouping", self.grouping, get_args(Grouping)),
        ):
            if value not in allowed:
                raise unknown(kind, str(value), allowed, f"in task {self.number}")
        pooled = self.statistic == "pairwise_accuracy"
        if not self.langpairs or (len(self.langpairs) > 1 and not pooled):
            raise InputError(
                f"task {self.number}: {self.statistic} needs exactly one language pair, not {len(self.langpairs)}."
            )
        if self.level == "seg" and self.statistic in SYSTEM_STATISTICS:
            raise InputError(f"task {self.number}: {self.statistic} compares systems. Set its level to sys.")
        if self.statistic == "pair_accuracy" and (self.level, self.grouping) != ("seg", "item"):
            raise InputError(
                f"task {self.number}: pair_accuracy compares translations of the same source. Set its level to seg and its "
                "grouping to item."
            )
        if self.level == "sys" and self.grouping != "none":
            raise InputError(f"task {self.number}: system scores cannot be grouped by {self.grouping}.")

    @property
    def langpair(self) -> str:
        """``en-de``, or several pooled pairs: ``en-de+he-en+zh-en``."""
        return "+".join(self.langpairs)

    @property
    def label(self) -> str:
        """The statistic with its grouping: ``pearson``, ``acc_t_item``."""
        return self.statistic if self.grouping == "none" else f"{self.statistic}_{self.grouping}"

    @property
    def correlation(self) -> bool:
        """True for statistics from -1 to 1."""
        return self.statistic in CORRELATIONS

    @property
    def settings(self) -> dict[str, Any]:
        """Cells of a table row for this task, in addition to number, pair, level and statistic."""
        return {"domain": self.domain or "", "gold": self.gold or "", "human": self.human, "weight": self.weight}


@dataclass(frozen=True)
class TaskSet:
    """Tasks whose weights sum to 1, and how they are ranked: by mean value, or by mean rank (WMT22)."""

    tasks: tuple[MetaTask, ...]
    overall: Literal["value", "rank"] = "value"

    def only(self, numbers: Iterable[int]) -> TaskSet:
        """Return some of the tasks; their numbers stay the same, and their weights are normalised to 1."""
        by_number = {task.number: task for task in self.tasks}
        selected = list(dict.fromkeys(numbers))
        missing = [str(number) for number in selected if number not in by_number]
        if missing:
            raise InputError(
                f"unknown task {listing(missing)}. Tasks are numbered {min(by_number)} to {max(by_number)}."
            )
        return normalise_weights([by_number[number] for number in selected], self.overall)

    def for_langpairs(self, langpairs: Sequence[str]) -> TaskSet:
        """Return the tasks that include these language pairs; pooled tasks are restricted to them, with proportionally lower
        weights.
        """
        tasks = []
        for task in self.tasks:
            pairs = tuple(pair for pair in task.langpairs if pair in langpairs)
            if pairs:
                tasks.append(replace(task, langpairs=pairs, weight=task.weight * len(pairs) / len(task.langpairs)))
        if not tasks:
            available = sorted({pair for task in self.tasks for pair in task.langpairs})
            raise InputError(f"no task has the language pair {listing(langpairs)}. Available: {listing(available)}.")
        return normalise_weights(tasks, self.overall)

    @property
    def langpairs(self) -> list[str]:
        """All language pairs that a task needs."""
        return sorted({pair for task in self.tasks for pair in task.langpairs})


def task_set(recipe: Mapping[str, Any], sets: Mapping[str, JudgedSystems] | None = None) -> TaskSet:
    """Return the tasks in a recipe. A grid over domains and human translations needs `sets` to know which of them exist."""
    rows = [dict(row) for row in recipe.get("tasks", ())]
    for grid in recipe.get("grid", ()):
        rows += _spread(grid, sets or {})
    tasks = [
        MetaTask(**{**row, "number": number, "langpairs": tuple(row["langpairs"])})
        for number, row in enumerate(rows, 1)
    ]
    if not tasks:
        raise InputError("the recipe contains no task.")
    if split := recipe.get("split"):
        weights = _split_weights(tasks, list(split), 1.0)
        tasks = [replace(task, weight=weights[task.number]) for task in tasks]
    return normalise_weights(tasks, recipe.get("overall", "value"))


def langpairs_of(recipe: Mapping[str, Any]) -> list[str]:
    """Return the language pairs in a recipe."""
    return sorted({pair for row in (*recipe.get("tasks", ()), *recipe.get("grid", ())) for pair in row["langpairs"]})


def _spread(grid: Mapping[str, Any], sets: Mapping[str, JudgedSystems]) -> list[dict[str, Any]]:
    """Expand a grid: pair, domain, level, grouping, human translations included (if there are any) and excluded."""
    rows = []
    for pair in grid["langpairs"]:
        judged = sets.get(pair)
        if judged is None:
            continue
        for domain in [None, *(judged.domain_names if grid.get("domains") else ())]:
            for level in grid["levels"]:
                for grouping in level["groupings"]:
                    for human in (True, False) if len(judged.references) > 1 else (False,):
                        rows += [
                            {
                                "langpairs": [pair],
                                "level": level["level"],
                                "statistic": statistic,
                                "grouping": grouping,
                                "human": human,
                                "domain": domain,
                            }
                            for statistic in grid["statistics"]
                        ]
    return rows


def _split_weights(tasks: Sequence[MetaTask], attributes: Sequence[str], mass: float) -> dict[int, float]:
    """Split the weight evenly over the values of the first attribute, and each part in the same way over the next ones."""
    if not attributes:
        return {task.number: mass / len(tasks) for task in tasks}
    parts: dict[Any, list[MetaTask]] = {}
    for task in tasks:
        parts.setdefault(getattr(task, attributes[0]), []).append(task)
    return {
        number: weight
        for part in parts.values()
        for number, weight in _split_weights(part, attributes[1:], mass / len(parts)).items()
    }


def normalise_weights(tasks: Sequence[MetaTask], overall: Literal["value", "rank"]) -> TaskSet:
    """Return the tasks as a set with weights normalised to 1."""
    total = sum(task.weight for task in tasks)
    if not total:
        raise InputError("all tasks have weight 0. Set a positive weight for at least one.")
    return TaskSet(tuple(replace(task, weight=task.weight / total) for task in tasks), overall)


def recipe_for(langpairs: Sequence[str]) -> dict[str, Any]:
    """Return a recipe like WMT23's for other language pairs: pooled accuracy, plus three statistics per pair."""
    tasks: list[dict[str, Any]] = [
        {"langpairs": list(langpairs), "level": "sys", "statistic": "pairwise_accuracy", "weight": len(langpairs)}
    ]
    for pair in langpairs:
        tasks.append({"langpairs": [pair], "level": "sys", "statistic": "pearson"})
        tasks.append({"langpairs": [pair], "level": "seg", "statistic": "pearson"})
        tasks.append({"langpairs": [pair], "level": "seg", "statistic": "acc_t", "grouping": "item"})
    return {"overall": "value", "tasks": tasks}
