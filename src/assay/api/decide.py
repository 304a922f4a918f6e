"""Decisions from Python: label new translations with a rule."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.api.rules import FittedRule, read_rule, unpromised
from assay.api.scoring import References, Texts, build_metrics, default_store, make_batch, signature
from assay.core.errors import InputError, unknown
from assay.core.table import Table, TableColumn
from assay.results import Shown

if TYPE_CHECKING:
    import polars

    from assay.core.metric import Metric, Scores
    from assay.decide.apply import Decisions
    from assay.decide.rule import Rule
    from assay.decide.tally import Tally

    AnyRule = Rule | FittedRule | str | os.PathLike[str]


@dataclass(repr=False)
class Decided(Shown):
    """Labels of new translations, and whether scores still lie as they did."""

    rule: Rule
    decisions: Decisions
    tally: Tally

    @property
    def labels(self) -> list[str]:
        """``use``, ``review`` or ``reject``, one a translation."""
        return self.decisions.labels

    @property
    def warnings(self) -> list[str]:
        """What a user should know before relying on the labels: missing promises, scores that have drifted."""
        return warnings(self.tally)

    def table(self) -> Table:
        """How many of each label, language by language."""
        return table(self.tally)

    def to_polars(self) -> polars.DataFrame:
        """One row a translation."""
        return frame(self.decisions)


def table(tally: Tally, notes: Sequence[str] = ()) -> Table:
    """How many of each label, language by language, with the promise and the warnings."""
    from assay.decide.apply import LABELS
    from assay.decide.rule import EVERY, OF_ALL

    rule, rows = tally.rule, []
    for name, found in tally.counts.items():
        group = rule.group(name)
        row = {"language": name or "not said", "limits": OF_ALL if group.name == EVERY else group.limits}
        rows.append(row | {"n": int(found.sum()), **dict(zip(LABELS, found.tolist(), strict=True))})
    columns = [
        TableColumn("language", hidden=len(rows) == 1),
        TableColumn("limits", hidden=len(rule.groups) == 1),
        TableColumn("n", kind="count"),
        *(TableColumn(label, kind="number", decimals=0) for label in LABELS),
    ]
    said = [f"promise: {rule.groups[EVERY].promise}", *notes, *warnings(tally)]
    return Table("decisions", columns, rows, rule.goal, tuple(said))


def warnings(tally: Tally) -> list[str]:
    """What a user should know before relying on the labels: missing promises, scores that have drifted."""
    from assay.decide.tally import has_drifted

    rule = tally.rule
    found = unpromised(rule, {name: int(counts.sum()) for name, counts in tally.counts.items()}, "translation")
    if rule.card.get("parts"):
        return found  # the rule knows worst parts only, to which single parts cannot be compared
    for name, drift in tally.drifts().items():
        if has_drifted(drift):
            found.append(
                f"⚠ scores have drifted ({name}: distance {drift.distance:.2f}, stability index {drift.stability_index:.2f} from "
                "those the rule was learned from): its promise may no longer hold"
            )
    return found


def frame(decisions: Decisions, first: int = 1) -> polars.DataFrame:
    """Decisions as rows, numbered from `first`."""
    import polars

    from assay.decide.apply import LABELS

    names, codes = decisions.languages
    return polars.DataFrame(
        {
            "segment": range(first, first + len(decisions)),
            "label": polars.Series(LABELS).gather(decisions.codes),
            "breakdown_probability": polars.Series(decisions.probabilities, nan_to_null=True),
            "language": polars.Series(names, dtype=polars.String).gather(codes),
            "reason": decisions.reasons,
        }
    )


def rule_metrics(rule: Rule) -> dict[str, Metric]:
    """The rule's metrics, ready to score; one whose identity has changed since is refused."""
    for member in rule.members:
        if member.source == "column":
            raise InputError(
                f"{member.name} comes from a column of ready scores, so that all of the rule's metrics must: "
                "assay.apply_scores(rule, scores), or learn a rule from columns alone (--score)."
            )
    built = build_metrics([member.name for member in rule.members])
    for member in rule.members:
        now = signature(built[member.name], 0)
        if now != member.signature:
            raise InputError(
                f"the rule was learned with {member.signature}, and {member.name} is now {now}: learn the rule again."
            )
    return built


def apply_rule(
    rule: AnyRule,
    hypotheses: Texts,
    references: References | None = None,
    sources: Texts | None = None,
    languages: Sequence[str] | str = "",
    *,
    workers: int | None = None,
    store: bool = True,
) -> Decided:
    """Label translations: use, review or reject. `languages` is the source's language, one for all or one each."""
    from assay.decide.apply import worst_spans
    from assay.engine.scoring import score

    made = _rule(rule)
    metrics = rule_metrics(made)
    kept = default_store() if store and any(metric.card.stored for metric in metrics.values()) else None
    batch = make_batch(hypotheses, references, sources)
    scored: dict[str, Scores] = {
        name: score(batch, metric, workers=workers, store=kept) for name, metric in metrics.items()
    }
    return _decided(made, {name: found.values for name, found in scored.items()}, languages, worst_spans(scored))


def apply_scores(rule: AnyRule, scores: Mapping[str, Any], languages: Sequence[str] | str = "") -> Decided:
    """Label by scores that are there already, one column for each of the rule's metrics."""
    import numpy as np

    made = _rule(rule)
    for member in made.members:
        if member.name not in scores:
            raise unknown("column of scores", member.name, scores)
    columns = {member.name: np.asarray(scores[member.name], np.float64) for member in made.members}
    return _decided(made, columns, languages, None)


def _rule(rule: AnyRule) -> Rule:
    from assay.decide.rule import Rule

    if isinstance(rule, FittedRule):
        return rule.rule
    return rule if isinstance(rule, Rule) else read_rule(rule)


def _decided(
    rule: Rule, scores: Mapping[str, Any], languages: Sequence[str] | str, marks: Sequence[str] | None
) -> Decided:
    from assay.decide.apply import decide
    from assay.decide.tally import Tally

    n = len(next(iter(scores.values())))
    if not isinstance(languages, str) and len(languages) != n:
        raise InputError(
            f"languages has {len(languages):,} values for {n:,} translations: give one for all, or one each."
        )
    decisions, tally = decide(rule, scores, languages, marks), Tally(rule)
    tally.add(decisions)
    return Decided(rule, decisions, tally)
