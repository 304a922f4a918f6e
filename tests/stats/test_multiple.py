import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from assay.core.errors import UnknownName
from assay.stats.multiple import benjamini_hochberg, bonferroni, corrected, holm


def test_by_hand():
    p = [0.01, 0.04, 0.03]
    assert bonferroni(p) == pytest.approx([0.03, 0.12, 0.09])
    # Holm: 0.01·3 = 0.03, 0.03·2 = 0.06, then max(0.06, 0.04·1) = 0.06
    assert holm(p) == pytest.approx([0.03, 0.06, 0.06])
    # BH: 0.04·3/3 = 0.04, min(0.04, 0.03·3/2 = 0.045) = 0.04, 0.01·3/1 = 0.03
    assert benjamini_hochberg(p) == pytest.approx([0.03, 0.04, 0.04])


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_benjamini_hochberg_equals_scipy(p):
    assert benjamini_hochberg(p) == pytest.approx(stats.false_discovery_control(p))


@given(st.lists(st.floats(0, 1), max_size=30))
def test_holm_lies_between_raw_and_bonferroni(p):
    raw, middle, strict = corrected(p), holm(p), bonferroni(p)
    assert (raw <= middle + 1e-15).all()
    assert (middle <= strict + 1e-15).all()


def test_unknown_method():
    with pytest.raises(UnknownName, match="holm"):
        corrected([0.1], "hollm")
