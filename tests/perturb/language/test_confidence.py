from __future__ import annotations

from assay.core.perturbation import Change, Perturbed
from assay.perturb.language.confidence import confidence, confident, doubt, parts_of

MADE = Perturbed((Change(0, 1, "x"),))


def test_an_item_is_as_sure_as_its_least_sure_part() -> None:
    assert confidence(MADE) == 1.0 and parts_of(MADE) == {} and doubt(MADE, 0.5) == ""
    twice = confident(confident(MADE, parse=0.9, sense=0.4), parse=0.7, fluency=0.95)
    assert parts_of(twice) == {"parse": 0.7, "sense": 0.4, "fluency": 0.95}
    assert parts_of(confident(twice, parse=0.8))["parse"] == 0.7
    assert confidence(twice) == 0.4


def test_the_least_sure_part_is_named() -> None:
    unsure = confident(MADE, parse=0.3, sense=0.3, alignment=0.6)
    assert doubt(unsure, 0.5) == "in doubt about the parse"  # alike: by their names
    assert doubt(unsure, 0.3) == ""
