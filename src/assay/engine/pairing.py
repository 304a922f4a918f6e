"""The rows of a run's systems side by side: which belong together, what group they are in, what they say."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.errors import InputError
from assay.core.metric import statistics
from assay.core.sums import exact_parts, total
from assay.engine.grouping import LENGTH, length_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats
    from assay.engine.run import ScoredRun

    Rows = NDArray[np.int64]


def column(run: ScoredRun, name: str) -> dict[str, list[Any]]:
    """A kept column of every system, in the order of its rows; empty lists where the texts came without it."""
    found: dict[str, list[Any]] = {system: [] for system in run.systems}
    for chunk in run.chunks():
        values = chunk.columns.get(name, ())
        if len(values):
            for code, value in zip(chunk.codes.tolist(), values, strict=True):
                found[chunk.systems[code]].append(value)
    return found


def by_id(run: ScoredRun) -> dict[str, Rows]:
    """For every system whose rows stand in another order than the first's, the rows in the first's order.

    Ids decide where every system has the same ones, each once; else rows belong together by their place.
    """
    ids = column(run, "ids")
    first, *others = (ids[system] for system in run.systems)
    if not others or all(other == first for other in others) or len(set(first)) < len(first):
        return {}
    if any(len(other) != len(first) or set(other) != set(first) for other in others):
        return {}
    orders = {}
    for system in run.systems[1:]:
        if ids[system] != first:
            place = {name: i for i, name in enumerate(ids[system])}
            orders[system] = np.array([place[name] for name in first], np.int64)
    return orders


@dataclass(frozen=True)
class PairedStats:
    """Statistics by system and metric, row by row of the same segments."""

    whole: Mapping[str, Mapping[str, Floats]]
    about: Mapping[str, Mapping[str, Bools]]
    """Which rows a metric is about, where it is about one language of several."""

    def of(self, rows: Rows | None = None) -> dict[str, dict[str, Floats]]:
        """All rows or some, each metric's own."""
        return {s: {name: self._column(s, name, rows) for name in row} for s, row in self.whole.items()}

    def _column(self, system: str, name: str, rows: Rows | None) -> Floats:
        column, mask = self.whole[system][name], self.about[system].get(name)
        if rows is not None:
            column, mask = column[rows], None if mask is None else mask[rows]
        return column if mask is None else column[mask]


def paired_stats(run: ScoredRun, systems: Sequence[str], orders: Mapping[str, Rows]) -> PairedStats:
    """The statistics of these systems with the rows that belong together in the same places."""

    def put(system: str, column: Any) -> Any:
        return column[orders[system]] if system in orders else column

    whole = {s: {name: put(s, run.stats(s, name)) for name in run.metrics} for s in systems}
    about = {s: {name: put(s, run.about(s, name)) for name in run.shares} for s in systems}
    return PairedStats(whole, about)


def labels(run: ScoredRun, by: str) -> dict[str, list[str]]:
    """Every row's group, by system."""
    found = column(run, "groups")
    if by != LENGTH:
        return {system: [label or "(none)" for label in mine] for system, mine in found.items()}
    names = length_names(length for mine in found.values() for length in mine)
    return {system: [names[length] for length in mine] for system, mine in found.items()}


def order_of(found: Mapping[str, Sequence[str]], by: str) -> list[str]:
    """The groups in the order in which they are met, lengths from the shortest."""
    groups = list(dict.fromkeys(label for mine in found.values() for label in mine))
    return (
        sorted(groups, key=lambda name: int(name.split("–")[0].split()[0].replace(",", ""))) if by == LENGTH else groups
    )


def shared_labels(found: Mapping[str, Sequence[str]], orders: Mapping[str, Rows], by: str) -> list[str]:
    """The segments' groups, which must be the same for every system."""
    (first, labels), *others = found.items()
    for system, mine in others:
        paired = [mine[i] for i in orders[system].tolist()] if system in orders else mine
        for i, (one, other) in enumerate(zip(labels, paired, strict=True), 1):
            if one != other:
                raise InputError(
                    f"segment {i} has the {by} {one!r} in {first} and {other!r} in {system}: put every system's rows into the "
                    "same order, or give them the same ids."
                )
    return list(labels)


def group_scores(run: ScoredRun, found: Mapping[str, Sequence[str]]) -> dict[str, dict[str, dict[str, float]]]:
    """Corpus scores by group, system and metric, a chunk at a time; the run must have kept its statistics."""
    parts: dict[tuple[str, str, str], list[Floats]] = {}
    seen = dict.fromkeys(run.systems, 0)
    for chunk in run.chunks():
        for code in np.unique(chunk.codes).tolist():
            system, rows = chunk.systems[code], np.flatnonzero(chunk.codes == code)
            mine = np.array(found[system][seen[system] : seen[system] + len(rows)], object)
            seen[system] += len(rows)
            for group in dict.fromkeys(mine.tolist()):
                inside = rows[mine == group]
                for name in run.metrics:
                    asked, number = run.shares.get(name, (name, None))
                    own = inside if number is None or chunk.spoken is None else inside[chunk.spoken[inside] == number]
                    if len(own):
                        sums = exact_parts(statistics(chunk.scores[asked])[own])
                        parts.setdefault((group, system, name), []).append(sums)
    made: dict[str, dict[str, dict[str, float]]] = {}
    for (group, system, name), found_sums in parts.items():
        value = float(run.metrics[name].combine(total(found_sums)))
        made.setdefault(group, {}).setdefault(system, {})[name] = value
    return made


def texts(
    run: ScoredRun, wanted: Mapping[str, Collection[int]], names: Sequence[str]
) -> dict[tuple[str, int], dict[str, Any]]:
    """Kept columns of the wanted rows of every system, and their flags: (system, row) to what it says."""
    found: dict[tuple[str, int], dict[str, Any]] = {}
    seen = dict.fromkeys(run.systems, 0)
    sets = {system: set(rows) for system, rows in wanted.items()}
    for chunk in run.chunks():
        columns = {name: chunk.columns[name] for name in names if len(chunk.columns.get(name, ()))}
        if run.kept.flags != "none":
            columns["flags"] = chunk.flag_lists()
        for i, code in enumerate(chunk.codes.tolist()):
            system = chunk.systems[code]
            if seen[system] in sets.get(system, ()):
                found[system, seen[system]] = {name: values[i] for name, values in columns.items()}
            seen[system] += 1
    return found
