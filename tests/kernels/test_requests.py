from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.kernels import _native
from assay.kernels.reference import requests as twin

WORD = st.sampled_from(
    ["", "a", "b", " ", "copied text", "x" * 80, "\ud800", "말" * 60, "字" * 30, "𠀀か" * 30, "ж" * 70]
)
ROWS = st.lists(st.tuples(WORD, WORD, st.none() | WORD, WORD), max_size=30)


@given(ROWS)
def test_distinct_agrees_with_its_twin(rows: list[tuple[str, str, str | None, str]]) -> None:
    hypotheses, first, second, sources = ([row[i] for row in rows] for i in range(4))
    kept, inverse = _native.distinct(hypotheses, [first, second], [sources])
    expected = twin.distinct(hypotheses, [first, second], [sources])
    assert (kept.tolist(), inverse.tolist()) == expected


@pytest.mark.parametrize(
    ("hypothesis", "source", "reference", "bits"),
    [
        ("x" * 151, None, "x" * 50, 4),
        ("x" * 150, None, "x" * 50, 0),  # not more than three times
        ("x" * 60, None, "x" * 10, 0),  # not more than 50 characters
        ("x" * 50, None, "x" * 151, 16),
        ("", None, "x" * 151, 1),  # empty, and that says it all
        ("x" * 151, "x" * 50, None, 4),  # without a reference the source is the measure
        ("x" * 151, "字" * 50, None, 0),  # fifty characters that may be fifty words: 150
        ("字" * 51, "x" * 51, None, 0),  # 153 is three times 51, not more
        ("字" * 52, "x" * 51, None, 4),
        ("말" * 25, "x" * 151, None, 16),  # two each: 50
        ("말" * 26, "x" * 151, None, 0),
        ("x" * 151, "x" * 151, "x" * 50, 2 + 4),
    ],
)
def test_far_longer_and_far_shorter(hypothesis: str, source: str | None, reference: str | None, bits: int) -> None:
    sources = None if source is None else [source]
    assert _native.describe([hypothesis], sources, [[reference]], 3.0, 50).tolist() == [bits]
    assert twin.describe(hypothesis, source, (reference,), 3.0, 50) == bits


@given(ROWS)
def test_describe_agrees_with_its_twin(rows: list[tuple[str, str, str | None, str]]) -> None:
    hypotheses, first, second, sources = ([row[i] for row in rows] for i in range(4))
    bits = _native.describe(hypotheses, sources, [first, second], 3.0, 50)
    assert bits.tolist() == [twin.describe(h, s, (a, b), 3.0, 50) for h, a, b, s in rows]
    bits = _native.describe(hypotheses, sources, [second], 2.0, 10)
    assert bits.tolist() == [twin.describe(h, s, (b,), 2.0, 10) for h, _, b, s in rows]


def test_sources_must_be_as_many_as_the_hypotheses() -> None:
    with pytest.raises(ValueError, match="as many"):
        _native.describe(["a", "b"], ["a"], [["r", "r"]], 3.0, 5)


def test_no_code_of_a_subclass_is_run() -> None:
    class Loud(str):
        __slots__ = ()

        def __hash__(self) -> int:
            raise RuntimeError("asked for its hash")

    rows, inverse = _native.distinct([Loud("a"), "b", "a"], [["r", "r", Loud("r")]], [])
    assert (rows.tolist(), inverse.tolist()) == ([0, 1], [0, 1, 0])


def test_what_is_no_text_is_named() -> None:
    with pytest.raises(TypeError, match=r"references\[1\] is int, not str"):
        _native.distinct(["a", "b"], [["r", 3]], [])
