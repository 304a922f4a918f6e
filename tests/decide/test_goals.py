from __future__ import annotations

import pytest

from assay.core.errors import AssayError
from assay.decide.goals import Catch, Clean, Cost, parse_goal


def test_goals_as_people_say_them() -> None:
    assert parse_goal("catch 95%") == Catch(0.95)
    assert parse_goal("Catch 90 % of breakdowns") == Catch(0.9)
    assert parse_goal("at most 2% bad", 0.95) == Clean(0.02, 0.95)
    assert parse_goal("at most 2.5% bad among accepted") == Clean(0.025)
    assert parse_goal("cost use-bad=10 review=1 reject-good=4") == Cost(10, 1, 4)
    assert str(parse_goal("catch 95%")) == "catch 95% of breakdowns"


@pytest.mark.parametrize(
    "text",
    ["", "be good", "catch 0%", "catch 100%", "catch 1.2.3%", "at most 200% bad", "cost use-bad=10", "cost a=1",
     "cost use-bad=x review=1 reject-good=1", "cost use-bad=0 review=1 reject-good=1"],
)  # fmt: skip
def test_anything_else_is_refused_in_a_sentence(text: str) -> None:
    with pytest.raises(AssayError, match=r"goal|cost"):
        parse_goal(text)
    with pytest.raises(AssayError, match="confidence"):
        parse_goal("at most 2% bad", 1.0)


def test_levels_of_a_cost_matrix_by_hand() -> None:
    # Use costs 10 p, review 1, reject 4 (1 - p): use up to p = 0.1, reject from 1 - 1/4 on.
    assert Cost(10, 1, 4).levels() == pytest.approx((0.1, 0.75))
    # A review that costs more than either at their crossing (p = 4/14, cost 2.86) is never chosen.
    assert Cost(10, 3, 4).levels() == pytest.approx((4 / 14, 4 / 14))
