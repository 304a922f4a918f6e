from __future__ import annotations

from tests.perturb.texts import unexpected


def test_sentences_worked_out_by_hand() -> None:
    # spaCy's small model gives hop, rat and fin for hopes, rated and fined.
    cases = [
        (
            "tense",
            "They were found in samples.",
            {"They are found in samples.", "They will be found in samples."},
        ),
        ("tense", "She will leave soon.", {"She left soon."}),
        ("tense", "He works here.", {"He worked here.", "He will work here."}),
        ("aspect", "He has been unable to relax.", {"He is being unable to relax."}),
        ("aspect", "One person was shot.", {"One person was being shot."}),
        ("aspect", "Workers arrive in Moscow.", {"Workers are arriving in Moscow."}),
        ("aspect", "The plan may have appealed to them.", {"The plan may be appealing to them."}),
        ("tense", "The court fined him.", {"The court fines him.", "The court will fine him."}),
        ("aspect", "She hopes so.", {"She is hoping so."}),
        ("aspect", "The court fined him.", {"The court was fining him."}),
    ]
    assert unexpected(cases) == []
