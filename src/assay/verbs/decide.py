"""``assay decide``: rules that label translations use, review or reject, learned from outcomes and stored as JSON."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias, Unpack, overload

import numpy as np

from assay.core.columns import Columns, joined
from assay.core.errors import InputError, unknown
from assay.core.flags import flag_notes
from assay.core.metric import Metric
from assay.core.outcomes import TaskOutcomes
from assay.core.rows import row_objects
from assay.core.trust import check_spec
from assay.decide.apply import LanguageCodes, Tally, decide, label_chunks, retained
from assay.decide.evaluation import evaluate_rule, split_examples
from assay.decide.fit import fit, setting_limits
from assay.decide.goals import parse_goal
from assay.decide.rule import EVERY, Member, Rule
from assay.decide.tables import labels_columns, labels_table, rule_table, totals, warnings
from assay.engine.outcomes import check_references, measure_outcomes, precomputed_scores
from assay.engine.store import Store
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write
from assay.io.scores.precomputed import read_precomputed_scores
from assay.metrics import METRICS, build_metrics
from assay.report.scores import add_columns
from assay.verbs.result import Result
from assay.verbs.shared.defaults import without_reference
from assay.verbs.shared.options import (
    CorpusOptions,
    RowChoice,
    ScoreOptions,
    ScoringOptions,
    TextInputs,
    need_folder,
    parted,
    refuse_with_folder,
)
from assay.verbs.shared.outcomes import OutcomeInputs, read_outcomes
from assay.verbs.shared.request import TextRequest, request, table_among
from assay.verbs.shared.selection import Selection
from assay.verbs.shared.view_decisions import QualityValues, view_of_labels, view_of_rule

if TYPE_CHECKING:
    from assay.core.chunk import Flagging
    from assay.core.suite import Measured
    from assay.core.view_data import ViewData
    from assay.decide.apply import Decisions
    from assay.decide.goals import Goal
    from assay.engine.arguments import References, Texts
    from assay.engine.manifest import Manifest
    from assay.engine.scored_run import RowsDone, ScoredRun
    from assay.verbs.decide_corpus import LabelledCorpus

    AnyRule: TypeAlias = "Rule | FittedRule | str | os.PathLike[str]"


class Learned(NamedTuple):
    """Data from which a rule was learned: goal, examples with scores, and their use (learning, thresholds, testing)."""

    goal: Goal
    outcomes: TaskOutcomes
    measured: Sequence[Measured]
    teach: Any
    held: Any
    test: Any


def labelled_columns(decisions: Decisions, first: int, scores: Collection[str], notes: list[str]) -> Columns:
    """Return decision rows: input columns, labels, computed `scores`, and flags.

    An input column named `language` is kept. Rows without any columns are numbered from `first`.
    """
    rows = decisions.rows
    own = {"segment": range(first, first + len(decisions))} if rows is None else rows.columns
    added = {
        name: column
        for name, column in labels_columns(decisions).items()
        if (name not in decisions.scores or name in scores) and not (name == "language" and name in own)
    }
    return add_columns(own, added, notes, nested=bool(scores))


@dataclass(repr=False)
class FittedRule(Result):
    """A rule with its card."""

    rule: Rule
    learned: Learned | None = field(default=None, kw_only=True)
    """What the rule was learned from and tested on; None for a rule read from a file."""

    verb: ClassVar[str] = "decide fit"
    headline: ClassVar[str] = "rule"

    def heading(self) -> str:
        return f"Rule: {self.rule.goal}"

    def lead(self) -> str:
        """Return the guarantee of the rule."""
        return self.rule.groups[EVERY].promise

    def viewed(self) -> ViewData | None:
        """Return the examples with their labels, and the rule's effect at other thresholds."""
        if self.learned is None:
            return None

        return view_of_rule(self.rule, *self.learned)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """Write the rule as JSON, atomically."""
        with atomic_write(path, "w", typed=True) as stream:
            json.dump(self.rule.to_dict(), stream, ensure_ascii=False, indent=1, allow_nan=False)
            stream.write("\n")
        return Path(path)

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """Write the rule to a file if the path ends in ``.json``, otherwise to rule.json in a run directory."""
        if Path(folder).suffix == ".json":
            return self.save(folder)
        path = super().write(folder, figures)
        self.save(path / "rule.json")
        return path


