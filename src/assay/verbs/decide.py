"""When to use, review or reject a translation: learn a rule from outcomes, keep it as JSON, label new translations with it."""

from __future__ import annotations

import json
import os
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, NamedTuple, TypeAlias

from assay.core.columns import Columns
from assay.core.errors import InputError, unknown
from assay.core.flags import flag_notes
from assay.core.metric import Metric, Scores
from assay.core.outcomes import TaskOutcomes
from assay.core.rows import joined_rows, row_objects
from assay.core.task import Judge
from assay.core.trust import admit
from assay.decide.apply import Spoken, Tally, decide, label, label_chunks, retained
from assay.decide.fit import fit, setting_limits
from assay.decide.goals import parse_goal
from assay.decide.rule import EVERY, Member, Rule
from assay.decide.tables import labels_columns, labels_table, rule_table, warnings
from assay.decide.trial import parts, tried
from assay.engine.outcomes import check_references, load_outcomes, measure_outcomes, ready_scores
from assay.engine.store import Store
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write
from assay.io.scores.ready import read_ready_scores
from assay.metrics import METRICS, build_metrics
from assay.report.scores import with_added
from assay.verbs.breakdown import judge_outcomes
from assay.verbs.defaults import without_reference
from assay.verbs.result import Result
from assay.verbs.shared.request import request
from assay.verbs.viewed_decisions import SeenQualities, viewed_labels, viewed_rule

if TYPE_CHECKING:
    from assay.core.batch import EmptyReference
    from assay.core.chunk import Flagging
    from assay.core.suite import Measured
    from assay.core.view_data import ViewData
    from assay.decide.apply import Decisions
    from assay.decide.goals import Goal
    from assay.engine.arguments import References, Texts
    from assay.io.table.open_table import Quoting

    AnyRule: TypeAlias = "Rule | FittedRule | str | os.PathLike[str]"


class Learned(NamedTuple):
    """What a rule was learned from: the goal, the examples with their scores, and which of them teach, set limits and test."""

    goal: Goal
    outcomes: TaskOutcomes
    measured: Sequence[Measured]
    teach: Any
    held: Any
    test: Any


def labelled_columns(decisions: Decisions, first: int, scores: Collection[str], notes: list[str]) -> Columns:
    """The rows of decisions: the columns of the input, then labels, the `scores` that were computed, and flags.

    A column `language` of the input stays as it is. Rows of which nothing else is known are numbered from `first`.
    """
    rows = decisions.rows
    own = {"segment": range(first, first + len(decisions))} if rows is None else rows.columns
    added = {
        name: column
        for name, column in labels_columns(decisions).items()
        if (name not in decisions.scores or name in scores) and not (name == "language" and name in own)
    }
    return with_added(own, added, notes, nested=bool(scores))


@dataclass(repr=False)
class FittedRule(Result):
    """A rule with its card."""

    rule: Rule
    learned: Learned | None = field(default=None, kw_only=True)
    """What it was learned from and tried on; None for a rule that was read."""

    verb: ClassVar[str] = "decide fit"
    headline: ClassVar[str] = "rule"

    def heading(self) -> str:
        """What the rule is for."""
        return f"Rule: {self.rule.goal}"

    def lead(self) -> str:
        """What it promises."""
        return self.rule.groups[EVERY].promise

    def viewed(self) -> ViewData | None:
        """The examples with their labels, and what the rule would do at other limits."""
        if self.learned is None:
            return None

        return viewed_rule(self.rule, *self.learned)

    def save(self, path: str | os.PathLike[str]) -> Path:
        """The rule as JSON, whole or not at all."""
        with atomic_write(path, "w", typed=True) as stream:
            json.dump(self.rule.to_dict(), stream, ensure_ascii=False, indent=1, allow_nan=False)
            stream.write("\n")
        return Path(path)

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """The rule as a file where the path ends in ``.json``; else a run directory with rule.json in it."""
        if Path(folder).suffix == ".json":
            return self.save(folder)
        path = super().write(folder, figures)
        self.save(path / "rule.json")
        return path


@dataclass(repr=False)
class Decided(Result):
    """Labels of new translations, and whether scores still lie as they did."""

    rule: Rule
    decisions: Decisions
    tally: Tally
    flags: dict[str, int] = field(default_factory=dict)
    """How many translations a reader should know about: empty ones, truncated ones …"""

    verb: ClassVar[str] = "decide apply"
    headline: ClassVar[str] = "decisions"

    def heading(self) -> str:
        """What the labels are for."""
        return f"Labels: {self.rule.goal}"

    def viewed(self) -> ViewData:
        """Every translation with its label, and how many would be used at other limits."""
        seen = SeenQualities()
        seen.add(self.decisions)
        return viewed_labels(self.rule, [self.decisions], seen)

    @property
    def labels(self) -> list[str]:
        """``use``, ``review`` or ``reject``, one a translation."""
        return self.decisions.labels

    @property
    def warnings(self) -> list[str]:
        """What a user should know before relying on the labels: missing promises, scores that have drifted."""
        return warnings(self.tally)

    def columns(self) -> Columns:
        """One row a translation: what is known of it, label, probability and reason, scores and flags."""
        return labelled_columns(self.decisions, 1, self.decisions.scores, [])

    scores_columns = columns

    def to_dict(self) -> dict[str, Any]:
        """``{"goal": ..., "segments": [...], "counts": {...}, "warnings": [...]}``."""
        about = {"counts": self.tally.shares(), "warnings": self.warnings}
        segments = row_objects(self.columns(), self.decisions.scores)
        return {"goal": self.rule.goal, "segments": segments, **about}


