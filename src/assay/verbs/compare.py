"""``assay compare``: comparison of systems with confidence intervals and significance tests."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import TYPE_CHECKING, Any, TypedDict, Unpack

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
from assay.verbs.compare_tables import Testing, agreements, groups_of, same_length, segment_tables, verdict_of
from assay.verbs.shared.options import CompareOptions, ScoringOptions, TextInputs, parted
from assay.verbs.shared.request import TextRequest, request, unequal
from assay.verbs.shared.run_over_texts import RunOverTexts, about_note, fewest_segments

if TYPE_CHECKING:
    from assay.analyses.comparison import Standing, Standings
    from assay.core.chunk import Flagging
    from assay.core.table import Table
    from assay.engine.arguments import References, Texts
    from assay.engine.scored_run import RowsDone, ScoredRun


class TestOptions(TypedDict, total=False):
    """Options for testing differences between systems; see `compare`."""

    samples: int
    trials: int
    seed: int
    correction: str


TESTS: TestOptions = {"samples": 1000, "trials": 10_000, "seed": 12345, "correction": "holm"}


@dataclass(repr=False)
class Comparison(RunOverTexts):
    """Comparison of several systems; the first is the baseline."""

    settings: str = field(default="", kw_only=True)
    """How intervals and p-values were computed."""
    groups: dict[str, Standings] = field(default_factory=dict, kw_only=True)
    """Standings by group of segments, if groups were requested (``by``)."""

    verdict: ComparisonVerdict = field(default_factory=ComparisonVerdict, kw_only=True)
    """Verdict of all metrics together on each system; ``result.verdict.sentence`` states it in words."""

    verb = "compare"

    def lead(self) -> str:
        return self.verdict.sentence

    @property
    def baseline(self) -> str:
        """The system against which the others are tested."""
        return next(iter(self.standings))

    def __len__(self) -> int:
        return self.run.segments[self.baseline]

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"baseline": ..., "systems": {SYSTEM: {METRIC: {...}}}}`` and the requested tables."""
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
        values: dict[str, Any] = {}
        made_of = self.components if standings is self.standings else {}
        for system, row in standings.items():
            values[system] = {
                name: {**asdict(standing), "signature": self.signatures[name]} for name, standing in row.items()
            }
            for name, standing in row.items():
                if self.run.partial(name) and standings is self.standings:
                    values[system][name]["n"] = self.run.count(system, name)
                if parts := made_of.get(system, {}).get(name):
                    values[system][name]["components"] = parts
                if standing.difference is not None:
                    values[system][name]["sentence"] = sentence(standing, self.metrics[name], system, self.baseline)
        return values

    def columns(self) -> Columns:
        """Return one row per system and metric."""
        return by_column(
            {"system": system, "metric": name, **_flat(standing)}
            for system, row in self.standings.items()
            for name, standing in row.items()
        )


def _flat(standing: Standing) -> dict[str, Any]:
    """Return the fields of a standing, with the number of pairs behind an agreement instead of the studies."""
    fields = {**asdict(standing), "people_agree_pairs": standing.agreement and standing.agreement.wmt23.pairs}
    del fields["agreement"]
    return fields


def compare(
    systems: Mapping[str, Texts] | None = None,
    references: References | None = None,
    *,
    metrics: Sequence[str | Metric] | None = None,
    baseline: str | None = None,
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
    **options: Unpack[CompareOptions],
) -> Comparison:
    """Compare systems on the same segments: scores, bootstrap intervals, and p-values against the baseline.

    Args:
        systems: The translations by system: ``{"online": texts, "ours": texts}``.
        references: Their references, as in `score`.
        metrics: Names with options, checkpoint paths, or Metric objects; by default as in `score`.
        baseline: The system to test against; by default the first.
        samples: Number of bootstrap resamples.
        trials: Number of trials of the randomization test; 0 omits the test.
        seed: Random seed for both; the same seed gives sacrebleu's p-values.
        correction: Correction for multiple comparisons: ``holm``, ``benjamini-hochberg``, ``bonferroni`` or ``none``.
        pairs: Add the table `pairs`: all pairs of systems, corrected together.
        by: Add the table `groups`: a column of `data` (``doc``, ``domain`` …), ``length``, or one label per segment.
        worst: Add the table `worst`: this many segments per system other than the baseline, with their texts.
        changed: Add the table `changed`: this many segments with the largest difference from the baseline.
        sort_by: The metric that selects those segments; by default the first.
        texts: Keep texts, names and error spans, for `Comparison.write` and `assay view`.
        options: The texts (`assay.verbs.shared.options.TextInputs`), threads and cache (`ScoringOptions`).

    Returns:
        The systems with their scores, differences and a verdict in words.

    Raises:
        InputError: The systems cannot be compared segment by segment, or an option is invalid.

    Example:
        >>> import assay
        >>> systems = {"base": ["a b c", "d e"], "ours": ["a b d", "d e f"]}
        >>> assay.compare(systems, ["a b d", "d e f"], metrics=["chrf"], samples=20, trials=20).baseline
        'base'
    """
    inputs, scoring = parted("compare", options, TextInputs, ScoringOptions)
    asked = request(references=references, systems=systems, metrics=metrics, by=by, rows=texts, **inputs)
    return compare_request(
        asked, baseline=baseline, pairs=pairs, by=by, worst=worst, changed=changed, sort_by=sort_by, texts=texts,
        fewest=1 if systems is not None else 2, samples=samples, trials=trials, seed=seed, correction=correction, **scoring,
    )  # fmt: skip


