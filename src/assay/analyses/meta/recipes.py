"""Official sets of meta-evaluation tasks: what is compared with which statistic, and what each task weighs.

The sets themselves are data (``assay/data/wmt/*.json``). A recipe lists tasks, or a grid that is spread over language pairs,
domains, levels, human translations in or out, groupings and statistics, as WMT22's 201 tasks are (Freitag et al. 2022,
section 7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from assay.core.errors import InputError, listing, unknown
from assay.core.judged_systems import JudgedSystems
from assay.stats.groups import Grouping

Statistic = Literal["pairwise_accuracy", "pearson", "spearman", "kendall", "acc_t", "soft_pairwise_accuracy"]
TaskLevel = Literal["sys", "seg"]
CORRELATIONS = ("pearson", "spearman", "kendall")
"""Statistics from -1 to 1; they are mapped to 0..1 before an average over tasks is taken."""
SYSTEM_STATISTICS = ("pairwise_accuracy", "soft_pairwise_accuracy")
"""Statistics about pairs of systems."""


@dataclass(frozen=True)
class MetaTask:
    """One comparison of metrics with people.

    `gold` names the human scores, None takes the standard ones of each language pair. `human` lets human translations take
    part as systems; the standard reference never does. `weight` is relative to the other tasks of a set.
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
    """Patterns of the systems that take part (``ONLINE-*``), those with ``!`` in front stay out; empty: all of them."""
    weight: float = 1.0

    def __post_init__(self) -> None:
        for kind, value, known in (
            ("statistic", self.statistic, get_args(Statistic)),
            ("level", self.level, get_args(TaskLevel)),
            ("grouping", self.grouping, get_args(Grouping)),
        ):
            if value not in known:
                raise unknown(kind, str(value), known, f"in task {self.number}")
        pooled = self.statistic == "pairwise_accuracy"
        if not self.langpairs or (len(self.langpairs) > 1 and not pooled):
            raise InputError(
                f"task {self.number}: {self.statistic} takes one language pair, not {len(self.langpairs)}."
            )
        if self.level == "seg" and self.statistic in SYSTEM_STATISTICS:
            raise InputError(f"task {self.number}: {self.statistic} compares systems: its level is sys.")
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
        """True for values from -1 to 1."""
        return self.statistic in CORRELATIONS

    @property
    def settings(self) -> dict[str, Any]:
        """What the rows of a table say about this task, beside its number, pair, level and statistic."""
        return {"domain": self.domain or "", "gold": self.gold or "", "human": self.human, "weight": self.weight}


@dataclass(frozen=True)
class TaskSet:
    """Tasks whose weights sum to 1, and how they make one ranking: by mean value, or (WMT22) by mean rank."""

    tasks: tuple[MetaTask, ...]
    overall: Literal["value", "rank"] = "value"

    def only(self, numbers: Iterable[int]) -> TaskSet:
        """Some of the tasks; they keep their numbers, and their weights are brought back to 1."""
        known = {task.number: task for task in self.tasks}
        wanted = list(dict.fromkeys(numbers))
        missing = [str(number) for number in wanted if number not in known]
        if missing:
            raise InputError(f"there is no task {listing(missing)}: tasks are numbered {min(known)} to {max(known)}.")
        return weighted([known[number] for number in wanted], self.overall)

    def for_langpairs(self, langpairs: Sequence[str]) -> TaskSet:
        """What is left with these language pairs; pooled tasks lose the others and weigh less in proportion."""
        kept = []
        for task in self.tasks:
            pairs = tuple(pair for pair in task.langpairs if pair in langpairs)
            if pairs:
                kept.append(replace(task, langpairs=pairs, weight=task.weight * len(pairs) / len(task.langpairs)))
        if not kept:
            known = sorted({pair for task in self.tasks for pair in task.langpairs})
            raise InputError(f"no task has {listing(langpairs)}: the tasks are about {listing(known)}.")
        return weighted(kept, self.overall)

    @property
    def langpairs(self) -> list[str]:
        """Every language pair that a task needs."""
        return sorted({pair for task in self.tasks for pair in task.langpairs})


def task_set(recipe: Mapping[str, Any], sets: Mapping[str, JudgedSystems] | None = None) -> TaskSet:
    """The tasks of a recipe. A grid over domains and human translations needs `sets` to see which there are."""
    rows = [dict(row) for row in recipe.get("tasks", ())]
    for grid in recipe.get("grid", ()):
        rows += _spread(grid, sets or {})
    tasks = [
        MetaTask(**{**row, "number": number, "langpairs": tuple(row["langpairs"])})
        for number, row in enumerate(rows, 1)
    ]
    if not tasks:
        raise InputError("the recipe has no task.")
    if split := recipe.get("split"):
        weights = _split_weights(tasks, list(split), 1.0)
        tasks = [replace(task, weight=weights[task.number]) for task in tasks]
    return weighted(tasks, recipe.get("overall", "value"))


def langpairs_of(recipe: Mapping[str, Any]) -> list[str]:
    """Language pairs a recipe speaks of."""
    return sorted({pair for row in (*recipe.get("tasks", ()), *recipe.get("grid", ())) for pair in row["langpairs"]})


def _spread(grid: Mapping[str, Any], sets: Mapping[str, JudgedSystems]) -> list[dict[str, Any]]:
    """Every combination of a grid: pair, domain, level, grouping, human translations in (where there are any) and out."""
    rows = []
    for pair in grid["langpairs"]:
        here = sets.get(pair)
        if here is None:
            continue
        for domain in [None, *(here.domain_names if grid.get("domains") else ())]:
            for level in grid["levels"]:
                for grouping in level["groupings"]:
                    for human in (True, False) if len(here.references) > 1 else (False,):
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
    """The mass in equal parts over the values of the first attribute, each part likewise over the next ones."""
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


def weighted(tasks: Sequence[MetaTask], overall: Literal["value", "rank"]) -> TaskSet:
    """The tasks as a set, their weights brought to 1."""
    total = sum(task.weight for task in tasks)
    if not total:
        raise InputError("all tasks weigh 0: give one of them a weight.")
    return TaskSet(tuple(replace(task, weight=task.weight / total) for task in tasks), overall)


def recipe_for(langpairs: Sequence[str]) -> dict[str, Any]:
    """The shape of WMT23's set for other language pairs: pooled accuracy, and three statistics for each pair."""
    tasks: list[dict[str, Any]] = [
        {"langpairs": list(langpairs), "level": "sys", "statistic": "pairwise_accuracy", "weight": len(langpairs)}
    ]
    for pair in langpairs:
        tasks.append({"langpairs": [pair], "level": "sys", "statistic": "pearson"})
        tasks.append({"langpairs": [pair], "level": "seg", "statistic": "pearson"})
        tasks.append({"langpairs": [pair], "level": "seg", "statistic": "acc_t", "grouping": "item"})
    return {"overall": "value", "tasks": tasks}
