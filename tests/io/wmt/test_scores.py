import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from assay.core.errors import InputError, UnknownName
from assay.io.wmt.scores import _careful, _quick, read_domain_scores, read_scores


def test_systems_in_any_order_and_none_is_nan():
    found = read_scores(b"B\t1.5\nB\tNone\nA\t-0.0\nA\t1e-3\n", "f", ["A", "B", "C"], 2)
    assert found[0].tolist() == [-0.0, 0.001]
    assert found[1, 0] == 1.5
    assert np.isnan(found[1, 1])
    assert np.isnan(found[2]).all()


def test_no_line_feed_at_the_end_and_lines_of_systems_mixed():
    assert read_scores(b"A\t1\nB\t2\nA\t3\nB\tNone", "f", ["A", "B"], 2)[0].tolist() == [1, 3]


def test_blanks_may_part_columns():
    assert read_scores(b"A 1\nA  2\n", "f", ["A"], 2).tolist() == [[1, 2]]


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"A\t1\nA\t2\nB\t1\n", r"f: system 'B' has 1 score, expected 2 \(one per segment\)"),
        (b"A\t1\nA\tnan\n", r"f line 2: the score of 'A' is nan. Write None"),
        (b"A\tinf\nA\t1\n", r"f line 1: the score of 'A' is inf"),
        (b"A\t1\nA\tx\n", r"f line 2: the score of 'A' is 'x', not a number"),
        (b"A\t1\nA\n", r"f line 2: 1 field, expected SYSTEM<TAB>SCORE"),
        (b"A\t1\t2\nA\t1\t2\n", r"f line 1: 3 fields"),
        (b"", r"f contains no scores"),
        (b"A\t1\n\xff\t2\n", r"f is not UTF-8 at byte 4"),
    ],
)
def test_faults_are_named(data, message):
    with pytest.raises(InputError, match=message):
        read_scores(data, "f", ["A", "B"], 2)


def test_unknown_systems_are_named():
    with pytest.raises(UnknownName, match=r"unknown system 'Alpah'. Did you mean Alpha\? \(in f\)"):
        read_scores(b"Alpah\t1\n", "f", ["Alpha"], 1)


def test_domain_scores():
    found = read_domain_scores(b"news\tB\t2\nsocial\tA\tNone\nnews\tA\t1\n", "f", ["A", "B"], ["news", "social"])
    assert found[:, 0].tolist() == [1, 2]
    assert np.isnan(found[:, 1]).all()
    with pytest.raises(UnknownName, match="unknown domain 'sport'"):
        read_domain_scores(b"sport\tB\t2\n", "f", ["A", "B"], ["news", "social"])
    with pytest.raises(UnknownName, match="unknown system 'X'"):
        read_domain_scores(b"news\tX\t2\n", "f", ["A", "B"], ["news", "social"])


@given(st.lists(st.one_of(st.none(), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=8))
def test_every_number_is_read_to_the_last_digit(values):
    row = np.array([np.nan if value is None else value for value in values])
    written = [f"A\t{value!r}\n" for value in values]
    assert np.array_equal(read_scores("".join(written).encode(), "f", ["A"], len(row))[0], row, equal_nan=True)
    domains = [f"d{i}" for i in range(len(row))]
    data = "".join(f"{domain}\t{line}" for domain, line in zip(domains, written, strict=True)).encode()
    assert np.array_equal(read_domain_scores(data, "f", ["A"], domains)[0], row, equal_nan=True)


LINE = st.one_of(
    st.tuples(st.sampled_from("AB"), st.floats(allow_nan=False, allow_infinity=False)).map(
        lambda p: f"{p[0]}\t{p[1]!r}"
    ),
    st.sampled_from(
        ["A\tNone", "B\t1_0", "A\tnan", "B\tinf", "A\t1\t2", "A", "", "A 1", "A\t٣", "A\t0x1", "B\t1e400", "\t1"]
    ),
)


@given(st.lists(LINE, max_size=5), st.sampled_from(["", "\n"]))
def test_the_quick_reader_agrees_with_the_careful_one_or_leaves_it_to_it(lines, end):
    data = ("\n".join(lines) + end).encode()
    quick = _quick(data)
    if quick is not None:
        names, values = _careful(data, "x")
        assert quick[0] == names and np.array_equal(quick[1], values, equal_nan=True)
    elif all(line == "A\tNone" or (line[1:2] == "\t" and _plain(line[2:])) for line in lines):
        assert not lines


def _plain(text):
    return text in map(repr, [float(text)] if text.replace("e", "").strip("-+.0123456789") == "" and text else [])


def test_without_polars_the_same_scores(monkeypatch):
    data = b"B\t0.1\nB\tNone\nA\t-3\nA\t1e-7\n"
    want = read_scores(data, "x", ["A", "B"], 2)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert np.array_equal(read_scores(data, "x", ["A", "B"], 2), want, equal_nan=True)
    assert want.tolist()[0] == [-3.0, 1e-7]
