from __future__ import annotations

import pytest

from tests.perturb.texts import IN_DOUBT, every, refusals, unexpected


def test_sentences_worked_out_by_hand() -> None:
    cases = [
        ("omitted-verb", "Catri said it.", {"Catri it."}),
        ("omitted-subject", "His research shows progress.", {"His shows progress."}),
        ("omitted-subject", "Air accidents are common.", {"Are common."}),
        ("omitted-adjective-adverb", "Rangers closely monitor shooters.", {"Rangers monitor shooters."}),
        ("omitted-adjective-adverb", "She has an important job.", {"She has a job."}),
        ("omitted-prepositional-phrase", "She is in custody.", {"She is."}),
        ("omitted-prepositional-phrase", "In 1989, he left.", {"He left."}),
        ("omitted-name", "The goods come from Central America.", {"The goods come from."}),
    ]
    assert unexpected(cases) == []


@pytest.mark.parametrize("text", ["Merkel spoke.", "The rule limits the EU's ability.", '"Why?" asked Martin.'])
def test_a_subject_or_owner_is_not_omitted(text: str) -> None:
    (reason,) = refusals("omitted-name", text)
    assert reason in (f"{IN_DOUBT}parse", "no name")


def test_a_conjunction_goes_with_its_comma() -> None:
    assert every("omitted-conjunction", "However, it failed.") == {"It failed."}
