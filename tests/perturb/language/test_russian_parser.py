from __future__ import annotations

from assay.perturb.language.russian_parser import _reaches_the_root


def test_heads_in_a_circle() -> None:
    # 1 -> 2 -> root; 3 and 4 hold each other.
    assert [_reaches_the_root([2, 0, 4, 3], i) for i in range(4)] == [True, True, False, False]
