"""Pairing of the rows of several systems: corresponding segments, their groups, statistics and texts."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.chunk import KEYS, NAMES
from assay.core.errors import InputError
from assay.core.metric import statistics
from assay.core.sums import exact_parts, total
from assay.engine.grouping import LENGTH, length_names

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools, Floats
    from assay.engine.scored_run import ScoredRun

    Rows = NDArray[np.int64]

_KIND = {
    "langpairs": "language pair",
    "ids": "id",
    "documents": "document",
    "source_keys": "source",
    "reference_keys": "reference",
}


def column(run: ScoredRun, name: str) -> dict[str, list[Any]]:
    """Return a retained column of every system, in the order of its rows; empty lists if the texts have no such column."""
    return _columns(run, [name])[name]


def _columns(run: ScoredRun, names: Sequence[str]) -> dict[str, dict[str, list[Any]]]:
    """Return columns by name and system, read in one pass."""
    columns: dict[str, dict[str, list[Any]]] = {name: {system: [] for system in run.systems} for name in names}
    for chunk in run.chunks():
        single = None if len(set(chunk.codes.tolist())) > 1 or not len(chunk) else chunk.systems[chunk.codes[0]]
        for name, by_system in columns.items():
            values = chunk.columns.get(name, ())
            if len(values) and single is not None:
                by_system[single].extend(values)
            elif len(values):
                for code, value in zip(chunk.codes.tolist(), values, strict=True):
                    by_system[chunk.systems[code]].append(value)
    return columns


def paired_rows(run: ScoredRun) -> dict[str, Rows]:
    """Return the row order that matches the first system, for every system whose rows are in a different order.

    Rows are paired by language pair, document and id if every system has each of them once; otherwise by these, source and
    reference together. Nothing is paired by guesswork.

    Raises:
        InputError: The systems do not have the same segments; the message names the first mismatch.
    """
    columns = _columns(run, (*NAMES, *KEYS))
    names = [name for name, by_system in columns.items() if any(by_system.values())]
    first, *others = run.systems
    others = [s for s in others if any(columns[name][s] != columns[name][first] for name in names)]
    if not others:
        return {}

    def rows(system: str, chosen: Sequence[str]) -> list[tuple[Any, ...]]:
        nothing = [None] * run.segments[system]
        return list(zip(*(columns[name][system] or nothing for name in chosen), strict=True))

    labels = [name for name in names if name in NAMES]
    by_label = "ids" in labels and all(_distinct(rows(system, labels)) for system in (first, *others))
    orders = {}
    for system in others:
        chosen = labels if by_label else names
        keys, other_keys = rows(first, chosen), rows(system, chosen)
        if not by_label and any(name in KEYS for name in names):
            keys, other_keys = _numbered(keys), _numbered(other_keys)
        index = {key: i for i, key in enumerate(other_keys)}
        if len(index) < len(other_keys) or index.keys() != set(keys):
            raise _mismatch(run, columns, names, first, system, by_label)
        order = np.array([index[key] for key in keys], np.int64)
        for name in names if by_label else ():
            one, other = columns[name][first], columns[name][system]
            differs = next(
                (i for i, (a, b) in enumerate(zip(one, (other[j] for j in order), strict=True)) if a != b), None
            )
            if differs is not None:
                segment = _label(labels, rows(first, labels)[differs])
                problem = f"{segment} has different {_KIND[name]}s in {first} and {system}"
                raise _unpaired(f"{problem} (rows {differs + 1:,} and {order[differs] + 1:,})")
        if not np.array_equal(order, np.arange(len(order))):
            orders[system] = order
    return orders


def _distinct(keys: Sequence[tuple[Any, ...]]) -> bool:
    return len(set(keys)) == len(keys)


def _numbered(keys: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Number repeated keys, so that repeated segments keep their order."""
    seen: Counter[tuple[Any, ...]] = Counter()
    numbered = []
    for key in keys:
        numbered.append((*key, seen[key]))
        seen[key] += 1
    return numbered


def _label(names: Sequence[str], key: tuple[Any, ...]) -> str:
    """Return a segment's label for messages: its id, then its document and language pair, if any."""
    values = {name: value for name, value in zip(names, key, strict=True) if value}
    document = f" of document {values['documents']!r}" if "documents" in values else ""
    return (
        f"segment {values.get('ids', '')!r}" + document + (f" ({values['langpairs']})" if "langpairs" in values else "")
    )


def _mismatch(
    run: ScoredRun,
    columns: Mapping[str, Mapping[str, Sequence[Any]]],
    names: Sequence[str],
    first: str,
    second: str,
    by_label: bool,
) -> InputError:
    """Return the error that names the first segment of one system that the other does not have."""
    if by_label:
        labels = [name for name in names if name in NAMES]
        own = {s: list(zip(*(columns[name][s] for name in labels), strict=True)) for s in (first, second)}
        for one, other in ((first, second), (second, first)):
            present = set(own[other])
            missing = next((i for i, key in enumerate(own[one]) if key not in present), None)
            if missing is not None:
                return _unpaired(
                    f"{_label(labels, own[one][missing])} (row {missing + 1:,} of {one}) is not in {other}"
                )
    for i in range(run.segments[first]):
        for name in names:
            a, b = (columns[name][s][i] if columns[name][s] else None for s in (first, second))
            if a != b:
                shown = f": {a!r} and {b!r}" if name in NAMES else ""
                return _unpaired(f"row {i + 1:,} of {first} and of {second} differ in the {_KIND[name]}{shown}")
    raise AssertionError("the systems have the same rows")


