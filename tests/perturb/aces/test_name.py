from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed
from tests.perturb.texts import problems


def test_validators_catch_bad_results() -> None:
    assert "the capital at the beginning changed" in problems(
        "name-level-1", Segment("I saw Lloyd.", None, (), "de-en"), Perturbed((Change(6, 11, "llod"),))
    )