@dataclass(repr=False)
class Decided(Result):
    """Labels for new translations: use, review or reject. They are computed chunk by chunk when first read."""

    rule: Rule
    source: Callable[[], Iterator[Decisions]]
    """Returns the decisions about each chunk; it may be called again."""
    run: ScoredRun | None = field(default=None, kw_only=True)
    """Scores behind the labels; None if they were given."""
    scores: Sequence[str] = field(default=(), kw_only=True)
    """Scores to add to the rows; those of a table are among its columns."""
    selection: Selection = field(default_factory=Selection, kw_only=True)
    """Which rows `parts` returns."""
    _tally: Tally | None = field(default=None, kw_only=True)

    verb: ClassVar[str] = "decide apply"
    headline: ClassVar[str] = "decisions"

    def __post_init__(self) -> None:
        if self.run is not None:
            self.signatures, self.notes, self.alerts = (
                self.run.signatures,
                list(self.run.notices),
                list(self.run.alerts),
            )

    def heading(self) -> str:
        return f"Labels: {self.rule.goal}"

    def decisions(self) -> Iterator[Decisions]:
        """Return the decisions for each chunk; the first call counts them."""
        if self._tally is not None:
            yield from self.source()
            return
        tally = Tally(self.rule)
        for part in self.source():
            tally.add(part)
            yield part
        self._tally = tally
        self.tables["decisions"] = labels_table(tally, flag_notes(self.system_flags))

    @property
    def tally(self) -> Tally:
        """Counts of all labels."""
        if self._tally is None:
            for _ in self.decisions():
                pass
        assert self._tally is not None
        return self._tally

    def viewed(self) -> ViewData:
        """Return every translation with its label, and the number used at other thresholds."""
        seen = QualityValues()
        for part in self.decisions():
            seen.add(part)
        return view_of_labels(self.rule, self.source(), seen)

    @property
    def labels(self) -> list[str]:
        """``use``, ``review`` or ``reject``, one per translation."""
        return [label for part in self.decisions() for label in part.labels]

    @property
    def warnings(self) -> list[str]:
        """What to know before relying on the labels: missing guarantees, scores that have drifted."""
        return warnings(self.tally)

    @property
    def totals(self) -> str:
        """Number of translations in total and per label."""
        return totals(self.tally)

    @property
    def system_flags(self) -> dict[str, dict[str, int]]:
        """Number of translations with each flag, by system."""
        return {} if self.run is None else self.run.flagged()

    @property
    def flags(self) -> dict[str, int]:
        """Number of translations with each flag: empty, truncated …"""
        return {} if self.run is None else self.run.flags

    def parts(self) -> Iterator[Columns]:
        """Return the selected rows of each chunk as columns: input columns, label, probability, reason, scores, flags."""
        renamed: list[str] = []
        first = 1
        for part in self.decisions():
            columns = labelled_columns(part, first, self.scores, renamed)
            first += len(part)
            yield self.selection.of_columns(columns)
        self.notes += renamed

    def columns(self) -> Columns:
        """Return one row per translation, as in `parts`."""
        return joined(list(self.parts()))

    scores_columns = columns

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"goal": ..., "segments": [...], "counts": {...}, "warnings": [...]}``."""
        segments = row_objects(self.columns(), self.scores)
        return {"goal": self.rule.goal, "segments": segments, "counts": self.tally.shares(), "warnings": self.warnings}

    def manifest(self) -> Manifest:
        manifest = super().manifest()
        if self.run is None:
            return manifest
        return replace(
            manifest, data_hash=self.run.data_hash, chunks_reused=self.run.reused, chunks_scored=self.run.scored
        )

    def sizes(self) -> Mapping[str, int]:
        return self.run.segments if self.run is not None else {"segments": len(self.tally)}

    def __enter__(self) -> Decided:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        """Delete the run's progress file, unless an error occurred, so that the run can resume."""
        if self.run is not None and kind is None:
            self.run.finish()
        elif self.run is not None:
            self.run.close()


