from __future__ import annotations

from tests.perturb.texts import unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("gender-pronoun", "He is tired.", {"She is tired."}),
        ("gender-pronoun", "I saw her yesterday.", {"I saw him yesterday."}),
        ("gender-pronoun", "Her book was sold.", {"His book was sold."}),
        ("pronoun-case", "She announced a plan.", {"Her announced a plan."}),
        ("pronoun-case", "They met us.", {"Them met us.", "Their met us.", "They met we.", "They met our."}),
        ("function-word", "A dog barked.", {"An dog barked."}),
    ]
    assert unexpected(cases) == []
