from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.isotonic import IsotonicRegression
from sklearn.linear_model import LogisticRegression

from assay.decide.calibration import RIDGE, blend, breakdown_curve


def test_steps_are_isotonic_regression_drawn_towards_one_half() -> None:
    rng = np.random.default_rng(4)
    quality = np.round(rng.normal(size=3000), 1)
    good = rng.random(3000) < 1 / (1 + np.exp(-2 * quality))
    theirs = IsotonicRegression(increasing=False).fit(quality, ~good)
    ours = breakdown_curve(quality, good).at(quality)
    assert np.abs(ours - theirs.predict(quality)).max() < 0.5, "a step of one example moves from 0 to 1/4 at most"
    assert np.abs(ours - theirs.predict(quality)).mean() < 0.01
    assert ours.min() > 0 and ours.max() < 1


def test_curve_by_hand() -> None:
    # Best first: 9 8 7 good, 6 bad, 5 good, 4 bad, 3 bad. Rising risk by quality falling: 0 0 0 | 1/2 1/2 | 1 1, then
    # (0 + .5) / 4 = 1/8, (1 + .5) / 3 = 1/2, (2 + .5) / 3 = 5/6.
    quality = np.array([9.0, 8, 7, 6, 5, 4, 3])
    good = np.array([True, True, True, False, True, False, False])
    curve = breakdown_curve(quality, good)
    assert curve.at(np.array([10.0, 9, 7, 6, 5, 4, 3, 0])) == pytest.approx(
        [1 / 8, 1 / 8, 1 / 8, 1 / 2, 1 / 2, 5 / 6, 5 / 6, 5 / 6]
    )
    assert curve.at(np.array([6.5])) == pytest.approx([(1 / 8 + 1 / 2) / 2])


@given(st.lists(st.tuples(st.integers(-5, 5), st.booleans()), min_size=2, max_size=60))
def test_better_translations_never_break_more(rows: list[tuple[int, bool]]) -> None:
    quality, good = np.array([float(q) for q, _ in rows]), np.array([label for _, label in rows])
    curve = breakdown_curve(quality, good)
    assert (np.diff(curve.quality) > 0).all()
    assert (np.diff(curve.probability) <= 1e-12).all()
    assert ((curve.probability > 0) & (curve.probability < 1)).all()


def test_blend_is_scikit_learns_logistic_regression() -> None:
    rng = np.random.default_rng(9)
    qualities = rng.normal(size=(3, 800)) * np.array([[1.0], [20.0], [0.1]]) + 5
    good = rng.random(800) < 1 / (1 + np.exp(-(qualities[0] - 5) - (qualities[1] - 5) / 10))
    ours = blend(qualities, good)
    standard = ((qualities - ours.means[:, None]) / ours.scales[:, None]).T
    theirs = LogisticRegression(C=1 / RIDGE, tol=1e-10, max_iter=1000).fit(standard, good)
    assert ours.weights == pytest.approx(theirs.coef_[0], abs=1e-4)
    assert ours.intercept == pytest.approx(theirs.intercept_[0], abs=1e-4)
    assert ours.at(qualities) == pytest.approx(theirs.decision_function(standard), abs=1e-3)


def test_blend_of_separate_classes_and_constant_scores_stays_finite() -> None:
    qualities = np.array([[1.0, 2, 3, 4], [7.0, 7, 7, 7]])
    found = blend(qualities, np.array([False, False, True, True]))
    assert np.isfinite(found.at(qualities)).all()
    assert found.weights[0] > 0
