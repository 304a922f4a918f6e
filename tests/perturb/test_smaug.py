from __future__ import annotations

from assay.core.batch import Segment
from tests.perturb.texts import incorrect


def test_one_answer() -> None:
    cases = [
        ("negation-changed", "Er kommt heute nicht.", "x", "en-de", "Er kommt heute."),
        ("negation-changed", "Он не пришёл.", "x", "en-ru", "Он пришёл."),
    ]
    made = {case: incorrect(case[0], Segment(case[1], case[2], (), case[3])) for case in cases}
    assert made == {case: case[4] for case in cases}
