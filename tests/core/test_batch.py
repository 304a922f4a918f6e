from __future__ import annotations

import pytest

from assay.core import Batch, ErrorSpan, InputError


def batch() -> Batch:
    return Batch(
        ["a", "b", "c"], sources=["x", "y", "z"], references=(["r", "s", "t"], ["u", None, "w"]), ids=["1", "2", "3"]
    )


def test_a_row_is_a_segment() -> None:
    segment = batch()[1]
    assert (segment.hypothesis, segment.source, segment.references, segment.id) == ("b", "y", ("s",), "2")
    assert segment.system is None


def test_slice_and_select_keep_columns_together() -> None:
    assert batch().slice(1, 3).references == (["s", "t"], [None, "w"])
    chosen = batch().select([2, 0])
    assert (chosen.hypotheses, chosen.ids, chosen.nrefs) == (["c", "a"], ["3", "1"], 2)


def test_columns_must_match() -> None:
    with pytest.raises(InputError, match=r"reference 2 has 1 segment, but hypotheses has 2"):
        Batch(["a", "b"], references=(["r", "s"], ["t"]))
    with pytest.raises(InputError, match="not one string"):
        Batch("abc")


def test_a_span_cuts_its_own_text() -> None:
    span = ErrorSpan.of("Der Vertrag von 1979", 16, 20, "critical", "number")
    assert span.text == "1979"
    with pytest.raises(InputError, match="outside the text, which has 3 characters"):
        ErrorSpan.of("abc", 2, 4, "minor")
    with pytest.raises(InputError, match="Available: neutral, minor"):
        ErrorSpan.of("abc", 0, 1, "bad")
