from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from assay.core.metric import Scores
from assay.core.spans import ErrorSpan
from assay.engine.records import pack, unpack


def same(a: Scores, b: Scores) -> None:
    np.testing.assert_array_equal(a.values, b.values)
    assert (a.stats is None) == (b.stats is None)
    if a.stats is not None and b.stats is not None:
        np.testing.assert_array_equal(a.stats, b.stats)
    assert list(a.components) == list(b.components) and set(a.flags) == set(b.flags)
    for name, column in a.components.items():
        np.testing.assert_array_equal(column, b.components[name])
    for name, raised in a.flags.items():
        np.testing.assert_array_equal(raised, b.flags[name])
        assert b.flags[name].dtype == bool
    assert (None if a.spans is None else list(map(tuple, a.spans))) == (None if b.spans is None else list(b.spans))


NUMBERS = st.floats(width=64)
SPAN = st.builds(
    ErrorSpan,
    st.sampled_from(["source", "target"]),
    st.integers(0, 9),
    st.integers(10, 99),
    st.sampled_from(["minor", "critical"]),
    st.text(max_size=3),
    st.text(st.characters(), max_size=5),
    st.none() | st.floats(0, 1),
)


@st.composite
def scores(draw: st.DrawFn) -> Scores:
    n = draw(st.integers(0, 6))
    names = st.lists(st.text(max_size=4), unique=True, max_size=3)
    width = draw(st.none() | st.integers(0, 4))
    return Scores(
        values=draw(hnp.arrays(np.float64, n, elements=NUMBERS)),
        stats=None if width is None else draw(hnp.arrays(np.float64, (n, width), elements=NUMBERS)),
        components={name: draw(hnp.arrays(np.float64, n, elements=NUMBERS)) for name in draw(names)},
        flags={name: draw(hnp.arrays(bool, n)) for name in draw(names)},
        spans=draw(st.none() | st.lists(st.lists(SPAN, max_size=2).map(tuple), min_size=n, max_size=n)),
    )


@given(scores())
def test_there_and_back(original: Scores) -> None:
    records = pack(original)
    assert len(records) == len(original)
    if len(original):
        same(original, unpack(records))


def test_nothing() -> None:
    assert len(unpack([])) == 0


def test_records_from_different_calls_mix() -> None:
    """A flag that one call never raised is not raised there; the order is that of the records."""
    one = Scores(np.array([1.0, 2.0]), flags={"empty": np.array([True, False])})
    two = Scores(np.array([3.0, 4.0]))
    a, b = pack(one), pack(two)
    mixed = unpack([b[1], a[0], b[0], a[1]])
    assert mixed.values.tolist() == [4.0, 1.0, 3.0, 2.0]
    assert mixed.flags["empty"].tolist() == [False, True, False, False]


@pytest.mark.parametrize("damage", [b"", b"\x05", b"\x02\x00{}", b"\xff\xff123"])
def test_damage_is_a_value_error(damage: bytes) -> None:
    with pytest.raises(ValueError, match="damaged"):
        unpack([damage, *pack(Scores(np.array([1.0])))])
    whole = pack(Scores(np.array([1.0])))[0]
    with pytest.raises(ValueError, match="damaged"):
        unpack([whole[:-1]])
