from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed
from tests.perturb.texts import incorrect, problems


def test_one_answer() -> None:
    cases = [
        ("modal-substituted", "Sie müssen gehen.", "x", "en-de", "Sie können gehen."),
        ("modal-substituted", "Elle peut partir.", "x", "en-fr", "Elle doit partir."),
        ("modal-deleted", "This freedom might end.", "x", "de-en", "This freedom end."),
    ]
    made = {case: incorrect(case[0], Segment(case[1], case[2], (), case[3])) for case in cases}
    assert made == {case: case[4] for case in cases}


def test_validators_catch_bad_results() -> None:
    assert "the replacement is not another modal verb" in problems(
        "modal-substituted", Segment("Er muss.", None, (), "en-de"), Perturbed((Change(3, 7, "will"),))
    )
