from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from assay.kernels import _native
from assay.kernels.reference.chrf import chrf_statistics

# Few letters make many matches; the rest makes every branch: punctuation, white space of all kinds, wide and odd characters.
TEXT = st.text(alphabet=st.sampled_from("aab.(,) \t\u00a0\u3000\x85éΣ中文😀\x00\ud800"), max_size=40)


@given(TEXT, TEXT, st.integers(1, 9), st.integers(0, 4), st.booleans())
def test_kernel_agrees_with_its_twin(hypothesis: str, reference: str, nc: int, nw: int, space: bool) -> None:
    stats, _ = _native.chrf([hypothesis], [[reference]], nc, nw, 2.0, space, False)
    assert stats[0].tolist() == chrf_statistics(hypothesis, reference, nc, nw, space)


@given(st.text(max_size=700), st.text(max_size=700))
def test_large_alphabets_take_the_deep_table(hypothesis: str, reference: str) -> None:
    reference = reference + "".join(map(chr, range(0x4E00, 0x4E00 + 300)))
    stats, _ = _native.chrf([hypothesis + reference[::-1]], [[reference]], 6, 2, 2.0, False, False)
    assert stats[0].tolist() == chrf_statistics(hypothesis + reference[::-1], reference, 6, 2, False)


@given(st.lists(st.tuples(TEXT, st.sampled_from(["ab a.b", "", "中文 a"])), max_size=12))
def test_a_kept_reference_changes_nothing(rows: list[tuple[str, str]]) -> None:
    hypotheses, references = [row[0] for row in rows], [row[1] for row in rows]
    together, values = _native.chrf(hypotheses, [references], 6, 2, 2.0, False, False)
    for i, (hypothesis, reference) in enumerate(rows):
        alone, value = _native.chrf([hypothesis], [[reference]], 6, 2, 2.0, False, False)
        assert together[i].tolist() == alone[0].tolist()
        assert values[i] == value[0]
