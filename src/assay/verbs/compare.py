"""``assay compare``: systems beside each other, with intervals and significance."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any

from assay.analyses import comparison, comparison_tables
from assay.analyses.comparison_tables import sentence
from assay.analyses.segments import TEXTS
from assay.analyses.verdict import ComparisonVerdict
from assay.core.call import recorded
from assay.core.chunk import KEYS, LABELS, NAMES, Retained
from assay.core.columns import Columns, by_column
from assay.core.errors import InputError, count, unknown
from assay.core.flags import flag_notes
from assay.core.metric import Metric
from assay.engine import pairing
from assay.stats.multiple import CORRECTIONS
from assay.verbs.compare_tables import Testing, agreements, group_tables, same_length, segment_tables, verdict_of
from assay.verbs.shared.request import TextRequest, request, unequal
from assay.verbs.shared.run_over_texts import RunOverTexts, about_note, fewest_segments

if TYPE_CHECKING:
    from assay.analyses.comparison import Standing, Standings
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Flagging
    from assay.engine.arguments import References, Texts
    from assay.engine.inputs import PathName
    from assay.engine.scored_run import RowsDone
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice


@dataclass(repr=False)
class Comparison(RunOverTexts):
    """Several systems beside each other; the first is the baseline."""

    settings: str = field(default="", kw_only=True)
    """How sure the intervals and p-values are, and why."""
    groups: dict[str, Standings] = field(default_factory=dict, kw_only=True)
    """Standings of every group of segments, where they were asked for (``by``)."""

    verdict: ComparisonVerdict = field(default_factory=ComparisonVerdict, kw_only=True)
    """What all metrics together say of each system; ``result.verdict.sentence`` says it in words."""

    verb = "compare"

    def lead(self) -> str:
        """The verdict in words."""
        return self.verdict.sentence

    @property
    def baseline(self) -> str:
        """The system that the others are tested against."""
        return next(iter(self.standings))

    def __len__(self) -> int:
        return self.run.segments[self.baseline]

    def to_dict(self) -> dict[str, Any]:
        """``{"baseline": ..., "systems": {SYSTEM: {METRIC: {...}}}}``, and what else was asked for."""
        from assay.report.data import rows

        about = {
            "baseline": self.baseline,
            "segments": len(self),
            "settings": self.settings,
            "verdict": {
                "sentence": self.verdict.sentence,
                "systems": {one.system: {"kind": one.kind, **asdict(one)} for one in self.verdict.systems},
            },
        }
        whole = {
            **about,
            "systems": self._told(self.standings),
            "flags": self.system_flags,
        }
        if self.groups:
            whole["groups"] = {group: self._told(standings) for group, standings in self.groups.items()}
        return whole | {name: rows(self.tables[name]) for name in ("pairs", "worst", "changed") if name in self.tables}

    def _told(self, standings: Standings) -> dict[str, Any]:
        told: dict[str, Any] = {}
        made_of = self.components if standings is self.standings else {}
        for system, row in standings.items():
            told[system] = {
                name: {**asdict(standing), "signature": self.signatures[name]} for name, standing in row.items()
            }
            for name, standing in row.items():
                if self.run.partial(name) and standings is self.standings:
                    told[system][name]["n"] = self.run.count(system, name)
                if parts := made_of.get(system, {}).get(name):
                    told[system][name]["components"] = parts
                if standing.difference is not None:
                    told[system][name]["sentence"] = sentence(standing, self.metrics[name], system, self.baseline)
        return told

    def columns(self) -> Columns:
        """One row for each system and metric."""
        return by_column(
            {"system": system, "metric": name, **_flat(standing)}
            for system, row in self.standings.items()
            for name, standing in row.items()
        )


def _flat(standing: Standing) -> dict[str, Any]:
    """The fields of a standing, with the pairs behind an agreement in place of the studies."""
    fields = {**asdict(standing), "people_agree_pairs": standing.agreement and standing.agreement.wmt23.pairs}
    del fields["agreement"]
    return fields


def compare(
    systems: Mapping[str, Texts] | None = None,
    references: References | None = None,
    *,
    sources: Texts | None = None,
    mt: Sequence[PathName] | Mapping[str, PathName] = (),
    ref: PathName | Sequence[PathName] = (),
    src: PathName | None = None,
    data: Any = None,
    columns: ColumnChoice | None = None,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    empty_reference: EmptyReference | None = None,
    testset: PathName | None = None,
    data_dir: PathName | None = None,
    metrics: Sequence[str | Metric] | None = None,
    baseline: str | None = None,
    flags: Flagging = "auto",
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
    correction: str = "holm",
    pairs: bool = False,
    by: str | Sequence[str] | None = None,
    worst: int = 0,
    changed: int = 0,
    sort_by: str | None = None,
    texts: bool = False,
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
) -> Comparison:
    """Compare systems on the same segments: scores, bootstrap intervals, and p-values against the baseline.

    Args:
        systems: System to translations, in memory: ``{"online": texts, "ours": texts}``.
        references: Their references, as in `score`.
        sources: What was translated.
        mt: Instead: text files of one segment a line, one file a system, with names or without.
        ref: The files of references that go with `mt`.
        src: The file of sources that goes with `mt`.
        data: Instead: a table with a system column, or a frame, as in `score`.
        columns: Which column of `data` plays which role where the names differ.
        quoting: How quotation marks in a TSV are read: ``auto``, ``csv`` or ``none``.
        langpair: The language pair, as in en-de, where the table does not say.
        empty_reference: What becomes of rows whose references are all empty: ``skip`` leaves them out of metrics that need a
            reference (the default for tables), ``score`` scores them against an empty text (the default for text files and
            lists, as in sacrebleu), ``error`` refuses them.
        testset: Where sources and references come from, instead of `ref` and `src`: a year (``wmt23``), the path of an
            mt-metrics-eval tree, or a test set that sacrebleu has downloaded; with `langpair`.
        data_dir: Where local copies of test sets lie; by default ``$ASSAY_DATA``.
        metrics: Names with options, paths of checkpoints, or Metric objects; by default as in `score`.
        baseline: The system to test against; by default the first.
        flags: Which flags of the texts to raise, as in `score`.
        samples: Bootstrap resamples.
        trials: Trials of the randomization test; 0 leaves it out.
        seed: The same seed gives sacrebleu's p-values.
        correction: How marks are corrected for several comparisons: ``holm``, ``benjamini-hochberg``, ``bonferroni``, ``none``.
        pairs: Add the table `pairs`: every two systems, corrected together.
        by: Add the table `groups`: a column of `data` (``doc``, ``domain`` …), ``length``, or a label for each segment.
        worst: Add the table `worst`: so many segments of each system but the baseline, with their texts.
        changed: Add the table `changed`: so many segments that moved furthest from the baseline.
        sort_by: The metric that chooses those segments; by default the first.
        texts: Keep texts, names and error spans beside the scores, for `Comparison.write` and `assay view`.
        workers: Threads to use; by default one a core.
        store: Look up and keep the results of slow metrics.
        progress: Called after every chunk with its rows and whether they came from an earlier, interrupted run.
    """
    asked = request(
        systems=systems, references=references, sources=sources, mt=mt, ref=ref, src=src, data=data, columns=columns,
        quoting=quoting, langpair=langpair, testset=testset, data_dir=data_dir,
        metrics=metrics, by=by, rows=texts, empty_reference=empty_reference,
    )  # fmt: skip
    return compare_request(
        asked, baseline=baseline, flags=flags, samples=samples, trials=trials, seed=seed, correction=correction, pairs=pairs, by=by,
        worst=worst, changed=changed, sort_by=sort_by, texts=texts, workers=workers, store=store, progress=progress,
        fewest=1 if systems is not None else 2,
    )  # fmt: skip


@recorded("compare")
def compare_request(
    asked: TextRequest,
    *,
    baseline: str | None = None,
    flags: Flagging = "auto",
    samples: int = 1000,
    trials: int = 10_000,
    seed: int = 12345,
    correction: str = "holm",
    pairs: bool = False,
    by: str | Sequence[str] | None = None,
    worst: int = 0,
    changed: int = 0,
    sort_by: str | None = None,
    texts: bool = False,
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
    fewest: int = 2,
) -> Comparison:
    """`compare` for a request that is made already, with `fewest` systems or more."""
    check_choice(asked.metrics, sort_by, correction)
    columns = (
        *(LABELS if asked.inputs.aligned else (*NAMES, *KEYS)),
        *(("groups",) if by is not None else ()),
        *(TEXTS if worst or changed else ()),
        *(("rows",) if texts else ()),
    )
    kept = Retained(stats=True, spans=texts, columns=tuple(dict.fromkeys(columns)), flags=flags)
    run = asked.run(kept, workers, store, progress)
    systems = list(run.systems)
    how = Testing(samples, trials, seed, correction, agreements(run, asked))
    try:
        if baseline is not None:
            if baseline not in systems:
                raise unknown("system", baseline, systems)
            systems.sort(key=lambda system: system != baseline)
        if len(systems) < fewest:
            raise InputError("compare needs two systems or more: repeat --mt, or give --data with a system column.")
        unequal(run.segments)
        orders = pairing.paired_rows(run)
        stats = pairing.paired_stats(run, systems, orders)
        found = how.contests(same_length(stats.of()), run.metrics)
        duels = comparison.against_baseline(found, correction)
        standings = comparison.standings(found, duels)
        made = Comparison(
            {}, run, standings, files=asked.inputs.paths, seed=seed, settings=settings(samples, trials, seed),
            verdict=verdict_of(run, standings, orders),
        )  # fmt: skip
        tables = []
        if len(systems) > 1:
            tables.append(comparison_tables.differences(duels, run.metrics))
        if pairs and len(systems) > 1:
            every = comparison.all_pairs(found, correction)
            notes = comparison_tables.mark_notes(every, correction, "the other", how.tests)
            tables.append(comparison_tables.differences(every, run.metrics, notes, all_pairs=True))
        if by is not None:
            name = by if isinstance(by, str) else "group"
            labels = pairing.labels(run, name)
            shared = pairing.shared_labels({system: labels[system] for system in systems}, orders, name)
            table, made.groups = group_tables(stats, shared, pairing.order_of(labels, name), name, run.metrics, how)
            tables.append(table)
        if worst or changed:
            tables += segment_tables(run, systems, orders, worst=worst, changed=changed, sort_by=sort_by)
    except BaseException:
        run.close()
        raise
    notes = [f"{count(len(made), 'segment')}{about_note(run)} · {made.settings}"]
    if orders:
        notes.append("the systems' rows are in different orders: they are paired by id, or by source and reference")
    if len(standings) > 1:
        notes += comparison_tables.mark_notes(duels, correction, made.baseline, how.tests)
    notes += comparison_tables.doubt_notes(standings, run.metrics, fewest_segments(run))
    first = comparison_tables.systems(
        standings, run.metrics, caption=made.verdict.sentence, notes=[*notes, *flag_notes(run.flagged())]
    )
    made.tables |= {table.name: table for table in (first, *tables)}
    made.add_components()
    return made


def check_choice(metrics: Mapping[str, Metric], sort_by: str | None, correction: str) -> None:
    """Refuse names that cannot be meant, before anything is scored."""
    if sort_by is not None and sort_by not in metrics:
        raise unknown("metric to sort by", sort_by, metrics)
    if correction not in CORRECTIONS:
        raise unknown("correction", correction, CORRECTIONS)


def settings(samples: int, trials: int, seed: int | None) -> str:
    """The line under a comparison that says how sure it is and why."""
    tests = f"95% bootstrap, n={samples}"
    return tests + (f", randomization, n={trials}" if trials else "") + f", seed {seed}"
