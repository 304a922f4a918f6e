from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Annotated, Any, Literal

import pytest

from assay.core.errors import AssayError
from assay.core.schema import Bounds, Place, typed


@dataclass(frozen=True)
class Group:
    above: float | None
    n: Annotated[int, Bounds(0, 100)] = 0
    goal: Literal["clean", "catch"] = "clean"


@dataclass(frozen=True)
class Document:
    groups: Mapping[str, Group]
    names: tuple[str, ...] = ()
    pair: tuple[int, float] = (1, 2.0)
    layer: int | str = "mix"
    extra: Mapping[str, Any] = field(default_factory=dict)


def test_what_fits_comes_back_typed() -> None:
    plain = {
        "groups": {"de": {"above": 1, "n": 3}},
        "names": ["a"],
        "pair": [1, "1e-6"],
        "layer": 4,
        "extra": {"x": [None]},
    }
    assert typed(Document, plain, Place("a.json")) == Document(
        {"de": Group(1.0, 3)}, ("a",), (1, 1e-6), 4, {"x": [None]}
    )
    assert typed(Document, {"groups": {"de": {"above": None}}}, Place()).groups["de"].above is None


@pytest.mark.parametrize(
    ("plain", "said"),
    [
        ([], "a.json must be a mapping of names to values, not a list of 0 values."),
        ({}, "a.json is missing 'groups'."),
        ({"groups": {"de": {}}}, "a.json: groups.de is missing 'above'."),
        ({"groups": {"de": {"above": "x"}}}, "a.json: groups.de.above must be a number, not 'x'."),
        ({"groups": {"de": {"above": "1_000"}}}, "a.json: groups.de.above must be a number, not '1_000'."),
        ({"groups": {"de": {"above": True}}}, "a.json: groups.de.above must be a number, not true."),
        ({"groups": {"de": {"above": math.inf}}}, "a.json: groups.de.above must be a finite number, not inf."),
        ({"groups": {"de": {"above": 10**400}}}, "a.json: groups.de.above must be a number, not a number of more than 60 digits."),
        ({"groups": {"de": {"above": 1, "n": 2.5}}}, "a.json: groups.de.n must be a whole number, not 2.5."),
        ({"groups": {"de": {"above": 1, "n": 101}}}, "a.json: groups.de.n must be between 0 and 100, not 101."),
        ({"groups": {}, "names": "ab"}, "a.json: names must be a list, not 'ab'."),
        ({"groups": {}, "names": ["a", None]}, "a.json: names[2] must be text, not null."),
        ({"groups": {}, "pair": [1]}, "a.json: pair must have 2 values, not 1."),
        ({"groups": {}, "layer": {}}, "a.json: layer must be a whole number or text, not an empty object."),
        ({"groups": {"de": {"above": 1, "goal": ["clean"]}}}, "unknown value 'a list of 1 value' of a.json: groups.de.goal."),
        ({"groups": {}, "nams": []}, "unknown key 'nams'. Did you mean names?"),
    ],
)  # fmt: skip
def test_what_does_not_is_named_with_its_place(plain: Any, said: str) -> None:
    with pytest.raises(AssayError) as caught:
        typed(Document, plain, Place("a.json"))
    assert str(caught.value).startswith(said)


def test_unknown_keys_are_passed_over_where_they_may_be() -> None:
    assert typed(Document, {"groups": {"de": {"above": 1, "new": 2}}, "more": 1}, Place(), strict=False).groups


def test_a_message_stays_short_and_on_one_line() -> None:
    with pytest.raises(AssayError) as caught:
        typed(Document, {"groups": {"x\n" * 500: {"above": "y\n" * 5000}}}, Place("a.json"))
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250
