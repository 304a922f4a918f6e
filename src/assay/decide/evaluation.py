"""Rule evaluation: the examples from which a rule is learned, and its performance on the remaining ones."""

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
    """Return which examples are for learning and which for testing; an example in both splits is used only for learning."""
    for_learning = np.array([part in (DEV, BOTH) for part in outcomes.splits])
    for_testing = np.array([part == TEST for part in outcomes.splits])
    if not for_learning.any():
        return np.ones(len(outcomes), bool), np.zeros(len(outcomes), bool)
    if for_learning.sum() < FEWEST <= len(outcomes):
        raise InputError(
            f"{count(int(for_learning.sum()), 'example')} in the development set: too few to learn a rule; "
            f"at least {FEWEST} are required. "
            f"Draw a larger set with --dev-share 0.5, or remove the split column to learn from all {len(outcomes):,}."
        )
    return for_learning, for_testing


def evaluate_rule(rule: Rule, values: Mapping[str, Any], outcomes: TaskOutcomes, test: Any) -> dict[str, Any]:
    """Return the rule's performance on examples from which it was not learned, by language."""
    languages = np.array(outcomes.languages)
    results = {}
    for name in rule.groups:
        chosen = test if name == EVERY else test & (languages == name)
        if not chosen.any():
            continue
        decisions = decide(rule, {key: column[chosen] for key, column in values.items()}, languages[chosen].tolist())
        used, losses = decisions.codes == USE, 1 - outcomes.worth[chosen]
        results[name] = {
            "tested": int(chosen.sum()),
            "used": float(used.mean()),
            "caught": float(losses[~used].sum() / losses.sum()) if losses.any() else None,
            "bad_used": float(losses[used].mean()) if used.any() else None,
            "lost": float((losses * used).mean()),
        }
    return results