def fit_rule(
    data: str | os.PathLike[str] | TaskOutcomes,
    metrics: Sequence[str | Metric] | None = None,
    goal: str = "catch 95%",
    *,
    scores: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    quoting: Quoting = "auto",
    langs: Sequence[str] = (),
    dev_share: float | None = None,
    success_at: float | None = None,
    judge: str | Judge | None = None,
    judged: str | os.PathLike[str] | None = None,
    confidence: float = 0.9,
    reject_at: float = 0.5,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
) -> FittedRule:
    """Learn a rule for a goal (``catch 95%``, ``at most 2% bad``, ``lose at most 5%``, ``cost use-bad=10 review=1
    reject-good=4``).

    `data` is a table of outcomes, as for `breakdown`, or TaskOutcomes; `columns` says which columns of the table to
    take where the names differ, `quoting` how quotation marks in a TSV are read. Where the outcomes have a development
    and a test part, the rule is learned from the first and its card says how it does on the second; otherwise all
    examples teach. `dev_share` draws these parts anew with `seed`. `success_at`, `judge` and `judged` are as for `breakdown`.
    `metrics` are names with options or Metric objects
    (default: chrF where there are references, assay-mini where there are none), `scores` columns with ready scores
    (``comet``, or ``ter:lower``); several are blended. `langs` keeps some languages only. `confidence` is that of ``at
    most …``. What is not used is rejected from the breakdown probability `reject_at` on. `workers` is the number of threads
    (default: all cores). ``store=False`` neither looks up nor keeps the results of slow metrics.
    """
    wanted = parse_goal(goal, confidence)
    if not 0 < reject_at <= 1:
        raise InputError(f"reject_at must be a probability above 0, not {reject_at:g}.")
    read: list[str] = []
    outcomes = load_outcomes(
        data, columns=columns, quoting=quoting, notes=read, scores=scores, langs=langs, dev_share=dev_share, seed=seed,
        need_split=False, success_at=success_at, judged=judge_outcomes(data, judge, judged, columns, quoting, read),
    )  # fmt: skip
    if metrics is None:
        metrics = [] if scores else ["chrf"] if outcomes.has_references else without_reference()
    built = build_metrics(metrics) if metrics else {}
    measured = _measured(outcomes, built, scores, workers, store)
    values: dict[str, Any] = {one.name: one.values for one in measured}
    teach, test = parts(outcomes)
    card: dict[str, Any] = {"data": "outcomes" if isinstance(data, TaskOutcomes) else Path(data).name, "seed": seed}
    if judge is not None:
        card["judge"] = judge if isinstance(judge, str) else getattr(judge, "__qualname__", type(judge).__qualname__)
    if success_at is not None:
        card["success_at"] = success_at
    if len(outcomes.batch) > len(outcomes):
        card["parts"] = "an example is judged by its worst part: use it where every part is labelled use"
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
        rule = replace(rule, card={**rule.card, "checked": tried(rule, values, outcomes, test)})
    made = fitted(rule)
    made.notes += read
    made.learned = Learned(wanted, outcomes, measured, teach, _held(rule, values, outcomes, teach, seed), test)
    return made


def _held(rule: Rule, values: Mapping[str, Any], outcomes: TaskOutcomes, teach: Any, seed: int) -> Any:
    """Which examples set the limits, over all examples."""
    held = teach.copy()
    qualities = rule.qualities({name: column[teach] for name, column in values.items()})
    held[teach] = setting_limits(qualities, outcomes.worth[teach], seed)
    return held


def fitted(rule: Rule) -> FittedRule:
    """A rule as a result, with its table."""
    signatures = {member.name: member.signature for member in rule.members if member.signature}
    return FittedRule({"rule": rule_table(rule)}, rule, signatures=signatures)


def _measured(
    outcomes: TaskOutcomes, built: Mapping[str, Metric], scores: Sequence[str], workers: int | None, store: bool
) -> list[Measured]:
    check_references(outcomes, built)
    brought = ready_scores(outcomes, scores, built)
    kept = Store.for_metrics(built, store)
    measured, _, _ = measure_outcomes(replace(outcomes, back=None), built, workers=workers, store=kept)
    if not measured and not brought:
        raise InputError("no metric was asked for (-m chrf, or --score COLUMN).")
    return [*measured, *brought]


