from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from assay.analyses.breakdown.tables import tables
from assay.core.batch import Batch
from assay.core.errors import InputError, UnknownName
from assay.core.metric import Card
from assay.core.outcomes import TaskOutcomes
from assay.core.suite import Measured

# The eleven scores of tests/stats/test_classification.py: threshold 40 on dev, macro-F1 0.895238.
DEV = np.arange(0.0, 101.0, 10.0)
DEV_GOOD = ~np.isin(DEV, [0.0, 10.0, 30.0])
# On test: 39 bad, 40 good (on the threshold: good), 41 bad (let through), 80 good, 90 good, 20 good (held back),
# 5 bad, 95 good, 99 good. tp = 5, fp = 1, fn = 1, tn = 2: F1 good = 10/12, F1 bad = 4/6, macro 0.75;
# MCC = (10 - 1) / sqrt(6 · 6 · 3 · 3) = 0.5.
TEST = np.array([39.0, 40, 41, 80, 90, 20, 5, 95, 99])
TEST_GOOD = np.array([False, True, False, True, True, True, False, True, True])


def card(name: str, higher: bool = True) -> Card:
    return Card(name, name, "reference", higher, (None, None), "A metric of the test.")


def outcomes(languages: int = 1, types: bool = False) -> TaskOutcomes:
    n = len(DEV) + len(TEST)
    return TaskOutcomes.single(
        Batch(["x"] * n * languages),
        np.tile(np.concatenate([DEV_GOOD, TEST_GOOD]), languages),
        [f"l{k}" for k in range(languages) for _ in range(n)],
        (["dev"] * len(DEV) + ["test"] * len(TEST)) * languages,
        tasks=["parsing"] * n * languages,
        error_types=(["omission", "mistranslation", "", "no error"] * n * languages)[: n * languages]
        if types
        else None,
    )


def values(languages: int = 1) -> np.ndarray:
    return np.tile(np.concatenate([DEV, TEST]), languages)


def by_name(made: list[Any]) -> dict[str, Any]:
    return {table.name: table for table in made}


def row(table: Any, **wanted: Any) -> Any:
    return next(r for r in table.rows if all(r[key] == value for key, value in wanted.items()))


def test_one_metric_by_hand() -> None:
    found = by_name(tables(outcomes(), [Measured("m", card("m"), values=values())], samples=200))
    mine = row(found["languages"], metric="m", language="l0")
    assert mine["threshold"] == 40.0
    assert mine["dev_f1"] == pytest.approx(0.895238, abs=1e-6)
    counts = (mine["true_positive"], mine["false_positive"], mine["false_negative"], mine["true_negative"])
    assert counts == (5, 1, 1, 2)
    assert mine["f1"] == pytest.approx(0.75)
    assert mine["mcc"] == pytest.approx(0.5)
    assert mine["mcc_low"] < 0.5 < mine["mcc_high"]
    assert row(found["balance"], language="l0")["test_bad"] == 3


def test_lower_is_better_mirrors_everything() -> None:
    found = by_name(tables(outcomes(), [Measured("m", card("m", False), values=-values())], samples=50))
    mine = row(found["languages"], metric="m")
    assert mine["threshold"] == -40.0
    assert (mine["f1"], mine["mcc"]) == (pytest.approx(0.75), pytest.approx(0.5))
    assert row(found["thresholds"], metric="m")["better"] == "≤"


def test_means_over_languages_and_thresholds_deviation() -> None:
    data = outcomes(2)
    scores = values(2)
    half = len(scores) // 2
    scores[half:] *= 2  # the second language's scale is doubled: threshold 80, the same figures
    found = by_name(tables(data, [Measured("m", card("m"), values=scores)], samples=50))
    assert row(found["summary"], metric="m")["mcc"] == pytest.approx(0.5)
    assert row(found["summary"], metric="m")["languages"] == 2
    mine = row(found["thresholds"], metric="m")
    assert (mine["mean"], mine["deviation"], mine["lowest"], mine["highest"]) == (60.0, 20.0, 40.0, 80.0)


def test_vote_of_the_three_best_on_dev_by_hand() -> None:
    # a and b say the same as m on test; c (as good on dev) calls everything good there. d is worse on dev and has no vote.
    c = np.concatenate([DEV, np.full(len(TEST), 100.0)])
    d = np.concatenate([DEV[::-1], TEST])
    measured = [
        Measured(name, card(name), values=scores)
        for name, scores in (("d", d), ("a", values()), ("b", values()), ("c", c))
    ]
    found = by_name(tables(outcomes(), measured, samples=50))
    assert any(note.startswith("majority of 3 in parsing: a, b, c") for note in found["summary"].notes)
    mine = row(found["languages"], metric="majority of 3")
    assert (mine["f1"], mine["mcc"]) == (pytest.approx(0.75), pytest.approx(0.5))
    assert row(found["summary"], metric="random")["mcc"] == pytest.approx(0.0, abs=0.05)
    assert row(found["summary"], metric="a")["first"] == "*"


