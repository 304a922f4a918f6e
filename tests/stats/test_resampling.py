from __future__ import annotations

import random

import numpy as np
import pytest
import sacrebleu
from sacrebleu.significance import PairedTest

import assay
from assay.stats import resampling
from tests.corruption import corrupt
from tests.data import ntrex


@pytest.mark.real
@pytest.mark.parametrize("test_type", ["bs", "ar"])
def test_p_values_are_sacrebleus(test_type: str) -> None:
    lines = ntrex("deu")[:300]
    rng = random.Random(5)
    systems = {name: [corrupt(line, rng) for line in lines] for name in "abcd"}
    samples = 1000 if test_type == "bs" else 2000
    peers = {"chrF2": sacrebleu.CHRF(), "BLEU": sacrebleu.BLEU()}
    _, theirs = PairedTest(list(systems.items()), peers, [lines], test_type=test_type, n_samples=samples)()
    ours = assay.compare(systems, lines, metrics=["chrf", "bleu"], samples=1000, trials=2000)
    for name, label in (("chrf", "chrF2"), ("bleu", "BLEU")):
        for system, expected in zip(systems, theirs[label], strict=True):
            standing = ours.standings[system][name]
            assert standing.score == pytest.approx(expected.score, abs=1e-9)
            if test_type == "bs":
                assert standing.p_bootstrap == expected.p_value
                assert standing.mean == pytest.approx(expected.mean, abs=1e-3)  # sacrebleu's is single precision
                assert (standing.high - standing.low) / 2 == pytest.approx(expected.ci, abs=1e-3)
            else:
                assert standing.p_randomization == expected.p_value


def test_drawing_in_steps_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    stats = np.random.default_rng(1).integers(0, 9, (50, 4)).astype(float)
    whole = resampling.bootstrap_sums(stats, 200, 7), resampling.randomization_sums(stats, 200, 7)
    monkeypatch.setattr(resampling, "DRAWS_AT_ONCE", 3000)
    parts = resampling.bootstrap_sums(stats, 200, 7), resampling.randomization_sums(stats, 200, 7)
    assert np.array_equal(whole[0], parts[0])
    assert np.array_equal(whole[1], parts[1])


def test_the_interval_is_cut_by_hand() -> None:
    # 80 scores 0..79: one fortieth (2) is cut at each end, so the interval runs from 2 to 77.
    found = resampling.interval(np.arange(80.0))
    assert (found.low, found.high, found.half_width, found.mean) == (2.0, 77.0, 37.5, 39.5)


def test_p_value_by_hand() -> None:
    # Two of four draws are beyond 1.0: (2 + 1) / (4 + 1).
    assert resampling.p_value(np.array([0.5, 1.0, 1.5, 2.0]), 1.0) == 0.6


@pytest.mark.parametrize("n", [6, 9, 40])
def test_median_interval_equals_resampling_items(n):
    generator = np.random.default_rng(n)
    values = generator.normal(size=n)
    resampled = np.median(values[generator.integers(0, n, (40_000, n))], axis=1)
    assert resampling.median_interval(values, generator, 40_000) == pytest.approx(
        resampling.percentile_interval(resampled), abs=0.08
    )


def test_a_median_of_five_values_has_no_interval():
    # 1 - 2^(1 - 5) = 93.75%: even from the least to the greatest is no 95% interval.
    assert np.isnan(resampling.median_interval(np.arange(5.0), np.random.default_rng(0))).all()
