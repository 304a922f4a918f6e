"""Rules and labels as people read them: tables, warnings, and rows for programs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from assay.core.columns import Columns
from assay.core.errors import count
from assay.core.rows import FLAGS
from assay.core.table import Table, TableColumn
from assay.decide.apply import LABELS, Decisions, Tally, has_drifted
from assay.decide.rule import EVERY, OF_ALL, OWN, Rule


def rule_table(rule: Rule) -> Table:
    """One line a language: limits, what is promised for it alone, and what the test part says about it."""
    single = rule.members[0] if rule.blend is None else None
    checked: Mapping[str, Any] = rule.card.get("checked", {})
    rows = []
    for name, group in rule.groups.items():
        limit = group.above if single is None else single.sign * group.above
        rows.append({"language": name, "n": group.n, "breakdowns": group.breakdowns, "limits": group.limits})
        rows[-1]["grade"] = group.grade
        rows[-1] |= {"promised": group.promised, "limit": None if abs(limit) == float("inf") else limit}
        rows[-1] |= {"use_at": group.use_at, "reject_at": group.reject_at, **checked.get(name, {})}
    better = "above" if single is None or single.higher_is_better else "below"
    alone, costs, loses = len(rule.groups) == 1, rule.goal.startswith("cost"), rule.goal.startswith("lose")
    graded = rule.groups[EVERY].grade is not None
    columns = [
        TableColumn("language", hidden=alone),
        TableColumn("n", kind="count"),
        TableColumn("breakdowns", kind="count", hidden=graded),
        TableColumn("grade", "mean grade", "number", 3, hidden=not graded),
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
            TableColumn("caught", "loss caught, %" if graded else "caught, %", "percent", 1),
            TableColumn("bad_used", "loss among used, %" if graded else "bad among used, %", "percent", 1),
            TableColumn("lost", "lost over all, %", "percent", 1, hidden=not loses),
        ]
    names = " + ".join(member.name for member in rule.members)
    return Table("rule", columns, rows, f"{names}: {rule.goal}", tuple(_notes(rule)))


def _notes(rule: Rule) -> list[str]:
    every = rule.groups[EVERY]
    together = ", over all languages together" if len(rule.groups) > 2 and every.promised is not None else ""
    notes = [f"promise: {every.promise}{together}"]
    if "checked" in rule.card:
        notes.append("tested, used, caught, bad: on the test part, which the rule was not learned from")
    if every.promised is not None:
        notes.append(f"it holds {rule.card.get('holds', '')}")
    if "left_out" in rule.card:
        notes.append(f"⚠ left out: {rule.card['left_out']}")
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
    if rule.groups[EVERY].promised is None or len(rule.groups) == 1:
        return []
    less, nothing, found = [], [], []
    for language, n in languages.items():
        group = rule.group(language)
        whole = group.limits == OWN or group.promised == rule.groups[EVERY].promised
        if language == EVERY or (group.name != EVERY and whole):
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
            f"⚠ nothing is promised for {', '.join(nothing)} alone: too few outcomes were known, or too many of them were bad. The "
            "limits are those of all languages, and the promise holds for the mixture"
        )
    return found


def labels_table(tally: Tally, notes: Sequence[str] = ()) -> Table:
    """How many of each label, language by language, with the promise and the warnings."""
    rule, rows = tally.rule, []
    for name, found in tally.counts.items():
        group = rule.group(name)
        row = {"language": name or "not said", "limits": OF_ALL if group.name == EVERY else group.limits}
        rows.append(row | {"n": int(found.sum()), **dict(zip(LABELS, found.tolist(), strict=True))})
    columns = [
        TableColumn("language", hidden=len(rows) == 1),
        TableColumn("limits", hidden=len(rule.groups) == 1),
        TableColumn("n", kind="count"),
        *(TableColumn(label, kind="count") for label in LABELS),
    ]
    said = [f"promise: {rule.groups[EVERY].promise}", *notes, *warnings(tally)]
    said = [totals(tally), *said] if len(rows) > 1 else said
    return Table("decisions", columns, rows, rule.goal, tuple(said))


def totals(tally: Tally) -> str:
    """How many were labelled in all, and how many of them with which label."""
    n = len(tally)
    shares = (f"{label} {found:,} ({found / n:.1%})" for label, found in tally.shares().items())
    return f"{count(n, 'translation')}: {', '.join(shares)}"


def warnings(tally: Tally) -> list[str]:
    """What a user should know before relying on the labels: missing promises, scores that have drifted."""
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


def labels_columns(decisions: Decisions) -> Columns:
    """Decisions as columns, with the scores that they go by and the flags of their translations."""
    names, codes = decisions.languages
    columns: dict[str, Any] = {
        "label": [LABELS[code] for code in decisions.codes.tolist()],
        "breakdown_probability": [p if p == p else None for p in decisions.probabilities.tolist()],
        "language": [names[code] for code in codes.tolist()],
        "reason": decisions.reasons,
    }
    columns |= {name: [v if v == v else None for v in column.tolist()] for name, column in decisions.scores.items()}
    return columns if decisions.flags is None else columns | {FLAGS: decisions.flags}
