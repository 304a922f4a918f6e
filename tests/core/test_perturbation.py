from __future__ import annotations

from assay.core.perturbation import Change, Perturbed

MADE = Perturbed((Change(0, 1, "x"),))


def test_an_item_is_as_sure_as_its_least_sure_part() -> None:
    assert MADE.confidence == 1.0 and MADE.confidence_by_part == {} and MADE.doubt(0.5) == ""
    twice = MADE.with_confidence(parse=0.9, sense=0.4).with_confidence(parse=0.7, fluency=0.95)
    assert twice.confidence_by_part == {"parse": 0.7, "sense": 0.4, "fluency": 0.95}
    assert twice.with_confidence(parse=0.8).confidence_by_part["parse"] == 0.7
    assert twice.confidence == 0.4


def test_the_least_sure_part_is_named() -> None:
    unsure = MADE.with_confidence(parse=0.3, sense=0.3, alignment=0.6)
    assert unsure.doubt(0.5) == "in doubt about the parse"  # alike: by their names
    assert unsure.doubt(0.3) == ""
