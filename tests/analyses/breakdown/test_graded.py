"""Graded outcomes, against scipy, scikit-learn and a calculation by hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from assay.analyses.breakdown.tables import tables
from assay.core.batch import Batch
from assay.core.errors import InputError, UnknownName
from assay.core.metric import Card
from assay.core.outcomes import TaskOutcomes
from assay.core.suite import Measured


def graded(n: int = 400, languages: tuple[str, ...] = ("es", "pt")) -> tuple[TaskOutcomes, np.ndarray]:
    rng = np.random.default_rng(5)
    scores = np.round(rng.random(n), 2)  # ties among the scores
    grades = np.clip(np.round(scores**2 + rng.normal(0, 0.2, n), 1), 0, 1)  # and among the grades
    made = TaskOutcomes.single(
        Batch(["x"] * n),
        grades >= 0.5,
        [languages[i % len(languages)] for i in range(n)],
        ["dev" if i // len(languages) % 2 else "test" for i in range(n)],
    )
    return replace(made, grades=grades), scores


def measured(name: str, values: np.ndarray, higher: bool = True) -> Measured:
    return Measured(name, Card(name, name, "either", higher, (None, None), "A metric of the test."), values=values)


def test_the_figures_are_those_of_scipy_and_scikit_learn() -> None:
    stats = pytest.importorskip("scipy.stats")
    isotonic = pytest.importorskip("sklearn.isotonic")
    outcomes, scores = graded()
    lower = -3 * scores  # the same metric, where lower is better
    made = {t.name: t for t in tables(outcomes, [measured("m", scores), measured("low", lower, False)], samples=40)}
    grades, expected = outcomes.worth, []
    for language in ("es", "pt"):
        mine = np.array([own == language for own in outcomes.languages])
        dev = mine & np.array([part == "dev" for part in outcomes.splits])
        test = mine & ~dev
        fitted = isotonic.IsotonicRegression(out_of_bounds="clip").fit(scores[dev], grades[dev]).predict(scores[test])
        left, whole = ((grades[test] - fitted) ** 2).sum(), ((grades[test] - grades[dev].mean()) ** 2).sum()
        expected.append([
            stats.kendalltau(scores[test], grades[test]).statistic,
            stats.pearsonr(scores[test], grades[test]).statistic,
            1 - left / whole,
        ])  # fmt: skip
        row = next(r for r in made["languages"].rows if (r["language"], r["metric"]) == (language, "m"))
        assert [row[key] for key in ("kendall", "pearson", "explained")] == pytest.approx(expected[-1], abs=1e-12)
    rows = {row["metric"]: row for row in made["summary"].rows}
    means = np.mean(expected, axis=0)
    for name in ("m", "low"):
        found = [rows[name][key] for key in ("kendall", "pearson", "explained")]
        assert found == pytest.approx(means, abs=1e-12)
        assert (
            rows[name]["kendall_low"] < rows[name]["kendall"] < rows[name]["kendall_high"]
            and rows[name]["first"] == "*"
        )


def test_a_metric_that_knows_nothing_is_not_among_the_first_and_explains_nothing() -> None:
    outcomes, scores = graded()
    noise = np.random.default_rng(9).random(len(scores))
    made = {t.name: t for t in tables(outcomes, [measured("m", scores), measured("noise", noise)], samples=200)}
    rows = {row["metric"]: row for row in made["summary"].rows}
    assert (rows["m"]["first"], rows["noise"]["first"]) == ("*", "")
    assert rows["noise"]["explained"] < 0.05 < 0.5 < rows["m"]["explained"]
    assert made["calibration"].rows[0]["metric"] == "m"  # the best on the development part


def test_expected_and_mean_grade_by_hand() -> None:
    # Development: score 1 has grades 0 and 0.5 (mean 0.25), score 2 has 0.75 and 1 (0.875). On test nine of ten scores of 1
    # come out as 0, and all of 2 as 1.
    n = 40
    scores = np.array([1.0, 2.0] * (n // 2))
    dev = np.arange(n) < 20
    grades = np.where(scores == 1, np.where(np.arange(n) % 4 < 2, 0.0, 0.5), np.where(np.arange(n) % 4 < 2, 0.75, 1.0))
    grades[~dev] = np.where(scores[~dev] == 1, 0.0, 1.0)
    grades[20] = 0.5
    made = TaskOutcomes.single(Batch(["x"] * n), grades >= 0.5, [""] * n, np.where(dev, "dev", "test").tolist())
    found = {t.name: t for t in tables(replace(made, grades=grades), [measured("m", scores)], samples=20)}
    rows = found["calibration"].rows
    assert [row["expected"] for row in rows] == [0.25] * 5 + [0.875] * 5
    assert sum(row["grade"] * row["n"] for row in rows[:5]) == 0.5 and all(row["grade"] == 1 for row in rows[5:])
    assert found["balance"].rows[0] | {"grade_low": 0, "grade_high": 0} == {
        "task": "", "language": "", "dev": 20, "test": 20, "grade": 10.5 / 20, "grade_low": 0, "grade_high": 0,
        "full": 0.5, "none": 9 / 20,
    }  # fmt: skip


def test_the_same_seed_gives_the_same_draws_whatever_other_metrics_there_are() -> None:
    outcomes, scores = graded()
    holes = scores.copy()
    holes[::7] = np.nan
    alone = tables(outcomes, [measured("holes", holes)], samples=30)[0].rows[0]
    beside = tables(outcomes, [measured("m", scores), measured("holes", holes)], samples=30)[0].rows[1]
    drop = {"first"}
    assert {k: v for k, v in alone.items() if k not in drop} == {k: v for k, v in beside.items() if k not in drop}
    assert alone["unscored"] == 200 - alone["n"] > 0


def test_what_cannot_be_judged_is_said() -> None:
    outcomes, scores = graded()
    with pytest.raises(InputError, match=r"every outcome has the grade 0.5"):
        tables(replace(outcomes, grades=np.full(len(scores), 0.5)), [measured("m", scores)], samples=10)
    one = np.array([own == "pt" for own in outcomes.languages])
    flat = replace(outcomes, grades=np.where(one, 0.5, outcomes.worth))
    assert any(
        "pt is left out: its development part" in note
        for note in tables(flat, [measured("m", scores)], samples=10)[0].notes
    )
    with pytest.raises(UnknownName, match="comet"):
        tables(outcomes, [measured("m", scores)], samples=10, case="comet")
