from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.kernels import _native
from assay.kernels.twins import requests as twin

WORD = st.sampled_from(["", "a", "b", " ", "copied text", "x" * 80, "\ud800"])
ROWS = st.lists(st.tuples(WORD, WORD, st.none() | WORD, WORD), max_size=30)


@given(ROWS)
def test_distinct_agrees_with_its_twin(rows: list[tuple[str, str, str | None, str]]) -> None:
    hypotheses, first, second, sources = ([row[i] for row in rows] for i in range(4))
    kept, inverse = _native.distinct(hypotheses, [first, second], [sources])
    expected = twin.distinct(hypotheses, [first, second], [sources])
    assert (kept.tolist(), inverse.tolist()) == expected


@given(ROWS)
def test_describe_agrees_with_its_twin(rows: list[tuple[str, str, str | None, str]]) -> None:
    hypotheses, first, second, sources = ([row[i] for row in rows] for i in range(4))
    bits = _native.describe(hypotheses, sources, [first, second], 3.0, 50)
    assert bits.tolist() == [twin.describe(h, s, (a, b), 3.0, 50) for h, a, b, s in rows]