def fit_rule(
    data: str | os.PathLike[str] | TaskOutcomes,
    metrics: Sequence[str | Metric] | None = None,
    goal: str = "catch 95%",
    *,
    scores: Sequence[str] = (),
    confidence: float = 0.9,
    reject_at: float = 0.5,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
    **options: Unpack[OutcomeInputs],
) -> FittedRule:
    """Learn a rule for a goal from translations whose outcome is known.

    If the outcomes have a development and a test split, the rule is learned from the former, and its card reports its
    performance on the latter. Otherwise, all examples are used for learning.

    Args:
        data: An outcome table, as for `breakdown`, or TaskOutcomes.
        metrics: Names with options or Metric objects; several metrics are blended. The default is chrF if there are
        references, else assay-mini.
        goal: ``catch 95%``, ``at most 2% bad``, ``lose at most 5%``, or ``cost use-bad=10 review=1 reject-good=4``.
        scores: Columns of `data` with precomputed scores (``comet``, or ``ter:lower`` if lower is better).
        confidence: Confidence level for the goal ``at most …``.
        reject_at: Reject unused translations whose breakdown probability is at least this value.
        seed: Random seed for `dev_share` and for the split that sets the thresholds.
        workers: Number of threads, by default one per core.
        store: Whether to look up and cache the scores of slow metrics.
        options: Options for reading outcomes (`assay.verbs.shared.outcomes.OutcomeInputs`).

    Returns:
        The rule with its card.

    Raises:
        InputError: The goal, the outcomes or the scores are invalid.

    Example:
        >>> import assay
        >>> from assay.core.outcomes import TaskOutcomes
        >>> batch = assay.Batch(["x"] * 60)
        >>> scores = {"mine": [*range(20), *range(40, 80)]}
        >>> outcomes = TaskOutcomes.single(batch, [False] * 20 + [True] * 40, ["es"] * 60, [""] * 60, scores=scores)
        >>> assay.fit_rule(outcomes, goal="catch 90%", scores=["mine"]).rule.goal
        'catch 90% of breakdowns'
    """
    wanted = parse_goal(goal, confidence)
    if not 0 < reject_at <= 1:
        raise InputError(f"reject_at must be a probability greater than 0, not {reject_at:g}.")
    read: list[str] = []
    outcomes = read_outcomes(data, options, read, scores=scores, seed=seed, need_split=False)
    if metrics is None:
        metrics = [] if scores else ["chrf"] if outcomes.has_references else without_reference()
    built = build_metrics(metrics) if metrics else {}
    measured = _measured(outcomes, built, scores, workers, store)
    values: dict[str, Any] = {one.name: one.values for one in measured}
    teach, test = split_examples(outcomes)
    card: dict[str, Any] = {"data": "outcomes" if isinstance(data, TaskOutcomes) else Path(data).name, "seed": seed}
    if (judge := options.get("judge")) is not None:
        card["judge"] = judge if isinstance(judge, str) else getattr(judge, "__qualname__", type(judge).__qualname__)
    if options.get("success_at") is not None:
        card["success_at"] = options["success_at"]
    if len(outcomes.batch) > len(outcomes):
        card["parts"] = "an example counts as its worst part. Use it if all parts are labelled use"
    rule = fit(
        [Member.of(one, built[one.name].signed(0) if one.name in built else "") for one in measured],
        {name: column[teach] for name, column in values.items()},
        outcomes.worth[teach],
        [outcomes.languages[i] for i in teach.nonzero()[0].tolist()],
        wanted,
        reject_at=reject_at,
        seed=seed,
        card=card,
    )
    if test.any():
        rule = replace(rule, card={**rule.card, "checked": evaluate_rule(rule, values, outcomes, test)})
    result = fitted(rule)
    result.notes += read
    result.learned = Learned(wanted, outcomes, measured, teach, _held(rule, values, outcomes, teach, seed), test)
    return result


def _held(rule: Rule, values: Mapping[str, Any], outcomes: TaskOutcomes, teach: Any, seed: int) -> Any:
    """Return which examples set the thresholds."""
    held = teach.copy()
    qualities = rule.qualities({name: column[teach] for name, column in values.items()})
    held[teach] = setting_limits(qualities, outcomes.worth[teach], seed)
    return held


def fitted(rule: Rule) -> FittedRule:
    """Return a rule as a result, with its table."""
    signatures = {member.name: member.signature for member in rule.members if member.signature}
    return FittedRule({"rule": rule_table(rule)}, rule, signatures=signatures)


def _measured(
    outcomes: TaskOutcomes, built: Mapping[str, Metric], scores: Sequence[str], workers: int | None, store: bool
) -> list[Measured]:
    check_references(outcomes, built)
    brought = precomputed_scores(outcomes, scores, built)
    kept = Store.for_metrics(built, store)
    measured, _, _ = measure_outcomes(replace(outcomes, back=None), built, workers=workers, store=kept)
    if not measured and not brought:
        raise InputError("no metric is specified. Use -m chrf, or --score COLUMN.")
    return [*measured, *brought]