def read_rule(path: str | os.PathLike[str]) -> Rule:
    """A rule from its JSON file."""
    if not Path(path).exists():
        raise InputError(f"there is no file {path}. assay decide fit --out {path} makes it.")
    read = read_document(path, said="cannot be read as a rule", remedy="assay decide fit makes one.")
    return Rule.from_dict(read, str(path))


def apply_rule(
    rule: AnyRule,
    hypotheses: Texts,
    references: References | None = None,
    *,
    sources: Texts | None = None,
    languages: Sequence[str] | str = "",
    empty_reference: EmptyReference | None = None,
    texts: bool = False,
    flags: Flagging = "auto",
    workers: int | None = None,
    store: bool = True,
    trust: bool = False,
) -> Decided:
    """Label translations: use, review or reject.

    `rule` is what `fit_rule` gave, or the path of its JSON. `hypotheses`, `references` and `sources` are as for `score`.
    `languages` is the source's language, one for all or one each. `texts` keeps the texts in the rows, `flags` and
    `empty_reference` are as for `score`; a translation without a score goes to review.
    `workers` is the number of threads (default: all cores).
    ``store=False`` neither looks up nor keeps the results of slow metrics. ``trust=True`` lets a rule from a file name
    ``module:name`` and the path of a checkpoint.
    """
    read = plain_rule(rule)
    where = os.fspath(rule) if isinstance(rule, (str, os.PathLike)) else "the rule"
    metrics = rule_metrics(read, where, trust=trust or isinstance(rule, FittedRule))
    asked = request(hypotheses, references, sources=sources, metrics=metrics, empty_reference=empty_reference)
    spoken = Spoken.of(languages, asked.rows or 0)
    run = asked.run(retained(flags, texts=texts), workers, store, None)
    scored = {name: Scores.concat(list(run.scores("", name))) for name in run.metrics}
    parts = list(label_chunks(read, run.chunks(), flags=flags != "none"))
    rows = joined_rows([part.rows for part in parts if part.rows is not None])
    raised = None if flags == "none" else [row for part in parts for row in part.flags or ()]
    made = _decided(read, replace(label(read, scored, spoken), rows=rows, flags=raised), run.flags, run.notices)
    made.alerts = run.alerts
    return made


def apply_scores(rule: AnyRule, scores: Mapping[str, Any], *, languages: Sequence[str] | str = "") -> Decided:
    """Label by scores that are there already.

    `rule` is what `fit_rule` gave, or the path of its JSON. `scores` has a column for each of the rule's metrics.
    `languages` is the source's language, one for all or one each.
    """
    import numpy as np

    read = plain_rule(rule)
    for member in read.members:
        if member.name not in scores:
            raise unknown("column of scores", member.name, scores)
    columns = {member.name: np.asarray(scores[member.name], np.float64) for member in read.members}
    return _decided(read, decide(read, columns, languages))


def label_ready_scores(
    rule: Rule,
    data: str,
    *,
    columns: Mapping[str, str] | None = None,
    quoting: Quoting = "auto",
    notes: list[str] | None = None,
    language: str = "",
) -> Iterator[Decisions]:
    """Decisions about the rows of a table that brings the scores the rule was learned from, some rows at a time.

    `columns` says which columns to take where the names differ, `quoting` how quotation marks are read (told in
    `notes`); `language` is that of every row (default: the table's).
    """
    names, empty = [member.name for member in rule.members], True
    for scores, languages, rows in read_ready_scores(data, names, columns, quoting=quoting, notes=notes):
        yield replace(decide(rule, scores, language or languages), rows=rows)
        empty = False
    if empty:
        raise InputError(f"{data} is empty: there is nothing to label.")


def rule_metrics(rule: Rule, where: str, *, trust: bool = False) -> dict[str, Metric]:
    """The metrics of a rule that was read from `where`, ready to score; one whose identity has changed since is refused.

    One that goes by the target language stays what the rule was learned with.
    """
    for member in rule.members:
        if member.source == "column":
            raise InputError(
                f"{member.name} comes from a column of ready scores, so that all of the rule's metrics must: "
                "assay.apply_scores(rule, scores), or learn a rule from columns alone (--score)."
            )
    built = build_metrics([admit(METRICS, member.name, where, trust=trust) for member in rule.members])
    for member in rule.members:
        now = built[member.name].signed(0)
        if now != member.signature:
            raise InputError(
                f"the rule was learned with {member.signature}, and {member.name} is now {now}: learn the rule again."
            )
    return {name: metric.for_language("") for name, metric in built.items()}


def plain_rule(rule: AnyRule) -> Rule:
    """The rule itself, read where it is a path."""
    if isinstance(rule, (str, os.PathLike)):
        return read_rule(rule)
    return rule.rule if isinstance(rule, FittedRule) else rule


def _decided(
    rule: Rule, decisions: Decisions, flags: Mapping[str, int] | None = None, notices: Sequence[str] = ()
) -> Decided:
    tally, raised = Tally(rule), dict(flags or {})
    tally.add(decisions)
    table = labels_table(tally, flag_notes({"": raised}))
    return Decided({table.name: table}, rule, decisions, tally, raised, notes=list(notices))
