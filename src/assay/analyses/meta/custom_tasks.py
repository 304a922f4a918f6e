"""Custom meta-evaluation tasks: other gold scores, statistics, levels, groupings, domains and systems than the official ones.

`TaskChoice` changes a set of tasks, `tasks_of` creates one from statistics, and `recipe_of` reads one from a document.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Annotated, Any, Literal

from assay.analyses.meta.recipes import SYSTEM_STATISTICS, MetaTask, Statistic, TaskLevel, TaskSet, normalise_weights
from assay.core.errors import InputError, listing, unknown
from assay.core.judged_systems import JudgedSystems
from assay.core.schema import Bounds, Place, typed
from assay.stats.groups import Grouping


@dataclass(frozen=True)
class TaskChoice:
    """Settings that replace the official ones; empty settings change nothing.

    `domains` and `systems` are patterns (``*``, ``ONLINE-*``); a leading ``!`` excludes matches.
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
        """Settings that every task takes over."""
        values = {"gold": self.gold, "human": self.humans, "systems": tuple(self.systems) or None}
        return {name: value for name, value in values.items() if value is not None}

    def apply(self, tasks: TaskSet, sets: Mapping[str, JudgedSystems]) -> TaskSet:
        """Return the tasks at the selected levels and groupings, with the selected settings, once per selected domain."""
        if self.systems:
            systems = {system for judged in sets.values() for system in judged.systems}
            check_patterns(self.systems, sorted(systems), "system")
        tasks_left = [task for task in tasks.tasks if self._keeps(task)]
        if not tasks_left:
            selection = listing([*self.levels, *self.groups])
            available = listing(dict.fromkeys(f"{task.level} {task.label}" for task in tasks.tasks))
            raise InputError(f"no task matches {selection}. Available: {available}.")
        tasks_left = [replace(task, **self.settings) for task in tasks_left]
        return normalise_weights(self._spread(tasks_left, sets) if self.domains else tasks_left, tasks.overall)

    def _keeps(self, task: MetaTask) -> bool:
        return (not self.levels or task.level in self.levels) and (not self.groups or task.grouping in self.groups)

    def _spread(self, tasks: Sequence[MetaTask], sets: Mapping[str, JudgedSystems]) -> list[MetaTask]:
        """Return every task once per domain, over the language pairs that have this domain, with new numbers."""
        domains_available = sorted({domain for judged in sets.values() for domain in judged.domain_names})
        check_patterns(self.domains, domains_available, "domain")
        result: list[MetaTask] = []
        for task in tasks:
            by_pair = {pair: match_names(self.domains, sets[pair].domain_names) for pair in task.langpairs}
            domains = sorted({domain for names in by_pair.values() for domain in names})
            for domain in domains:
                pairs = tuple(pair for pair, names in by_pair.items() if domain in names)
                share = task.weight / len(domains)
                result.append(replace(task, number=len(result) + 1, langpairs=pairs, domain=domain, weight=share))
        return result


def tasks_of(choice: TaskChoice, langpairs: Sequence[str], humans: Mapping[str, bool]) -> TaskSet:
    """Return one task per statistic, level, grouping and language pair; pairwise accuracy pools the pairs.

    Without a level, correlations are computed for systems and segments, and accuracies where they are defined. `humans` states,
    by language pair, whether human translations are included. A pooled task includes them if any of its pairs does.
    """
    rows: list[dict[str, Any]] = []
    for statistic in dict.fromkeys(choice.statistics):
        for level in choice.levels or _levels(statistic, bool(choice.groups)):
            for grouping in _groupings(statistic, level, choice.groups):
                row = {"statistic": statistic, "level": level, "grouping": grouping}
                if statistic == "pairwise_accuracy":
                    human = any(humans.get(pair, True) for pair in langpairs)
                    rows.append({**row, "langpairs": tuple(langpairs), "human": human})
                else:
                    rows += [{**row, "langpairs": (pair,), "human": humans.get(pair, True)} for pair in langpairs]
    return normalise_weights([MetaTask(number, **row) for number, row in enumerate(rows, 1)], "value")


def _levels(statistic: str, grouped: bool) -> tuple[str, ...]:
    if statistic in SYSTEM_STATISTICS:
        return ("sys",)
    return ("seg",) if grouped or statistic in ("acc_t", "pair_accuracy") else ("sys", "seg")


def _groupings(statistic: str, level: str, selected: Sequence[str]) -> Sequence[str]:
    if level == "sys" and statistic in SYSTEM_STATISTICS:
        return ("none",)
    if selected:
        return selected
    return ("item",) if statistic in ("acc_t", "pair_accuracy") and level == "seg" else ("none",)


@dataclass(frozen=True)
class TaskRow:
    """One entry of a task file; without language pairs it applies to all."""

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
    """Tasks read from a document: ranked by mean value, or by mean rank."""

    tasks: tuple[TaskRow, ...]
    overall: Literal["value", "rank"] = "value"


def recipe_of(document: Any, where: str, langpairs: Sequence[str]) -> dict[str, Any]:
    """Return the recipe in a document; a statistic for one language pair is repeated for all pairs in its entry."""
    read = typed(TaskFile, document, Place(where))
    rows: list[dict[str, Any]] = []
    for row in read.tasks:
        pairs = row.langpairs or tuple(langpairs)
        parts = [pairs] if row.statistic == "pairwise_accuracy" else [(pair,) for pair in pairs]
        rows += [{**vars(row), "langpairs": part} for part in parts]
    if not rows:
        raise InputError(f"{where} contains no task.")
    return {"overall": read.overall, "tasks": rows}


def match_names(patterns: Sequence[str], names: Iterable[str]) -> list[str]:
    """Return the names that match a pattern (all if there are no patterns), but no pattern with a leading ``!``."""
    included = [pattern for pattern in patterns if not pattern.startswith("!")]
    excluded = [pattern[1:] for pattern in patterns if pattern.startswith("!")]
    return [
        name
        for name in names
        if (not included or any(fnmatchcase(name, pattern) for pattern in included))
        and not any(fnmatchcase(name, pattern) for pattern in excluded)
    ]


def check_patterns(patterns: Iterable[str], names: Sequence[str], kind: str) -> None:
    """Reject a pattern that matches no name."""
    for pattern in patterns:
        if not match_names([pattern.removeprefix("!")], names):
            raise unknown(kind, pattern.removeprefix("!"), names)
