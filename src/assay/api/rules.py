"""Rules from Python: learn one from outcomes, keep it as JSON, read it again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.api.outcomes import load, measure, ready
from assay.api.scoring import Wanted, build_metrics, signature
from assay.core.errors import InputError, count
from assay.core.outcomes import DEV, TEST, TaskOutcomes
from assay.core.table import Table, TableColumn
from assay.results import Shown

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.decide.rule import Rule


@dataclass(repr=False)
class FittedRule(Shown):
    """A rule with its card."""

    rule: Rule

    def table(self) -> Table:
        """One line a language: limits, what is promised for it alone, and what the test part says about it."""
        rule = self.rule
        single = rule.members[0] if rule.blend is None else None
        checked: Mapping[str, Any] = rule.card.get("checked", {})
        rows = []
        for name, group in rule.groups.items():
            limit = group.above if single is None else single.sign * group.above
            rows.append({"language": name, "n": group.n, "breakdowns": group.breakdowns, "limits": group.limits})
            rows[-1] |= {"promised": group.promised, "limit": None if abs(limit) == float("inf") else limit}
            rows[-1] |= {"use_at": group.use_at, "reject_at": group.reject_at, **checked.get(name, {})}
        better = "above" if single is None or single.higher_is_better else "below"
        alone, costs = len(rule.groups) == 1, rule.goal.startswith("cost")
        columns = [
            TableColumn("language", hidden=alone),
            TableColumn("n", kind="count"),
            TableColumn("breakdowns", kind="count"),
            TableColumn("limits", hidden=alone),
            TableColumn("promised", "promised, %", "percent", 1, hidden=alone or costs),
            TableColumn("limit", f"use {better}", "number", 3 if single is None else single.decimals, hidden=costs),
            TableColumn("use_at", "use to p", "number", 2, hidden=not costs),
            TableColumn("reject_at", "reject from p", "number", 2),
        ]
        if checked:
            columns += [
                TableColumn("tested", kind="count"),
                TableColumn("used", "used, %", "percent", 1),
                TableColumn("caught", "caught, %", "percent", 1),
                TableColumn("bad_used", "bad among used, %", "percent", 1),
            ]
        names = " + ".join(member.name for member in rule.members)
        return Table("rule", columns, rows, f"{names}: {rule.goal}", tuple(_notes(rule)))

    def write(self, path: str | os.PathLike[str]) -> None:
        """The rule as JSON, whole or not at all."""
        from assay.io.files.atomic import atomic_write

        with atomic_write(path, "w") as stream:
            json.dump(self.rule.to_dict(), stream, ensure_ascii=False, indent=1, allow_nan=False)
            stream.write("\n")


def _notes(rule: Rule) -> list[str]:
    from assay.decide.rule import EVERY

    every = rule.groups[EVERY]
    together = ", over all languages together" if len(rule.groups) > 2 and every.promised is not None else ""
    notes = [f"promise: {every.promise}{together}"]
    if "checked" in rule.card:
        notes.append("tested, used, caught, bad: on the test part, which the rule was not learned from")
    if every.promised is not None:
        notes.append(f"it holds {rule.card.get('holds', '')}")
    notes += unpromised(rule, {name: group.n for name, group in rule.groups.items()}, "example")
    idle = [name for name, group in rule.groups.items() if not group.used]
    if EVERY in idle:
        notes.append(
            "⚠ this rule uses nothing: even the best scores are no sign that all is well. Ask for less, or add a metric"
        )
    elif idle:
        notes.append(f"⚠ nothing is used in {', '.join(idle)}: even the best scores are no sign that all is well there")
    return notes


def unpromised(rule: Rule, languages: Mapping[str, int], noun: str) -> list[str]:
    """Warnings that name those of `languages` (each with its number of `noun`) for which less or nothing is promised."""
    from assay.decide.rule import EVERY, OWN

    if rule.groups[EVERY].promised is None or len(rule.groups) == 1:
        return []
    less, nothing, found = [], [], []
    for language, n in languages.items():
        group = rule.group(language)
        if language == EVERY or (group.name != EVERY and group.limits == OWN):
            continue
        if not language:
            found.append(
                f"⚠ no language was given for {count(n, noun)} (--lang xx, or --columns langpair=COLUMN): the limits are those of "
                "all languages, and the promise holds for the mixture that the rule was learned from"
            )
        elif group.name != EVERY and group.promised is not None:
            less.append(f"{language} ({100 * group.promised:g}%, from {count(group.breakdowns, 'breakdown')})")
        else:
            nothing.append(f"{language} ({count(n, noun)})")
    if less:
        found.append(
            f"⚠ less is promised for {', '.join(less)}: too few to promise more. Used is what scores above the limit of all "
            "languages and above every known breakdown of the language"
        )
    if nothing:
        found.append(
            f"⚠ nothing is promised for {', '.join(nothing)} alone: too few outcomes were known. The limits are those of all "
            "languages, and the promise holds for the mixture"
        )
    return found


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
    from assay.decide.fit import FEWEST, fit
    from assay.decide.goals import parse_goal
    from assay.decide.rule import Member

    wanted = parse_goal(goal, confidence)
    if not 0 < reject_at <= 1:
        raise InputError(f"reject_at must be a probability above 0, not {reject_at:g}.")
    outcomes = load(data, columns=columns, scores=scores, langs=langs, dev_share=dev_share, seed=seed, need_split=False)
    built = build_metrics(metrics) if metrics else {}
    _check_references(outcomes, built)
    brought = ready(outcomes, scores, built)
    measured, _, _ = measure(replace(outcomes, back=None), built, workers=workers, store=store)
    measured += brought
    if not measured:
        raise InputError("no metric was asked for (-m chrf, or --score COLUMN).")
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
    if teach.sum() < FEWEST <= len(outcomes):
        raise InputError(
            f"{count(int(teach.sum()), 'example')} in the development part: too few to learn a rule from, there must be {FEWEST} "
            f"or more. Draw another part with --dev-share 0.5, or leave the split column out: then all {len(outcomes):,} teach."
        )
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


def _check_references(outcomes: TaskOutcomes, metrics: Mapping[str, Metric]) -> None:
    if outcomes.has_references:
        return
    for name, metric in metrics.items():
        if metric.card.needs_reference:
            raise InputError(
                f"{name} needs references, and the outcomes have none. Give a reference column or a metric without references; "
                "or take the back-translations as translations and the sources as references, and apply the rule alike."
            )


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
        why = str(error).splitlines()[0]
        raise InputError(f"{path} cannot be read as a rule: {why}. assay decide fit makes one.") from error
    return Rule.from_dict(read, str(path))
