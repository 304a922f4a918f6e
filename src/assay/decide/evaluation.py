"""Which examples a rule is learned from, and how it does on those that it was not learned from."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from assay.core.errors import InputError, count
from assay.core.outcomes import BOTH, DEV, TEST, TaskOutcomes
from assay.decide.apply import USE, decide
from assay.decide.fit import FEWEST
from assay.decide.rule import EVERY, Rule


def split_examples(outcomes: TaskOutcomes) -> tuple[Any, Any]:
    """Which examples teach and which test; one of both parts teaches only, for a rule is not tried on what it learned from."""
    teach = np.array([part in (DEV, BOTH) for part in outcomes.splits])
    test = np.array([part == TEST for part in outcomes.splits])
    if not teach.any():
        return np.ones(len(outcomes), bool), np.zeros(len(outcomes), bool)
    if teach.sum() < FEWEST <= len(outcomes):
        raise InputError(
            f"{count(int(teach.sum()), 'example')} in the development part: too few to learn a rule from, there must be {FEWEST} "
            f"or more. Draw another part with --dev-share 0.5, or leave the split column out: then all {len(outcomes):,} teach."
        )
    return teach, test


def evaluate_rule(rule: Rule, values: Mapping[str, Any], outcomes: TaskOutcomes, test: Any) -> dict[str, Any]:
    """What the rule does on examples it was not learned from, language by language."""
    languages = np.array(outcomes.languages)
    found = {}
    for name in rule.groups:
        mine = test if name == EVERY else test & (languages == name)
        if not mine.any():
            continue
        decided = decide(rule, {key: column[mine] for key, column in values.items()}, languages[mine].tolist())
        used, lost = decided.codes == USE, 1 - outcomes.worth[mine]
        found[name] = {
            "tested": int(mine.sum()),
            "used": float(used.mean()),
            "caught": float(lost[~used].sum() / lost.sum()) if lost.any() else None,
            "bad_used": float(lost[used].mean()) if used.any() else None,
            "lost": float((lost * used).mean()),
        }
    return found
