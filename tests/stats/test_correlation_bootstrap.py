from __future__ import annotations

import numpy as np
import pytest

from assay.core.errors import InputError
from assay.stats.correlation import pearson
from assay.stats.correlation_bootstrap import bootstrap
from tests.stats.fixtures import Case

LEVELS = {
    "system": lambda gold, metrics: pearson(gold.mean(axis=1), metrics.mean(axis=-1)[..., None]).value,
    "input": lambda gold, metrics: pearson(gold, metrics, "item").value,
    "global": lambda gold, metrics: pearson(gold, metrics).value,
}


@pytest.mark.real
@pytest.mark.parametrize("name", ["plain", "gold_ties", "both_ties"])
def test_equals_nlpstats(name):
    case = Case(name)
    for key, stored in case.out["nlpstats"].items():
        kind, resample, *rest = key.split("_")
        if kind != "boot":
            continue
        got = bootstrap(
            case.gold, case.metric1[None], LEVELS[rest[0]], rng=np.random.RandomState(8), resample=resample, draws=200
        )
        head = stored["samples_head"]
        assert got.samples[: len(head), 0] == pytest.approx(head, abs=1e-12)
        assert [got.lower[0], got.upper[0]] == pytest.approx([stored["lower"], stored["upper"]], abs=1e-12)


def test_paired_difference():
    rng = np.random.default_rng(0)
    gold = rng.normal(size=(6, 50))
    stack = np.stack([gold + rng.normal(size=gold.shape) * 0.2, gold + rng.normal(size=gold.shape) * 3])
    got = bootstrap(gold, stack, LEVELS["global"], rng=np.random.default_rng(1), resample="inputs", draws=100)
    lower, upper, p = got.difference(0, 1)
    assert 0 < lower < upper and p == 0.0
    assert got.difference(1, 0)[2] == 1.0


def test_bad_input():
    with pytest.raises(InputError, match="confidence"):
        bootstrap(np.eye(3), np.eye(3)[None], LEVELS["global"], rng=np.random.default_rng(0), confidence=95)
    with pytest.raises(InputError, match="none of systems"):
        bootstrap(np.eye(3), np.eye(3)[None], LEVELS["global"], rng=np.random.default_rng(0), resample="words")
