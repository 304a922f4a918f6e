"""Tables of `compare` other than the system table: segment groups, single segments and all system pairs."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any

from assay.analyses import comparison, comparison_tables, segments
from assay.analyses.verdict import ComparisonVerdict, most_disputed, verdict
from assay.core.call import Call
from assay.core.errors import count
from assay.data.agreement import agreement, group_of_all
from assay.engine import pairing
from assay.verbs.shared.request import unequal

if TYPE_CHECKING:
    from assay.analyses.comparison import Agreements, Contest, Duel, Standings
    from assay.core.metric import Floats, Metric
    from assay.core.table import Table
    from assay.engine.pairing import PairedStats
    from assay.engine.scored_run import ScoredRun
    from assay.verbs.shared.request import TextRequest

Stats = Mapping[str, Mapping[str, "Floats"]]


@dataclass(frozen=True)
class Testing:
    """Tests for differences between systems."""

    samples: int
    trials: int
    seed: int
    correction: str
    agreements: Mapping[str, Agreements]

    def contests(self, stats: Stats, metrics: Mapping[str, Metric], tested: bool = True) -> dict[str, Contest]:
        """Return one contest per metric from these statistics."""
        return comparison.contests(
            stats, metrics, samples=self.samples, trials=self.trials, seed=self.seed, tested=tested,
            agreements=self.agreements,
        )  # fmt: skip

    @property
    def settings(self) -> str:
        """Line below a comparison that names its tests."""
        tests = f"95% bootstrap, n={self.samples}"
        return tests + (f", randomization, n={self.trials}" if self.trials else "") + f", seed {self.seed}"

    @property
    def tests(self) -> str:
        """Names of the tests behind a significance mark."""
        return "paired bootstrap and randomization" if self.trials else "paired bootstrap"


def agreements(run: ScoredRun, asked: TextRequest) -> dict[str, Agreements]:
    """Return how well each metric of a run agrees with annotators, by metric name.

    The agreement is known only for metrics that run as measured: with default options, one reference, and sources if the
    metric reads them.
    """
    if run.nrefs != 1:
        return {}
    by_metric: dict[str, Agreements] = {}
    call = asked.call or Call("", {})
    named = {"src", "sources", "testset"} & {*call.arguments, *call.unkept}
    sources = bool(named) or _has(run, "source_keys")
    langpairs = {call.arguments.get("langpair")}
    if _has(run, "langpairs"):
        langpairs = {pair for chunk in run.chunks() for pair in set(chunk.columns.get("langpairs", ()))}
    for name, metric in run.metrics.items():
        usual = name in run.asked and metric.signature == run.asked[name].signature
        table = agreement(name) if usual and (metric.card.needs_reference or sources) else None
        if table is not None:
            by_metric[name] = partial(table.at, languages=group_of_all(langpairs))
    return by_metric


def _has(run: ScoredRun, name: str) -> bool:
    """Whether the texts have a retained column."""
    return any(len(chunk.columns.get(name, ())) for chunk in islice(run.chunks(), 1))


def same_length(stats: Stats) -> Stats:
    """Return the statistics; reject systems with different numbers of segments in a language."""
    for name in next(iter(stats.values())):
        unequal({system: len(row[name]) for system, row in stats.items()}, f" of {name}")
    return stats


def groups_of(
    run: ScoredRun, systems: Sequence[str], orders: Any, stats: PairedStats, by: str, how: Testing
) -> tuple[Table, dict[str, Standings]]:
    """Return the table `groups` and the standings of each group."""
    labels = pairing.labels(run, by)
    shared = pairing.shared_labels({system: labels[system] for system in systems}, orders, by)
    return group_tables(stats, shared, pairing.order_of(labels, by), by, run.metrics, how)


def group_tables(
    stats: PairedStats,
    labels: Sequence[str],
    order: Sequence[str],
    by: str,
    metrics: Mapping[str, Metric],
    how: Testing,
) -> tuple[Table, dict[str, Standings]]:
    """Return every group's scores and marks; all groups and systems of a metric are corrected together."""
    import numpy as np

    whose = np.array(labels, object)
    rows = {group: np.flatnonzero(whose == group) for group in order}
    contests: dict[str, dict[str, Contest]] = {}
    for group, chosen in rows.items():
        group_stats = same_length(stats.of(chosen))
        there = {
            name: metric for name, metric in metrics.items() if all(len(row[name]) for row in group_stats.values())
        }
        contests[group] = how.contests(group_stats, there, tested=len(chosen) >= comparison.FEWEST)
    duels: dict[str, dict[str, list[Duel]]] = {group: {} for group in order}
    family: dict[str, list[Duel]] = {}
    for name in metrics:
        fought = [comparison.with_first(contests[group][name]) if name in contests[group] else [] for group in order]
        family[name] = comparison.correct_duels(
            [duel for group_stats in fought for duel in group_stats], how.correction
        )
        flat = iter(family[name])
        for group, pairs in zip(order, fought, strict=True):
            duels[group][name] = [next(flat) for _ in pairs]
    standings = {group: comparison.standings(contests[group], duels[group]) for group in order}
    few = sum(len(chosen) < comparison.FEWEST for chosen in rows.values())
    notes = comparison_tables.mark_notes(family, how.correction, next(iter(stats.whole)), how.tests)
    if few:
        notes.append(f"{count(few, 'group')} with fewer than {comparison.FEWEST} segments have no interval or mark")
    notes += _ahead(standings, metrics)
    sizes = {group: dict.fromkeys(stats.whole, len(chosen)) for group, chosen in rows.items()}
    return comparison_tables.groups(by, standings, sizes, metrics, notes), standings


