from __future__ import annotations

import numpy as np
import pytest
from scipy import special, stats

from assay.stats.drift import Drift, DriftCounter, kolmogorov_tail


def drift(old: np.ndarray, n: int, new: np.ndarray) -> Drift:
    counter = DriftCounter(old, n)
    counter.add(new)
    return counter.drift()


@pytest.mark.parametrize("x", [0.0, 0.1, 0.3, 0.5, 0.8, 1.0, 1.36, 2.0, 4.0])
def test_kolmogorovs_tail_is_scipys(x: float) -> None:
    assert kolmogorov_tail(x) == pytest.approx(float(special.kolmogorov(x)), abs=1e-11)


@pytest.mark.parametrize("shift", [-20, -3, 0, 2, 5, 20])
def test_statistic_is_scipys_with_ties(shift: int) -> None:
    rng = np.random.default_rng(3)
    for _ in range(20):
        first, second = rng.integers(0, 12, 60).astype(float), rng.integers(shift, 14 + shift, 45).astype(float)
        found = drift(first, 60, second)
        assert found.distance == pytest.approx(stats.ks_2samp(first, second).statistic, abs=1e-12)
        assert found.p == pytest.approx(float(special.kolmogorov(found.distance * np.sqrt(60 * 45 / 105))), abs=1e-10)


def test_parts_count_as_the_whole() -> None:
    rng = np.random.default_rng(4)
    old, new = rng.normal(size=101), rng.normal(0.2, 1, 1000).round(1)
    counter = DriftCounter(old, 5000)
    for part in np.array_split(np.append(new, np.nan), 7):
        counter.add(part)
    assert counter.drift() == drift(old, 5000, new)


def test_stability_index_by_hand() -> None:
    # Two halves of 10 deciles: old has a tenth in each; new lies in the upper five deciles, a fifth in each.
    # Empty bins count as half an observation of 500: 0.001.
    old = np.arange(1000.0)
    new = np.arange(500.0, 1000.0)
    by_hand = 5 * (0.001 - 0.1) * np.log(0.001 / 0.1) + 5 * (0.2 - 0.1) * np.log(0.2 / 0.1)
    assert drift(old, 1000, new).stability_index == pytest.approx(by_hand, rel=0.02)
    assert drift(old, 1000, old).stability_index == pytest.approx(0.0, abs=1e-12)


def test_quantiles_stand_for_the_sample() -> None:
    rng = np.random.default_rng(5)
    old, new = rng.normal(size=5000), rng.normal(0.3, 1, 400)
    quantiles = np.quantile(old, np.linspace(0, 1, 101))
    whole = stats.ks_2samp(old, new)
    found = drift(quantiles, len(old), np.append(new, np.nan))
    assert found.distance == pytest.approx(whole.statistic, abs=0.012)
    assert found.n == 400
    assert (found.p < 0.001) == (whole.pvalue < 0.001)
