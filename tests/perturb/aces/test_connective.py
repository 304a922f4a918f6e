from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed
from tests.perturb.texts import attempted


def test_the_column_tells_the_sense() -> None:
    sense = {"sense": "contrast"}
    french = Segment("They grew by 8% while the debt increased.", "Elles … tandis que …", (), "fr-en", meta=sense)
    made = attempted("while-contrast", french)
    assert isinstance(made, Perturbed)
    assert made.good == "They grew by 8% whereas the debt increased."
    assert made.incorrect(french) == "They grew by 8% as the debt increased."
    assert made.reference == french.hypothesis


def test_the_source_tells_the_sense() -> None:
    since = Segment("No test was done since we were elected.", "Aucun test depuis notre élection.", (), "fr-en")
    made = attempted("since-temporal", since)
    assert isinstance(made, Perturbed)
    assert made.good == "No test was done from the time we were elected."
    assert made.incorrect(since) == "No test was done because we were elected."
