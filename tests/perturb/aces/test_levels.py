from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed, Refused
from tests.perturb.texts import attempted


def test_levels_follow_the_distance_between_translation_and_reference() -> None:
    near = Segment("Im Jahr 1867 kamen 340 Leute.", "x", ("Im Jahre 1867 kamen 340 Leute an.",), "en-de")
    far = Segment(
        "340 Menschen trafen damals ein, man schrieb 1867.", "x", ("Im Jahre 1867 kamen 340 Leute an.",), "en-de"
    )
    made = attempted("number-level-2", near)
    assert isinstance(made, Perturbed)
    assert made.base == near.references[0] and made.good is None
    assert made.incorrect(near).startswith("Im Jahre ") and made.incorrect(near) != near.references[0]
    assert isinstance(attempted("number-level-3", near), Refused)
    assert isinstance(attempted("number-level-3", far), Perturbed)
    assert isinstance(attempted("number-level-2", far), Refused)
