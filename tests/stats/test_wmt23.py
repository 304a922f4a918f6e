"""The ten official WMT23 tasks from the real archives."""

from __future__ import annotations

import csv

import numpy as np
import pytest

from assay.stats.correlation import pearson, pearson_by_group
from assay.stats.groups import group
from assay.stats.pairwise import calibrate_ties, pooled_accuracy
from assay.stats.permutation import over_groups, permutation_matrix
from tests.data import need
from tests.stats.permutation_reference import permutation_test
from tests.stats.wmt23 import STANDARD_REFERENCE, language_pair, metric_names

pytestmark = [pytest.mark.real, pytest.mark.slow]


def tasks() -> dict[str, np.ndarray]:
    pairs = [language_pair(pair) for pair in STANDARD_REFERENCE]
    out = {"1": pooled_accuracy([p.gold_system for p in pairs], [p.metrics_system for p in pairs]).value}
    for number, pair in zip((2, 5, 8), pairs, strict=True):
        out[str(number)] = pearson(pair.gold_system, pair.metrics_system[..., None]).value
        out[str(number + 1)] = pearson(pair.gold, pair.metrics).value
        out[str(number + 2)] = calibrate_ties(pair.gold, pair.metrics, "item").value
    return out


def test_all_320_official_values_and_32_averages():
    values, names = tasks(), metric_names()
    with need("expected", "wmt23_tasks.csv").open() as lines:
        rows = list(csv.DictReader(lines))
    assert len(rows) == 320
    for row in rows:
        got = values[row["task"]][names.index(row["metric"])]
        assert got == pytest.approx(float(row["value"]), abs=1e-9), (row["task"], row["metric"])
    mapped = [values[str(k)] if k in (1, 4, 7, 10) else (values[str(k)] + 1) / 2 for k in range(1, 11)]
    average = np.average(mapped, axis=0, weights=[3] + [1] * 9)
    with need("expected", "wmt23_overall.csv").open() as lines:
        for row in csv.DictReader(lines):
            assert average[names.index(row["metric"])] == pytest.approx(float(row["average"]), abs=1e-9)
    assert (np.diff(average) < 0).all()  # the file is in rank order


def test_masked_sums_equal_swapped_scores_on_real_data():
    pair = language_pair("en-de")
    groups = group(pair.gold)
    two = pair.metrics[[0, 10]]
    matrix = permutation_matrix(groups, two, rng=np.random.RandomState(5), draws=100)
    single = permutation_test(
        groups, two[0], two[1], over_groups(pearson_by_group), rng=np.random.RandomState(5), draws=100
    )
    assert matrix.p[0, 1] == single.p
