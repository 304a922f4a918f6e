from __future__ import annotations

import pytest

from tests.perturb.texts import IN_DOUBT, refusals, unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("omitted-verb", "Catri said it.", {"Catri it."}),
        ("omitted-subject", "His research shows progress.", {"His shows progress."}),
        ("omitted-subject", "Air accidents are common.", {"Are common."}),
        ("omitted-adjective-adverb", "Rangers closely monitor shooters.", {"Rangers monitor shooters."}),
        ("omitted-adjective-adverb", "She has an important job.", {"She has a job."}),
        ("omitted-name", "The goods come from Central America.", {"The goods come from."}),
    ]
    assert unexpected(cases) == []


@pytest.mark.parametrize("text", ["Merkel spoke.", "The rule limits the EU's ability.", '"Why?" asked Martin.'])
def test_a_subject_or_owner_is_not_omitted(text: str) -> None:
    (reason,) = refusals("omitted-name", text)
    assert reason in (f"{IN_DOUBT}parse", "no name")
