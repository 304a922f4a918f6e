from __future__ import annotations

import pytest

from tests.perturb.texts import attempt, every


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [("It was built in 1979.", 1940, 2030), ("It grew by 8%.", 1, 9), ("On July 25, it rained.", 1, 31)],
)
def test_numbers_stay_in_a_plausible_range(text: str, low: int, high: int) -> None:
    import re

    for made in every("number-replaced", text):
        value = int(re.findall(r"\d+", made)[0])
        assert low <= value <= high
        assert made != text


def test_a_range_never_runs_backwards() -> None:
    import re

    for made in every("number-replaced", "from 1920 to 1930"):
        first, second = (int(number) for number in re.findall(r"\d+", made))
        assert first < second


@pytest.mark.parametrize("text", ["Covid-19 spread.", "the F-35 flew", "802.11n is fast", "v2.0beta"])
def test_numbers_inside_names_are_left_alone(text: str) -> None:
    assert attempt("number-replaced", text) == "refused: no number"


def test_ordinals_keep_a_right_ending() -> None:
    for made in every("number-replaced", "It began in the 19th century."):
        ordinal = made.split()[4]
        ending = (
            "th" if ordinal[:-2] in ("11", "12", "13") else {"1": "st", "2": "nd", "3": "rd"}.get(ordinal[-3], "th")
        )
        assert ordinal.endswith(ending)
