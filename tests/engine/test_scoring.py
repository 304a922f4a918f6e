"""What the engine says about metrics that break their contract."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from assay.core import Batch, Card, InputError, Metric, Scores, Signature
from assay.engine.scoring import score


class Broken(Metric):
    card = Card("broken", "Broken", "either", True, (0, 1), "breaks its contract")
    gives: Any = None

    @property
    def signature(self) -> Signature:
        return Signature.of("broken", 1)

    def score(self, batch: Batch) -> Scores:
        given: Scores = self.gives
        return given


@pytest.mark.parametrize(
    ("gives", "words"),
    [
        ([0.5, 0.5], r"Broken\.score gave list, not assay\.Scores \(of the metric broken\)"),
        (Scores(np.zeros(3)), r"Broken\.score gave 3 scores for 2 segments"),
    ],
)
def test_a_metric_that_breaks_its_contract_is_told_by_name(gives: Any, words: str) -> None:
    metric = Broken()
    metric.gives = gives
    with pytest.raises(InputError, match=words):
        score(Batch(["a", "b"], sources=["c", "d"]), metric)