def _ahead(groups: Mapping[str, Standings], metrics: Mapping[str, Metric]) -> list[str]:
    """Count the groups in which a system is better than the baseline, by system and metric."""
    first = next(iter(groups.values()))
    notes = []
    for system in list(first)[1:]:
        parts = []
        for name, metric in metrics.items():
            own = [standings[system][name] for standings in groups.values() if name in standings[system]]
            changes = [standing.difference or 0.0 for standing in own]
            ahead = sum(change > 0 if metric.card.higher_is_better else change < 0 for change in changes)
            parts.append(f"{ahead:,} by {metric.card.label}")
        notes.append(
            f"{system} is ahead of {next(iter(first))}, of {count(len(groups), 'group')}: in {', '.join(parts)}"
        )
    return notes


def verdict_of(run: ScoredRun, standings: Standings, orders: Mapping[str, Any]) -> ComparisonVerdict:
    """Return the verdict over all metrics, with the most disputed segments if the metrics disagree on a system."""
    baseline = next(iter(standings))
    overall = verdict(comparison_tables.outcomes(standings, run.metrics), baseline)
    if not any(one.kind == "mixed" for one in overall.systems):
        return overall
    base = {name: _oriented(run, baseline, name, orders) for name in run.asked if name in run.metrics}
    names = _segment_names(run, baseline, orders)
    systems = []
    for one in overall.systems:
        if one.kind == "mixed":
            gaps: dict[bool, list[Floats]] = {True: [], False: []}
            for name, column in base.items():
                standing = standings[one.system][name]
                if standing.better or standing.worse:
                    gaps[standing.better].append(_oriented(run, one.system, name, orders) - column)
            places = most_disputed(gaps[True], gaps[False]) if all(gaps.values()) else []
            one = replace(one, segments=tuple(names(i) for i in places))
        systems.append(one)
    return ComparisonVerdict(tuple(systems))


def _oriented(run: ScoredRun, system: str, metric: str, orders: Mapping[str, Any]) -> Floats:
    """Return a system's segment scores in the order of the first system; higher is better."""
    import numpy as np

    column = np.concatenate(list(run.values(system, metric)))
    column = column[orders[system]] if system in orders else column
    return column if run.asked[metric].card.higher_is_better else -column


def _segment_names(run: ScoredRun, system: str, orders: Mapping[str, Any]) -> Callable[[int], str]:
    """Return segment names for a verdict: document and id if available, otherwise the number."""
    ids, documents = (pairing.column(run, name)[system] for name in ("ids", "documents"))

    def name(place: int) -> str:
        row = int(orders[system][place]) if system in orders else place
        if not ids or not ids[row]:
            return f"{row + 1:,}"
        return f"{documents[row]}/{ids[row]}" if documents and documents[row] else str(ids[row])

    return name


def segment_tables(
    run: ScoredRun,
    systems: Sequence[str],
    orders: Mapping[str, Any],
    *,
    worst: int,
    changed: int,
    sort_by: str | None,
) -> list[Table]:
    """Return the tables `worst` and `changed`, if requested; the first of `systems` is the baseline."""
    import numpy as np

    metric = sort_by or next(iter(run.asked))
    values: dict[str, dict[str, Floats]] = {}
    for system in systems:
        columns = {name: np.concatenate(list(run.values(system, name))) for name in run.asked}
        values[system] = {
            name: column[orders[system]] if system in orders else column for name, column in columns.items()
        }
    higher = run.asked[metric].card.higher_is_better
    compared = systems[1:] or systems
    chosen: dict[str, dict[str, list[int]]] = {}
    if worst:
        chosen["worst"] = {
            s: segments.worst(values, s, metric, worst, higher_is_better=higher) for s in compared
        }  # fmt: skip
    if changed:
        chosen["changed"] = {s: segments.changed(values, s, metric, changed) for s in compared}
    places = sorted(
        {i for by_system in chosen.values() for rows_of_system in by_system.values() for i in rows_of_system}
    )
    own = {system: {i: int(orders[system][i]) if system in orders else i for i in places} for system in systems}
    said = pairing.texts(run, {system: set(rows.values()) for system, rows in own.items()}, segments.TEXTS)
    texts = {(system, i): said[system, row] for system, rows in own.items() for i, row in rows.items()}
    return [
        segments.table(name, by_system, values, texts, run.asked, metric)
        for name, by_system in chosen.items()
        if any(by_system.values())
    ]