def test_of_metrics_equal_on_dev_those_asked_for_first_vote() -> None:
    low = np.concatenate([DEV, np.full(len(TEST), -1.0)])
    scores = {"a": values(), "c": values(), "d": values(), "b": low}
    measured = [Measured(name, card(name), values=scores[name]) for name in scores]
    found = by_name(tables(outcomes(), measured, samples=50))
    assert any(note.startswith("majority of 3 in parsing: a, c, d (") for note in found["summary"].notes)
    turned = by_name(tables(outcomes(), measured[::-1], samples=50))
    assert any(note.startswith("majority of 3 in parsing: b, d, c (") for note in turned["summary"].notes)


def test_two_metrics_have_no_vote() -> None:
    measured = [Measured(name, card(name), values=values()) for name in ("a", "b")]
    assert "majority of 3" not in {
        r["metric"] for r in by_name(tables(outcomes(), measured, samples=50))["summary"].rows
    }


def test_pseudo_references_have_their_own_thresholds() -> None:
    metric, shifted = Measured("m", card("m"), values=values()), Measured("m", card("m"), values=values() + 5)
    mine = row(by_name(tables(outcomes(), [metric], pseudo=[shifted], samples=50))["pseudo"], metric="m")
    assert (mine["mcc"], mine["gold"], mine["difference"]) == (pytest.approx(0.5), pytest.approx(0.5), pytest.approx(0))


def test_error_types_of_wrong_verdicts() -> None:
    # Rows 11 … 19 are the test part; 41 (row 13: mistranslation) is let through, 20 (row 16: omission) is held back.
    found = by_name(tables(outcomes(types=True), [Measured("m", card("m"), values=values())], samples=50))
    wrong = {(r["kind"], r["error_type"]): (r["n"], r["of"], r["share"]) for r in found["errors"].rows}
    assert wrong == {
        ("false positive", "mistranslation"): (1, 1, 1.0),
        ("false positive", "omission"): (0, 1, 0.0),
        ("false negative", "mistranslation"): (0, 1, 0.0),
        ("false negative", "omission"): (1, 1, 1.0),
    }
    rates = {r["error_type"]: (r["breakdowns"], r["n"]) for r in found["matrix"].rows}
    # Every fourth row from row 0: omission has rows 0 4 8 12 16, of which 0 is bad (10 is "").
    assert rates["omission"] == (1, 5)


def test_cases_are_ten_ranges_that_hold_every_test_example() -> None:
    table = by_name(tables(outcomes(), [Measured("m", card("m"), values=values())], samples=50))["cases"]
    assert len(table.rows) == 10
    assert sum(r["good"] for r in table.rows) == 6 and sum(r["bad"] for r in table.rows) == 3
    assert table.rows[0]["from"] == 5.0 and table.rows[-1]["to"] == 99.0
    with pytest.raises(UnknownName, match="comet"):
        tables(outcomes(), [Measured("m", card("m"), values=values())], case="comet")


def test_unscored_examples_are_left_out_and_counted() -> None:
    scores = values()
    scores[11] = np.nan  # 39, bad, held back
    mine = row(
        by_name(tables(outcomes(), [Measured("m", card("m"), values=scores)], samples=50))["languages"], metric="m"
    )
    assert (mine["unscored"], mine["true_negative"]) == (1, 1)


def test_languages_that_cannot_be_judged_are_named() -> None:
    data = outcomes(3)
    n = len(data) // 3
    splits = list(data.splits)
    splits[n : 2 * n] = ["test"] * n
    success = data.success.copy()
    success[2 * n :] = True
    bad = replace(data, splits=splits, success=success)
    notes = by_name(tables(bad, [Measured("m", card("m"), values=values(3))], samples=50))["summary"].notes
    assert any("l1 is left out: it has no examples in the development part" in note for note in notes)
    assert any("l2 is left out: its development part (11 examples) has successes only" in note for note in notes)


def test_hopeless_data_is_refused_in_a_sentence() -> None:
    data, metric = outcomes(), Measured("m", card("m"), values=values())
    with pytest.raises(InputError, match="requires both successes and breakdowns"):
        tables(replace(data, success=np.ones(len(data), bool)), [metric])
    with pytest.raises(InputError, match="no language can be evaluated"):
        tables(replace(data, splits=["test"] * len(data)), [metric])
    few = data.select(np.arange(len(data)) < 19)
    with pytest.raises(InputError, match="19 examples: too few"):
        tables(few, [Measured("m", card("m"), values=values()[:19])])