def _unpaired(what: str) -> InputError:
    return InputError(
        f"the systems do not have the same segments: {what}. All systems need the same segments with the same ids, sources and "
        "references."
    )


@dataclass(frozen=True)
class PairedStats:
    """Statistics by system and metric, with the same segments in the same rows."""

    whole: Mapping[str, Mapping[str, Floats]]
    about: Mapping[str, Mapping[str, Bools]]
    """The rows that a metric covers, if not all: one language of several, or rows with a reference."""

    def of(self, rows: Rows | None = None) -> dict[str, dict[str, Floats]]:
        """Return the statistics for all or some rows, restricted to those that each metric covers."""
        return {s: {name: self._column(s, name, rows) for name in row} for s, row in self.whole.items()}

    def _column(self, system: str, name: str, rows: Rows | None) -> Floats:
        column, mask = self.whole[system][name], self.about[system].get(name)
        if rows is not None:
            column, mask = column[rows], None if mask is None else mask[rows]
        return column if mask is None else column[mask]


def paired_stats(run: ScoredRun, systems: Sequence[str], orders: Mapping[str, Rows]) -> PairedStats:
    """Return these systems' statistics, with corresponding rows at the same indices."""

    def put(system: str, column: Any) -> Any:
        return column[orders[system]] if system in orders else column

    whole = {s: {name: put(s, run.stats(s, name)) for name in run.metrics} for s in systems}
    partial = [name for name in run.metrics if run.partial(name)]
    about = {s: {name: put(s, run.about(s, name)) for name in partial} for s in systems}
    return PairedStats(whole, about)


def labels(run: ScoredRun, by: str) -> dict[str, list[str]]:
    """Return every row's group, by system."""
    groups = column(run, "groups")
    if by != LENGTH:
        return {system: [label or "(none)" for label in of_system] for system, of_system in groups.items()}
    names = length_names(length for lengths in groups.values() for length in lengths)
    return {system: [names[length] for length in lengths] for system, lengths in groups.items()}


def order_of(labels_by_system: Mapping[str, Sequence[str]], by: str) -> list[str]:
    """Return the groups in order of appearance; lengths from the shortest."""
    groups = list(dict.fromkeys(label for of_system in labels_by_system.values() for label in of_system))
    return (
        sorted(groups, key=lambda name: int(name.split("–")[0].split()[0].replace(",", ""))) if by == LENGTH else groups
    )


def shared_labels(labels_by_system: Mapping[str, Sequence[str]], orders: Mapping[str, Rows], by: str) -> list[str]:
    """Return the groups of the segments, which must be the same for every system."""
    (first, labels), *others = labels_by_system.items()
    for system, own in others:
        paired = [own[i] for i in orders[system].tolist()] if system in orders else own
        for i, (one, other) in enumerate(zip(labels, paired, strict=True), 1):
            if one != other:
                raise InputError(
                    f"segment {i} has the {by} {one!r} in {first} but {other!r} in {system}. Put the rows of all systems in the "
                    "same order, or give them the same ids."
                )
    return list(labels)


def group_scores(
    run: ScoredRun, labels_by_system: Mapping[str, Sequence[str]]
) -> dict[str, dict[str, dict[str, float]]]:
    """Return corpus scores by group, system and metric, chunk by chunk; the run must have retained its statistics."""
    parts: dict[tuple[str, str, str], list[Floats]] = {}
    scores: dict[str, dict[str, dict[str, float]]] = {}
    seen = dict.fromkeys(run.systems, 0)
    for chunk in run.chunks():
        for code in np.unique(chunk.codes).tolist():
            system, rows = chunk.systems[code], np.flatnonzero(chunk.codes == code)
            own = np.array(labels_by_system[system][seen[system] : seen[system] + len(rows)], object)
            seen[system] += len(rows)
            for group in dict.fromkeys(own.tolist()):
                inside = rows[own == group]
                scores.setdefault(group, {}).setdefault(system, {})
                for name in run.metrics:
                    requested, _ = run.shares.get(name, (name, None))
                    covered = inside[run.about_rows(chunk, name)[inside]]
                    if len(covered):
                        sums = exact_parts(statistics(chunk.scores[requested])[covered])
                        parts.setdefault((group, system, name), []).append(sums)
    for (group, system, name), group_sums in parts.items():
        scores[group][system][name] = float(run.metrics[name].combine(total(group_sums)))
    return scores


def texts(
    run: ScoredRun, wanted: Mapping[str, Collection[int]], names: Sequence[str]
) -> dict[tuple[str, int], dict[str, Any]]:
    """Return the columns and flags of the wanted rows, by system and row."""
    values_by_row: dict[tuple[str, int], dict[str, Any]] = {}
    seen = dict.fromkeys(run.systems, 0)
    sets = {system: set(rows) for system, rows in wanted.items()}
    for chunk in run.chunks():
        columns = {name: chunk.columns[name] for name in names if len(chunk.columns.get(name, ()))}
        if run.retained.flags != "none":
            columns["flags"] = chunk.flag_lists()
        for i, code in enumerate(chunk.codes.tolist()):
            system = chunk.systems[code]
            if seen[system] in sets.get(system, ()):
                values_by_row[system, seen[system]] = {name: values[i] for name, values in columns.items()}
            seen[system] += 1
    return values_by_row
