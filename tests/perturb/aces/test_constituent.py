from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed
from assay.perturb.aces.constituent import ADDED
from tests.perturb.texts import every, problems, reason


def test_a_refusal_says_why() -> None:
    assert reason("constituent-omitted", Segment("Er kam.", None, (), "en-de")) == "no phrase that can be left out"


def test_validators_catch_bad_results() -> None:
    assert "more than half of the text was removed" in problems(
        "constituent-omitted", Segment("Er (der) kam.", None, (), "en-de"), Perturbed((Change(0, 9, ""),))
    )


def test_many_phrases_can_be_added() -> None:
    assert all(len(set(phrases)) >= 90 for phrases in ADDED.values())
    assert len(every("constituent-added", "The plant grows.")) > 20
