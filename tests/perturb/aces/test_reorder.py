from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed
from tests.perturb.texts import problems


def test_validators_catch_bad_results() -> None:
    assert "words were added or lost" in problems(
        "lexical-overlap", Segment("A in B.", None, (), "de-en"), Perturbed((Change(0, 1, "Q"),))
    )
