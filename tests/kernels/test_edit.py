"""The edit-distance kernel against its twin and against rapidfuzz."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from assay.kernels import _native
from assay.kernels.reference.edit import error_rate

LETTERS = st.text(st.sampled_from("ab c\u4e2d\U0001f600\ud800\x00"), max_size=200)
ANY = st.text(max_size=30)


@given(LETTERS | ANY, st.lists(LETTERS | ANY, min_size=1, max_size=3))
@example("", [""])
@example("a", [""])
@example("", ["a", ""])
@example("a" * 64, ["a" * 64 + "b"])
@example("x" + "a" * 130, ["a" * 130 + "y"])
def test_kernel_equals_twin(hypothesis: str, references: list[str]) -> None:
    columns = [[reference] for reference in references]
    for kernel, symbols in ((_native.cer, list), (_native.wer, str.split)):
        stats, values, bounded = kernel([hypothesis], columns)
        edits, length, rate = error_rate(symbols(hypothesis), [symbols(reference) for reference in references])
        assert (*stats[0], values[0]) == (edits, length, rate)
        assert not bounded[0]


@pytest.mark.parametrize("seed", range(20))
def test_long_texts_equal_rapidfuzz(seed: int) -> None:
    """Many blocks, bands that must widen, lengths far apart, alphabets too large to keep all match masks."""
    rng = random.Random(seed)
    alphabet = "ab" if seed % 3 == 0 else [chr(0x4E00 + i) for i in range(20_000)] if seed % 3 == 1 else "abcdefghij"
    reference = "".join(rng.choices(alphabet, k=rng.randrange(500, 9000)))
    if seed % 2:
        hypothesis = "".join(rng.choices(alphabet, k=rng.randrange(500, 9000)))
    else:
        cut = sorted(rng.sample(range(len(reference)), 6))
        hypothesis = reference[: cut[0]] + reference[cut[3] : cut[5]] + reference[cut[1] : cut[2]] + reference[cut[4] :]
    stats, _, bounded = _native.cer([hypothesis], [[reference]])
    assert stats[0].tolist() == [Levenshtein.distance(hypothesis, reference), len(reference)]
    assert not bounded[0]


def test_reference_kept_between_rows_changes_nothing() -> None:
    rng = random.Random(5)
    references = ["".join(rng.choices("abcd ", k=rng.randrange(150))) for _ in range(5)]
    rows = [("".join(rng.choices("abcde ", k=rng.randrange(150))), rng.choice(references)) for _ in range(60)]
    for kernel in (_native.cer, _native.wer):
        together = kernel([h for h, _ in rows], [[r for _, r in rows]])[0]
        alone = [kernel([h], [[r]])[0][0].tolist() for h, r in rows]
        assert together.tolist() == alone


def test_a_missing_reference_is_passed_over() -> None:
    stats, values, _ = _native.cer(["abc"], [[None], ["abd"]])
    assert stats.tolist() == [[1, 3]]
    assert values.tolist() == [1 / 3]


def test_megabyte_lines_are_bounded_from_above_and_flagged() -> None:
    rng = random.Random(1)
    reference = "".join(rng.choices("abcdefgh ", k=1_000_000))
    other = "".join(rng.choices("ijklmnop ", k=1_000_000))
    near = reference[:1000] + "x" + reference[1001:500_000] + reference[500_010:]
    stats, values, bounded = _native.cer([other, near, reference], [[reference] * 3])
    assert bounded.tolist() == [True, False, False]
    assert stats[1:, 0].tolist() == [11, 0]  # one character replaced, ten deleted; nothing
    # only spaces match, at most one character in nine of either side
    assert 0.85 <= values[0] <= 1.0
