"""Tasks of one's own: other gold scores, statistics, levels, groupings, domains and systems than the official ones.

`TaskChoice` changes a set of tasks, `tasks_of` makes one from statistics, `recipe_of` reads one out of a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from assay.analyses.meta.recipes import SYSTEM_STATISTICS, MetaTask, Statistic, TaskLevel, TaskSet, weighted
from assay.core.errors import InputError, listing, unknown
from assay.core.judged_systems import JudgedSystems
from assay.core.schema import Bounds, Place, typed
from assay.stats.groups import Grouping


@dataclass(frozen=True)
class TaskChoice:
    """What is asked for instead of the official settings; what is left out stays as the tasks have it.

    `domains` and `systems` are patterns (``*``, ``ONLINE-*``); those with ``!`` in front stay out.
    """

    statistics: Sequence[str] = ()
    levels: Sequence[str] = ()
    groups: Sequence[str] = ()
    domains: Sequence[str] = ()
    systems: Sequence[str] = ()
    gold: str | None = None
    humans: bool | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings that every task takes over."""
        given = {"gold": self.gold, "human": self.humans, "systems": tuple(self.systems) or None}
        return {name: value for name, value in given.items() if value is not None}

    def apply(self, tasks: TaskSet, sets: Mapping[str, JudgedSystems]) -> TaskSet:
        """The tasks of the wanted levels and groupings, with the wanted settings, once for each wanted domain."""
        if self.systems:
            known = {system for judged in sets.values() for system in judged.systems}
            check_patterns(self.systems, sorted(known), "system")
        kept = [task for task in tasks.tasks if self._keeps(task)]
        if not kept:
            asked = listing([*self.levels, *self.groups])
            there = listing(dict.fromkeys(f"{task.level} {task.label}" for task in tasks.tasks))
            raise InputError(f"no task is left with {asked}: there is {there}.")
        kept = [replace(task, **self.settings) for task in kept]
        return weighted(self._spread(kept, sets) if self.domains else kept, tasks.overall)

    def _keeps(self, task: MetaTask) -> bool:
        return (not self.levels or task.level in self.levels) and (not self.groups or task.grouping in self.groups)

    def _spread(self, tasks: Sequence[MetaTask], sets: Mapping[str, JudgedSystems]) -> list[MetaTask]:
        """Every task once for each domain, over the language pairs that have it; numbered anew."""
        there = sorted({domain for judged in sets.values() for domain in judged.domain_names})
        check_patterns(self.domains, there, "domain")
        found: list[MetaTask] = []
        for task in tasks:
            here = {pair: matching(self.domains, sets[pair].domain_names) for pair in task.langpairs}
            domains = sorted({domain for names in here.values() for domain in names})
            for domain in domains:
                pairs = tuple(pair for pair, names in here.items() if domain in names)
                share = task.weight / len(domains)
                found.append(replace(task, number=len(found) + 1, langpairs=pairs, domain=domain, weight=share))
        return found


def tasks_of(choice: TaskChoice, langpairs: Sequence[str], humans: Mapping[str, bool]) -> TaskSet:
    """One task for each statistic, level, grouping and language pair; pairwise accuracy pools the pairs.

    Without a level correlations are taken of systems and of segments, the accuracies where they are defined. `humans` says
    of a language pair whether human translations take part.
    """
    rows: list[dict[str, Any]] = []
    for statistic in dict.fromkeys(choice.statistics):
        for level in choice.levels or _levels(statistic, bool(choice.groups)):
            for grouping in _groupings(statistic, level, choice.groups):
                row = {"statistic": statistic, "level": level, "grouping": grouping}
                if statistic == "pairwise_accuracy":
                    rows.append({**row, "langpairs": tuple(langpairs)})
                else:
                    rows += [{**row, "langpairs": (pair,), "human": humans.get(pair, True)} for pair in langpairs]
    return weighted([MetaTask(number, **row) for number, row in enumerate(rows, 1)], "value")


def _levels(statistic: str, grouped: bool) -> tuple[str, ...]:
    if statistic in SYSTEM_STATISTICS:
        return ("sys",)
    return ("seg",) if grouped or statistic == "acc_t" else ("sys", "seg")


def _groupings(statistic: str, level: str, wanted: Sequence[str]) -> Sequence[str]:
    if level == "sys" and statistic in SYSTEM_STATISTICS:
        return ("none",)
    if wanted:
        return wanted
    return ("item",) if statistic == "acc_t" and level == "seg" else ("none",)


@dataclass(frozen=True)
class TaskRow:
    """One entry of a file of tasks; without language pairs it is about all there are."""

    statistic: Statistic
    level: TaskLevel
    langpairs: tuple[str, ...] = ()
    grouping: Grouping = "none"
    human: bool = True
    outliers: bool = False
    domain: str | None = None
    gold: str | None = None
    systems: tuple[str, ...] = ()
    weight: Annotated[float, Bounds(0)] = 1.0


@dataclass(frozen=True)
class TaskFile:
    """A set of tasks as a document has it: ranked by mean value, or by mean rank."""

    tasks: tuple[TaskRow, ...]
    overall: Literal["value", "rank"] = "value"


def recipe_of(document: Any, where: str, langpairs: Sequence[str]) -> dict[str, Any]:
    """The recipe in a document; a statistic that takes one language pair is spread over those that its entry names."""
    read = typed(TaskFile, document, Place(where))
    rows: list[dict[str, Any]] = []
    for row in read.tasks:
        pairs = row.langpairs or tuple(langpairs)
        parts = [pairs] if row.statistic == "pairwise_accuracy" else [(pair,) for pair in pairs]
        rows += [{**vars(row), "langpairs": part} for part in parts]
    if not rows:
        raise InputError(f"{where} has no task.")
    return {"overall": read.overall, "tasks": rows}


def matching(patterns: Sequence[str], names: Iterable[str]) -> list[str]:
    """The names that some pattern fits (all without patterns) and no pattern with ``!`` in front."""
    wanted = [pattern for pattern in patterns if not pattern.startswith("!")]
    out = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    return [
        name
        for name in names
        if (not wanted or any(fnmatchcase(name, pattern) for pattern in wanted))
        and not any(fnmatchcase(name, pattern) for pattern in out)
    ]


def check_patterns(patterns: Iterable[str], names: Sequence[str], kind: str) -> None:
    """Refuse a pattern that fits no name."""
    for pattern in patterns:
        if not matching([pattern.removeprefix("!")], names):
            raise unknown(kind, pattern.removeprefix("!"), names)
