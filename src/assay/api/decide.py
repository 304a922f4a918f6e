"""Decisions from Python: learn a rule from outcomes, keep it as JSON, label new translations with it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.api.outcomes import load, measure, ready
from assay.api.scoring import References, Texts, Wanted, build_metrics, default_store, make_batch, signature
from assay.core.errors import InputError, unknown
from assay.core.outcomes import DEV, TEST, TaskOutcomes
from assay.core.table import Table, TableColumn
from assay.results import Shown

if TYPE_CHECKING:
    import polars

    from assay.core.batch import Batch
    from assay.core.metric import Metric, Scores
    from assay.decide.apply import Decisions
    from assay.decide.rule import Rule
    from assay.engine.store import Store


@dataclass(repr=False)
class FittedRule(Shown):
    """A rule with its card."""

    rule: Rule

    def table(self) -> Table:
        """One line a language: limits, promise, and what the test part says about it."""
        from assay.decide.rule import EVERY

        rule = self.rule
        single = rule.members[0] if rule.blend is None else None
        checked: Mapping[str, Any] = rule.card.get("checked", {})
        rows = []
        for name, group in rule.groups.items():
            limit = group.above if single is None else single.sign * group.above
            rows.append({"language": name, "n": group.n, "breakdowns": group.breakdowns, "limit": limit})
            rows[-1] |= {"limits": "of all" if group.pooled else "own", "reject_at": group.reject_at}
            rows[-1] |= {"use_at": group.use_at, **checked.get(name, {})}
            if abs(limit) == float("inf"):
                rows[-1]["limit"] = None
        better = "above" if single is None or single.higher_is_better else "below"
        decimals = 3 if single is None else single.decimals
        keys = ("tested", "used", "caught", "bad_used")
        columns = [
            TableColumn("language"),
            TableColumn("n", kind="count"),
            TableColumn("breakdowns", kind="count"),
            TableColumn("limits", hidden=len(rule.groups) == 1),
            TableColumn("limit", f"use {better}", "number", decimals, hidden=rule.goal.startswith("cost")),
            TableColumn("use_at", "use to p", "number", 2, hidden=not rule.goal.startswith("cost")),
            TableColumn("reject_at", "reject from p", "number", 2),
        ]
        if checked:
            labels = ("tested", "used, %", "caught, %", "bad among used, %")
            kinds = ("count", "percent", "percent", "percent")
            columns += [TableColumn(k, label, kind, 1) for k, label, kind in zip(keys, labels, kinds, strict=True)]  # type: ignore[arg-type]
        names = " + ".join(member.name for member in rule.members)
        notes = [f"promise: {rule.groups[EVERY].promise}", f"it holds {rule.card.get('holds', '')}"]
        if not rule.groups[EVERY].used:
            notes.append(
                "⚠ this rule uses nothing: even the best scores are no sign that all is well. Ask for less, or add a metric"
            )
        if checked:
            notes.insert(1, "tested, used, caught, bad: on the test part, which the rule was not learned from")
        return Table("rule", columns, rows, f"{names}: {rule.goal}", tuple(notes))

    def write(self, path: str | os.PathLike[str]) -> None:
        """The rule as JSON, whole or not at all."""
        from assay.io.atomic import atomic_write

        with atomic_write(path, "w") as stream:
            json.dump(self.rule.to_dict(), stream, ensure_ascii=False, indent=1, allow_nan=False)
            stream.write("\n")


@dataclass(repr=False)
class Decided(Shown):
    """Labels of new translations, and whether scores still lie as they did."""

    rule: Rule
    decisions: Decisions
    warnings: list[str]

    @property
    def labels(self) -> list[str]:
        """``use``, ``review`` or ``reject``, one a translation."""
        return self.decisions.labels

    def table(self) -> Table:
        """How many of each label, language by language."""
        from collections import Counter

        from assay.decide.apply import LABELS

        counts = Counter(zip(self.decisions.groups, self.decisions.labels, strict=True))
        rows = []
        for name in dict.fromkeys(self.decisions.groups):
            row: dict[str, Any] = {"language": name, **{label: counts[name, label] for label in LABELS}}
            rows.append(row | {"n": sum(row[label] for label in LABELS)})
        columns = [TableColumn("language", hidden=len(rows) == 1), TableColumn("n", kind="count")]
        columns += [TableColumn(label, kind="number", decimals=0) for label in LABELS]
        from assay.decide.rule import EVERY

        notes = [f"promise: {self.rule.groups[EVERY].promise}", *self.warnings]
        return Table("decisions", columns, rows, self.rule.goal, tuple(notes))

    def to_polars(self) -> polars.DataFrame:
        """One row a translation."""
        return frame(self.decisions)


def frame(decisions: Decisions, first: int = 1) -> polars.DataFrame:
    """Decisions as rows, numbered from `first`."""
    import polars

    return polars.DataFrame(
        {
            "segment": range(first, first + len(decisions)),
            "label": decisions.labels,
            "breakdown_probability": decisions.probabilities,
            "language": list(decisions.groups),
            "reason": list(decisions.reasons),
        }
    )


def fit_rule(
    data: str | os.PathLike[str] | TaskOutcomes,
    metrics: Sequence[Wanted] = ("chrf",),
    goal: str = "catch 95%",
    *,
    scores: Sequence[str] = (),
    columns: Mapping[str, str] | None = None,
    langs: Sequence[str] = (),
    dev_share: float | None = None,
    confidence: float = 0.9,
    reject_at: float = 0.5,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
) -> FittedRule:
    """Learn a rule for a goal (``catch 95%``, ``at most 2% bad``, ``cost use-bad=10 review=1 reject-good=4``).

    Where the outcomes have a development and a test part, the rule is learned from the first and its card says how it does on
    the second; otherwise all examples teach. `scores` are columns with ready scores, as in `breakdown`.
    """
    from assay.decide.fit import fit
    from assay.decide.goals import parse_goal
    from assay.decide.rule import Member

    wanted = parse_goal(goal, confidence)
    if not 0 < reject_at <= 1:
        raise InputError(f"reject_at must be a probability above 0, not {reject_at:g}.")
    outcomes = load(data, columns=columns, scores=scores, langs=langs, dev_share=dev_share, seed=seed, need_split=False)
    built = build_metrics(metrics) if metrics else {}
    measured, _, notes = measure(outcomes, built, workers=workers, store=store)
    measured += ready(outcomes, scores)
    if not measured:
        raise InputError("no metric was asked for (-m chrf, or --score COLUMN).")
    if any("pseudo-references" in note for note in notes):
        raise InputError(
            "a rule is applied with the references it was learned with: give a reference column, or a metric without one."
        )
    members = [
        Member(
            m.name,
            signature(built[m.name], 0) if m.name in built else "",
            m.card.higher_is_better,
            max(m.card.decimals, 1),
            "metric" if m.name in built else "column",
        )
        for m in measured
    ]
    values: dict[str, Any] = {m.name: m.values for m in measured}
    teach, test = _parts(outcomes)
    card: dict[str, Any] = {"data": "outcomes" if isinstance(data, TaskOutcomes) else Path(data).name, "seed": seed}
    if len(outcomes.batch) > len(outcomes):
        card["parts"] = "an example is judged by its worst part: use it where every part is labelled use"
    rule = fit(
        members,
        {name: column[teach] for name, column in values.items()},
        outcomes.success[teach],
        [outcomes.languages[i] for i in teach.nonzero()[0].tolist()],
        wanted,
        reject_at=reject_at,
        seed=seed,
        card=card,
    )
    if test.any():
        rule = replace(rule, card={**rule.card, "checked": _check(rule, values, outcomes, test)})
    return FittedRule(rule)


def _parts(outcomes: TaskOutcomes) -> tuple[Any, Any]:
    """Which examples teach and which test."""
    import numpy as np

    teach = np.array([part == DEV for part in outcomes.splits])
    test = np.array([part == TEST for part in outcomes.splits])
    return (teach, test) if teach.any() else (np.ones(len(outcomes), bool), np.zeros(len(outcomes), bool))


def _check(rule: Rule, values: Mapping[str, Any], outcomes: TaskOutcomes, test: Any) -> dict[str, Any]:
    """What the rule does on examples it was not learned from, language by language."""
    import numpy as np

    from assay.decide.apply import USE, decide
    from assay.decide.rule import EVERY

    languages = np.array(outcomes.languages)
    found = {}
    for name in rule.groups:
        mine = test if name == EVERY else test & (languages == name)
        if not mine.any():
            continue
        decided = decide(rule, {key: column[mine] for key, column in values.items()}, languages[mine].tolist())
        used, bad = decided.codes == USE, ~outcomes.success[mine]
        found[name] = {
            "tested": int(mine.sum()),
            "used": float(used.mean()),
            "caught": float((~used[bad]).mean()) if bad.any() else None,
            "bad_used": float(bad[used].mean()) if used.any() else None,
        }
    return found


def read_rule(path: str | os.PathLike[str]) -> Rule:
    """A rule from its JSON file."""
    from assay.decide.rule import Rule

    try:
        read = json.loads(Path(path).read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise InputError(f"there is no file {path}. assay decide fit --out {path} makes it.") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be read as a rule: {str(error).splitlines()[0]}.") from error
    return Rule.from_dict(read, str(path))


def rule_metrics(rule: Rule) -> dict[str, Metric]:
    """The rule's metrics, ready to score; one whose identity has changed since is refused."""
    built = build_metrics([member.name for member in rule.members if member.source == "metric"] or [])
    for member in rule.members:
        if member.source == "column":
            raise InputError(f"{member.name} comes with the data, from a column: use apply_scores(rule, scores).")
        now = signature(built[member.name], 0)
        if now != member.signature:
            raise InputError(
                f"the rule was learned with {member.signature}, and {member.name} is now {now}: learn the rule again."
            )
    return built


