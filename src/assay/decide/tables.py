"""Tables, warnings and columns for presenting rules and labels."""

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
    """Return one row per language: thresholds, the guarantee for it alone, and the results on the test set."""
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
        TableColumn("limits", "thresholds", hidden=alone),
        TableColumn("promised", "guaranteed, %", "percent", 1, hidden=alone or costs),
        TableColumn("limit", f"use {better}", "number", 3 if single is None else single.decimals, hidden=costs),
        TableColumn("use_at", "use up to p", "number", 2, hidden=not costs),
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
    notes = [f"guarantee: {every.promise}{together}"]
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
            "⚠ this rule uses nothing: even the best scores do not indicate a good translation. Choose a weaker goal, or add "
            "a metric"
        )
    elif idle:
        notes.append(
            f"⚠ nothing is used in {', '.join(idle)}: even the best scores do not indicate a good translation there"
        )
    return notes


def unpromised(rule: Rule, languages: Mapping[str, int], noun: str) -> list[str]:
    """Warn about those of `languages` (each with its number of `noun`) that have a weaker guarantee or none."""
    if rule.groups[EVERY].promised is None or len(rule.groups) == 1:
        return []
    less, nothing, notes = [], [], []
    for language, n in languages.items():
        group = rule.group(language)
        whole = group.limits == OWN or group.promised == rule.groups[EVERY].promised
        if language == EVERY or (group.name != EVERY and whole):
            continue
        if not language:
            notes.append(
                f"⚠ no language was given for {count(n, noun)} (--lang xx, or --columns langpair=COLUMN): the thresholds are "
                "those of "
                "all languages, and the guarantee holds for the mixture that the rule was learned from"
            )
        elif group.name != EVERY and group.promised is not None:
            less.append(f"{language} ({100 * group.promised:g}%, from {count(group.breakdowns, 'breakdown')})")
        else:
            nothing.append(f"{language} ({count(n, noun)})")
    if less:
        notes.append(
            f"⚠ the guarantee is weaker for {', '.join(less)}: there are too few for more. A translation is used if it "
            "scores above "
            "the threshold of all languages and above every known breakdown of its language"
        )
    if nothing:
        notes.append(
            f"⚠ no guarantee for {', '.join(nothing)} alone: there were too few outcomes, or too many of them were bad. The "
            "thresholds "
            "are those of all languages, and the guarantee holds for the mixture"
        )
    return notes


def labels_table(tally: Tally, notes: Sequence[str] = ()) -> Table:
    """Return the number of translations per label and language, with the guarantee and the warnings."""
    rule, rows = tally.rule, []
    for name, label_counts in tally.counts.items():
        group = rule.group(name)
        row = {"language": name or "unknown", "limits": OF_ALL if group.name == EVERY else group.limits}
        rows.append(row | {"n": int(label_counts.sum()), **dict(zip(LABELS, label_counts.tolist(), strict=True))})
    columns = [
        TableColumn("language", hidden=len(rows) == 1),
        TableColumn("limits", "thresholds", hidden=len(rule.groups) == 1),
        TableColumn("n", kind="count"),
        *(TableColumn(label, kind="count") for label in LABELS),
    ]
    notes_below = [f"guarantee: {rule.groups[EVERY].promise}", *notes, *warnings(tally)]
    notes_below = [totals(tally), *notes_below] if len(rows) > 1 else notes_below
    return Table("decisions", columns, rows, rule.goal, tuple(notes_below))


def totals(tally: Tally) -> str:
    """Return how many translations were labelled, and how many with each label."""
    n = len(tally)
    shares = (f"{label} {number:,} ({number / n:.1%})" for label, number in tally.shares().items())
    return f"{count(n, 'translation')}: {', '.join(shares)}"


def warnings(tally: Tally) -> list[str]:
    """Return warnings about the labels: missing guarantees, and scores that have drifted."""
    rule = tally.rule
    notes = unpromised(rule, {name: int(counts.sum()) for name, counts in tally.counts.items()}, "translation")
    if rule.card.get("parts"):
        return notes  # the rule was learned from worst parts, which single parts cannot be compared with
    for name, drift in tally.drifts().items():
        if has_drifted(drift):
            notes.append(
                f"⚠ scores have drifted ({name}: distance {drift.distance:.2f}, stability index {drift.stability_index:.2f} from "
                "the training scores): the guarantee may no longer hold"
            )
    return notes


def labels_columns(decisions: Decisions) -> Columns:
    """Return decisions as columns, with the underlying scores and the flags for each translation."""
    names, codes = decisions.languages
    columns: dict[str, Any] = {
        "label": [LABELS[code] for code in decisions.codes.tolist()],
        "breakdown_probability": [p if p == p else None for p in decisions.probabilities.tolist()],
        "language": [names[code] for code in codes.tolist()],
        "reason": decisions.reasons,
    }
    columns |= {name: [v if v == v else None for v in column.tolist()] for name, column in decisions.scores.items()}
    return columns if decisions.flags is None else columns | {FLAGS: decisions.flags}