@recorded("compare", TESTS)
def compare_request(
    asked: TextRequest,
    *,
    baseline: str | None = None,
    pairs: bool = False,
    by: str | Sequence[str] | None = None,
    worst: int = 0,
    changed: int = 0,
    sort_by: str | None = None,
    texts: bool = False,
    flags: Flagging = "auto",
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
    fewest: int = 2,
    **tests: Unpack[TestOptions],
) -> Comparison:
    """Run `compare` for an existing request with at least `fewest` systems."""
    chosen: TestOptions = {**TESTS, **tests}
    check_choice(asked.metrics, sort_by, chosen["correction"])
    columns = (
        *(LABELS if asked.inputs.aligned else (*NAMES, *KEYS)),
        *(("groups",) if by is not None else ()),
        *(TEXTS if worst or changed else ()),
        *(("rows",) if texts else ()),
    )
    kept = Retained(stats=True, spans=texts, columns=tuple(dict.fromkeys(columns)), flags=flags)
    run = asked.run(kept, workers, store, progress)
    how = Testing(**chosen, agreements=agreements(run, asked))
    try:
        systems = _ordered(run, baseline, fewest)
        orders = pairing.paired_rows(run)
        stats = pairing.paired_stats(run, systems, orders)
        contests = how.contests(same_length(stats.of()), run.metrics)
        duels = comparison.against_baseline(contests, how.correction)
        standings = comparison.standings(contests, duels)
        result = Comparison(
            {}, run, standings, files=asked.inputs.paths, seed=how.seed, settings=how.settings,
            verdict=verdict_of(run, standings, orders),
        )  # fmt: skip
        tables = []
        if len(systems) > 1:
            tables.append(comparison_tables.differences(duels, run.metrics))
        if pairs and len(systems) > 1:
            every = comparison.all_pairs(contests, how.correction)
            notes = comparison_tables.mark_notes(every, how.correction, "the other", how.tests)
            tables.append(comparison_tables.differences(every, run.metrics, notes, all_pairs=True))
        if by is not None:
            table, result.groups = groups_of(run, systems, orders, stats, by if isinstance(by, str) else "group", how)
            tables.append(table)
        if worst or changed:
            tables += segment_tables(run, systems, orders, worst=worst, changed=changed, sort_by=sort_by)
    except BaseException:
        run.close()
        raise
    first = _first_table(
        result, comparison_tables.mark_notes(duels, how.correction, result.baseline, how.tests), bool(orders)
    )
    result.tables |= {table.name: table for table in (first, *tables)}
    result.add_components()
    return result


def _ordered(run: ScoredRun, baseline: str | None, fewest: int) -> list[str]:
    """Return the systems with the baseline first; reject too few systems or different numbers of segments."""
    systems = list(run.systems)
    if baseline is not None:
        if baseline not in systems:
            raise unknown("system", baseline, systems)
        systems.sort(key=lambda system: system != baseline)
    if len(systems) < fewest:
        raise InputError(
            "compare requires at least two systems. Specify several files with --mt, or a table with a system column."
        )
    unequal(run.segments)
    return systems


def _first_table(made: Comparison, marks: Sequence[str], reordered: bool) -> Table:
    """Return the system table with the notes below it."""
    run = made.run
    notes = [f"{count(len(made), 'segment')}{about_note(run)} · {made.settings}"]
    if reordered:
        notes.append("the systems' rows are in different orders and were paired by id, or by source and reference")
    if len(made.standings) > 1:
        notes += marks
    notes += comparison_tables.doubt_notes(made.standings, run.metrics, fewest_segments(run))
    notes += flag_notes(run.flagged())
    return comparison_tables.systems(made.standings, run.metrics, caption=made.verdict.sentence, notes=notes)


def check_choice(metrics: Mapping[str, Metric], sort_by: str | None, correction: str) -> None:
    """Reject unknown names before anything is scored."""
    if sort_by is not None and sort_by not in metrics:
        raise unknown("metric to sort by", sort_by, metrics)
    if correction not in CORRECTIONS:
        raise unknown("correction", correction, CORRECTIONS)
