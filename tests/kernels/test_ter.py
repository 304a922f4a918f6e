"""The TER kernel against its twin, and where sacrebleu's own loop is fast enough, against that."""

from __future__ import annotations

import random

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.lib_ter import translation_edit_rate

from assay.kernels import _native
from assay.kernels.reference.ter import ter_statistics


@st.composite
def pairs(draw: st.DrawFn, longest: int = 60) -> tuple[list[str], list[str]]:
    """A hypothesis and a reference over few words, often the reference with runs moved about and words changed."""
    words = st.sampled_from("abcdefghijklmnop"[: draw(st.integers(1, 16))])
    reference = draw(st.lists(words, max_size=longest))
    if draw(st.booleans()):
        return draw(st.lists(words, max_size=longest)), reference
    hypothesis = list(reference)
    for _ in range(draw(st.integers(1, 4))):
        start, end, target = sorted(draw(st.integers(0, longest)) for _ in range(3))
        hypothesis[start:target] = hypothesis[end:target] + hypothesis[start:end]
        if draw(st.booleans()):
            hypothesis[end : end + 1] = draw(st.lists(words, max_size=2))
    return hypothesis[:longest], reference


def native(hypothesis: list[str], *references: list[str]) -> list[float]:
    stats, _, bounded = _native.ter([" ".join(hypothesis)], [[" ".join(reference)] for reference in references], True)
    assert not bounded[0]
    return stats[0].tolist()


@given(pairs(), pairs())
@settings(max_examples=60)
@example(([], []), ([], ["a"]))
@example((["a"], []), (["a"], []))
@example(([], ["a"]), ([], ["a"]))
def test_kernel_equals_twin(first: tuple[list[str], list[str]], second: tuple[list[str], list[str]]) -> None:
    hypothesis, reference = first
    assert native(hypothesis, reference) == list(ter_statistics(hypothesis, [reference]))
    both = [reference, second[1]]
    assert native(hypothesis, *both) == list(ter_statistics(hypothesis, both))


@given(pairs(longest=25))
def test_twin_and_kernel_equal_sacrebleu(pair: tuple[list[str], list[str]]) -> None:
    hypothesis, reference = pair
    expected = list(translation_edit_rate(hypothesis, reference))
    assert native(hypothesis, reference) == expected
    assert list(ter_statistics(hypothesis, [reference])) == expected


@pytest.mark.parametrize(
    ("hyp_words", "ref_words", "vocabulary"),
    [
        (3, 200, 50),
        (1, 120, 5),
        (200, 3, 50),
        (150, 60, 400),
        (60, 150, 400),
        (130, 130, 400),
        (70, 70, 30),
        (90, 64, 300),
    ],
)
def test_where_the_beam_binds(hyp_words: int, ref_words: int, vocabulary: int) -> None:
    """Lengths far apart and texts that share little: the beam cuts paths off, and more than one machine word is used."""
    for seed in range(3):
        rng = random.Random(seed)
        hypothesis = [str(rng.randrange(vocabulary)) for _ in range(hyp_words)]
        reference = [str(rng.randrange(vocabulary)) for _ in range(ref_words)]
        assert native(hypothesis, reference) == list(translation_edit_rate(hypothesis, reference))


@pytest.mark.parametrize("words", [40, 63, 64, 65, 100, 140])
def test_long_moves(words: int) -> None:
    """A reference with runs moved far, over the borders of machine words, and a few words replaced."""
    for seed in range(3):
        rng = random.Random(seed)
        reference = [str(rng.randrange(3 * words)) for _ in range(words)]
        hypothesis = list(reference)
        for _ in range(3):
            start, end, target = sorted(rng.sample(range(words), 3))
            hypothesis[start:target] = hypothesis[end:target] + hypothesis[start:end]
            hypothesis[rng.randrange(words)] = "x"
        assert native(hypothesis, reference) == list(translation_edit_rate(hypothesis, reference))


def test_a_thousand_candidates_end_the_search() -> None:
    """Words that repeat give more candidates than the search may look at."""
    for seed in range(4):
        rng = random.Random(seed)
        hypothesis, reference = ([rng.choice("ab") for _ in range(n)] for n in (40, 45))
        assert native(hypothesis, reference) == list(translation_edit_rate(hypothesis, reference))


def test_reference_kept_between_rows_changes_nothing() -> None:
    rng = random.Random(3)
    references = [" ".join(rng.choices("abcdefgh", k=rng.randrange(30))) for _ in range(5)]
    rows = [(" ".join(rng.choices("abcdefghi", k=rng.randrange(30))), rng.choice(references)) for _ in range(60)]
    together = _native.ter([h for h, _ in rows], [[r for _, r in rows]], True)[0]
    assert together.tolist() == [native(h.split(), r.split()) for h, r in rows]


def test_lower_case_is_pythons_for_every_code_point() -> None:
    """Except for the two letters that the caller lowers beforehand, and white space, which is no word."""
    points = [chr(i) for i in range(0x110000) if chr(i) not in "\u0130\u03a3" and not chr(i).isspace()]
    upper = ["x" + point for point in points]
    stats, _, _ = _native.ter(upper, [[text.lower() for text in upper]], True)
    assert not stats[:, 0].any()
    stats, _, _ = _native.ter(upper, [["x" + point for point in points]], False)
    assert not stats[:, 0].any()


def test_beyond_two_thousand_words_no_shift_is_searched() -> None:
    words = [str(i) for i in range(2001)]
    swapped = [*words[:10], words[11], words[10], *words[12:]]
    stats, values, bounded = _native.ter(
        [" ".join(swapped), " ".join(words[:-1]), " ".join(swapped[:2000])],
        [[" ".join(words), " ".join(words), " ".join(words[:2000])]],
        True,
    )
    # two replacements instead of one shift; a deletion that no shift could better is exact; 2,000 words are searched
    assert stats[:, 0].tolist() == [2, 1, 1]
    assert bounded.tolist() == [True, False, False]
    assert values[0] == 100 * (2 / 2001)


def test_megabyte_lines_are_scored() -> None:
    a, b = "a b " * 250_000, "b c " * 250_000
    stats, _, bounded = _native.ter([a, b, "a"], [[b, b, b]], True)
    # a b a b … becomes b c b c …: one word dropped, every other replaced, one added
    assert stats[:, 0].tolist() == [250_001, 0, 500_000]
    assert bounded.tolist() == [True, False, False]