def apply_rule(
    rule: Rule | str | os.PathLike[str],
    hypotheses: Texts,
    references: References | None = None,
    sources: Texts | None = None,
    languages: Sequence[str] | str = "",
    *,
    workers: int | None = None,
    store: bool = True,
) -> Decided:
    """Label translations: use, review or reject. `languages` is the source's language, one for all or one each."""
    from assay.decide.rule import Rule

    made = rule if isinstance(rule, Rule) else read_rule(rule)
    metrics = rule_metrics(made)
    kept = default_store() if store and any(metric.card.stored for metric in metrics.values()) else None
    batch = make_batch(hypotheses, references, sources)
    return checked(made, label(made, metrics, batch, languages, workers=workers, store=kept))


def apply_scores(rule: Rule, scores: Mapping[str, Any], languages: Sequence[str] | str = "") -> Decided:
    """Label by scores that are there already, one column for each of the rule's metrics."""
    from assay.decide.apply import decide

    for member in rule.members:
        if member.name not in scores:
            raise unknown("column of scores", member.name, scores)
    return checked(rule, decide(rule, scores, languages))


def label(
    rule: Rule,
    metrics: Mapping[str, Metric],
    batch: Batch,
    languages: Sequence[str] | str = "",
    *,
    workers: int | None = None,
    store: Store | None = None,
) -> Decisions:
    """Score one batch and label it."""
    from assay.decide.apply import decide
    from assay.engine.scoring import score

    scored: dict[str, Scores] = {
        name: score(batch, metric, workers=workers, store=store) for name, metric in metrics.items()
    }
    spans = {name: found.spans for name, found in scored.items() if found.spans is not None}
    return decide(rule, {name: found.values for name, found in scored.items()}, languages, spans)


def checked(rule: Rule, decisions: Decisions) -> Decided:
    """Decisions with the drift check's warnings. Parts of examples are not checked: the rule knows worst parts only."""
    from assay.decide.apply import drifts, has_drifted

    warnings: list[str] = []
    if rule.card.get("parts"):
        return Decided(rule, decisions, warnings)
    for name, found in drifts(rule, decisions).items():
        if has_drifted(found):
            warnings.append(
                f"⚠ scores have drifted ({name}: distance {found.distance:.2f}, stability index "
                f"{found.stability_index:.2f} from those the rule was learned from): its promise may no longer hold"
            )
    return Decided(rule, decisions, warnings)
