from __future__ import annotations

from assay.core.batch import Segment
from assay.core.perturbation import Perturbed
from tests.perturb.texts import attempted


def test_the_other_noun_is_named() -> None:
    gel = Segment(
        "He liked the gel more than the spray because the spray ruined his hair.",
        "Il aimait le gel plus que le spray, car le spray abîmait ses cheveux.",
        (),
        "fr-en",
    )
    made = attempted("commonsense-src-and-ref-ambiguous", gel)
    assert isinstance(made, Perturbed)
    assert made.incorrect(gel).endswith("because the gel ruined his hair.")
    assert (
        made.source == "Il aimait le gel plus que le spray."
        and made.reference == "He liked the gel more than the spray."
    )