def read_rule(path: str | os.PathLike[str]) -> Rule:
    """Read a rule from its JSON file."""
    if not Path(path).exists():
        raise InputError(f"{path} does not exist. Create it with: assay decide fit --out {path}")
    read = read_document(path, said="is not a rule", remedy="Create a rule with assay decide fit.")
    return Rule.from_dict(read, str(path))


@overload
def apply_rule(
    rule: AnyRule,
    hypotheses: Texts | None = None,
    references: References | None = None,
    *,
    languages: Sequence[str] | str = "",
    scores: Mapping[str, Any] | None = None,
    texts: bool = False,
    trust: bool = False,
    out: None = None,
    **options: Unpack[ScoreOptions],
) -> Decided: ...
@overload
def apply_rule(
    rule: AnyRule,
    *,
    languages: str = "",
    trust: bool = False,
    out: str | os.PathLike[str],
    **options: Unpack[ScoreOptions],
) -> LabelledCorpus: ...
def apply_rule(
    rule: AnyRule,
    hypotheses: Texts | None = None,
    references: References | None = None,
    *,
    languages: Sequence[str] | str = "",
    scores: Mapping[str, Any] | None = None,
    texts: bool = False,
    trust: bool = False,
    out: str | os.PathLike[str] | None = None,
    **options: Unpack[ScoreOptions],
) -> Decided | LabelledCorpus:
    """Label translations: use, review or reject.

    A rule that was learned from score columns reads these columns from `scores` or from the table `data`. Any other rule
    scores the translations with its metrics.

    Args:
        rule: A result of `fit_rule`, or the path to its JSON file.
        hypotheses: The translations.
        references: Their references, as in `score`.
        languages: The source language: one for all translations, or one for each. By default, it is taken from the language
        pairs of the texts.
        scores: Precomputed scores, one column for each of the rule's metrics.
        texts: Keep all input columns in the rows.
        trust: Let a rule from a file name ``module:name`` and checkpoint paths.
        out: Output folder for a corpus in many files, as in `score`.
        options: The texts, threads and cache, the choice of rows (`keep` only), and for a corpus its workers, as in `score`.

    Returns:
        The labels: `Decided`, or `LabelledCorpus` if `out` is specified.

    Raises:
        InputError: The rule or the texts are invalid, or a metric of the rule has changed.

    Example:
        >>> import assay
        >>> from assay.core.outcomes import TaskOutcomes
        >>> batch = assay.Batch(["x"] * 60)
        >>> scores = {"mine": [*range(20), *range(40, 80)]}
        >>> outcomes = TaskOutcomes.single(batch, [False] * 20 + [True] * 40, ["es"] * 60, [""] * 60, scores=scores)
        >>> rule = assay.fit_rule(outcomes, goal="catch 90%", scores=["mine"])
        >>> assay.apply_rule(rule, scores={"mine": [2.0, 70.0]}, languages="es").labels
        ['reject', 'use']
    """
    inputs, scoring, rows, corpus = parted("apply_rule", options, TextInputs, ScoringOptions, RowChoice, CorpusOptions)
    read = plain_rule(rule)
    where = os.fspath(rule) if isinstance(rule, (str, os.PathLike)) else "the rule"
    for name in ("dedup", "sample", "sample_by"):
        if rows.pop(name, None) is not None:
            raise InputError(f"{name} does not apply to labels. Select rows with keep, such as \"label == 'use'\".")
    trusted = trust or isinstance(rule, FittedRule)
    if out is not None:
        lists = {"hypotheses": hypotheses, "references": references, "scores": scores, "texts": texts}
        refuse_with_folder({**lists, **{name: inputs.get(name) for name in ("sources", "testset", "data_dir")}})
        if not isinstance(languages, str):
            raise InputError(
                "languages must be a single language for a corpus. Omit it to use the language of each row."
            )
        metrics = {} if by_given_scores(read) else rule_metrics(read, where, trust=trusted)
        from assay.verbs.decide_corpus import label_corpus

        return label_corpus(read, metrics, out, options, language=languages)
    need_folder(corpus)
    asked = None
    if scores is None and not by_given_scores(read):
        built = rule_metrics(read, where, trust=trusted)
        asked = request(hypotheses, references, metrics=built, rows=texts or any(rows.values()), **inputs)
    files = [where] if isinstance(rule, (str, os.PathLike)) else []
    result = (
        label_request(read, asked, inputs, languages, texts=texts, files=files, **scoring, **rows)
        if scores is None
        else _by_columns(read, scores, languages)
    )
    assert result.tally is not None  # counts the labels
    return result


