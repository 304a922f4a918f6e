"""Groups of segments by length: about as many in each, in order, called by what they hold."""

from __future__ import annotations

from assay.engine.grouping import length_names
from assay.engine.pairing import order_of


def test_quarters_by_hand() -> None:
    # Of 1 to 8 the quartiles (inverted distribution function) are 2, 4 and 6.
    names = length_names(str(n) for n in (8, 7, 6, 5, 4, 3, 2, 1))
    assert names == {
        "1": "1–2 characters", "2": "1–2 characters", "3": "3–4 characters", "4": "3–4 characters",
        "5": "5–6 characters", "6": "5–6 characters", "7": "7–8 characters", "8": "7–8 characters",
    }  # fmt: skip


def test_equal_lengths_are_one_group_and_groups_stand_in_order() -> None:
    assert length_names(["1", "1", "1"]) == {"1": "1 character"}
    names = length_names(["5", "1200", "1200", "1200", "40", "40"])
    assert order_of({"x": [names["1200"], names["40"], names["5"]]}, "length") == [
        "5–40 characters",
        "41–1200 characters",
    ]