def _by_columns(rule: Rule, scores: Mapping[str, Any], languages: Sequence[str] | str) -> Decided:
    """Label translations from scores in memory."""
    for member in rule.members:
        if member.name not in scores:
            raise unknown("column of scores", member.name, scores)
    columns = {member.name: np.asarray(scores[member.name], np.float64) for member in rule.members}
    decisions = decide(rule, columns, languages)
    return Decided({}, rule, lambda: iter([decisions]), scores=list(columns))


def by_given_scores(rule: Rule) -> bool:
    """Whether a rule reads all its scores from input columns."""
    return all(member.source == "column" for member in rule.members)


def label_request(
    rule: Rule,
    asked: TextRequest | None,
    inputs: Mapping[str, Any],
    languages: Sequence[str] | str = "",
    *,
    texts: bool = False,
    files: Sequence[str] = (),
    flags: Flagging = "auto",
    workers: int | None = None,
    store: bool = True,
    progress: RowsDone | None = None,
    keep: str | None = None,
) -> Decided:
    """Label the texts of a request or, without one, the rows of a table in `inputs` that contains the rule's scores."""
    selection = Selection(keep)
    if asked is None:
        data = inputs.get("data") or table_among(inputs.get("mt", ()))
        if data is None:
            columns = ", ".join(member.name for member in rule.members)
            raise InputError(
                f"the rule uses precomputed scores. Specify a table that contains them: --data FILE ({columns})."
            )
        notes: list[str] = []

        def given() -> Iterator[Decisions]:
            return _given_scores(rule, str(data), inputs, notes, languages)

        return Decided({}, rule, given, selection=selection, notes=notes, files=[str(data), *files])
    run = asked.run(retained(flags, texts=texts or keep is not None), workers, store, progress)
    if not isinstance(languages, str):
        LanguageCodes.of(languages, len(run))  # rejects a wrong number of languages

    def scored() -> Iterator[Decisions]:
        return label_chunks(rule, run.chunks(), languages, flags=flags != "none")

    names = [member.name for member in rule.members]
    return Decided({}, rule, scored, run=run, scores=names, selection=selection, files=[*asked.inputs.paths, *files])


def _given_scores(
    rule: Rule, data: str, inputs: Mapping[str, Any], notes: list[str], languages: Sequence[str] | str
) -> Iterator[Decisions]:
    """Return decisions, in blocks, for the rows of a table that contains a rule's scores."""
    names, empty = [member.name for member in rule.members], True
    quoting, reader_notes = inputs.get("quoting", "auto"), list[str]()
    for scores, own, rows in read_precomputed_scores(
        data, names, inputs.get("columns"), quoting=quoting, notes=reader_notes
    ):
        yield replace(decide(rule, scores, languages or own), rows=rows)
        empty = False
    notes[:] = [*notes, *(note for note in reader_notes if note not in notes)]
    if empty:
        raise InputError(f"{data} contains no rows to label.")


def rule_metrics(rule: Rule, where: str, *, trust: bool = False) -> dict[str, Metric]:
    """Build the metrics of a rule read from `where`; reject a metric whose signature has changed.

    A metric that depends on the target language is used as the rule was learned.
    """
    for member in rule.members:
        if member.source == "column":
            raise InputError(
                f"{member.name} is a column of precomputed scores, so all metrics of the rule must be columns too. Use "
                "assay.apply_rule(rule, scores=...), or learn a rule from columns only (--score)."
            )
    built = build_metrics([check_spec(METRICS, member.name, where, trust=trust) for member in rule.members])
    for member in rule.members:
        now = built[member.name].signed(0)
        if now != member.signature:
            raise InputError(
                f"the rule was learned with {member.signature}, and {member.name} is now {now}. Learn the rule again."
            )
    return {name: metric.for_language("") for name, metric in built.items()}


def plain_rule(rule: AnyRule) -> Rule:
    """Return the rule, reading it from a file if a path is specified."""
    if isinstance(rule, (str, os.PathLike)):
        return read_rule(rule)
    return rule.rule if isinstance(rule, FittedRule) else rule
