"""The ROUGE kernel against its twin."""

from __future__ import annotations

import random
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rapidfuzz.distance import LCSseq
from rouge_score.tokenize import tokenize

from assay.kernels import _native
from assay.kernels.reference import rouge as twin

words = st.lists(st.sampled_from(["a", "B", "c", "d4", "É", "日本", "K", "İx", "\ud800", "x\0y", "."]), max_size=12)
text = words.map(" ".join) | words.map("".join) | st.text(st.characters(exclude_categories=()), max_size=20)


@settings(max_examples=600)
@given(st.lists(st.tuples(text, text, text | st.none()), min_size=1, max_size=4), st.integers(0, 5))
def test_kernel_is_its_twin(rows: list[tuple[str, str, str | None]], order: int) -> None:
    rows = [row for row in rows for _ in range(2)]  # consecutive rows share their references
    hyps, first, second = map(list, zip(*rows, strict=True))
    f1, precision, recall, unsupported = _native.rouge(hyps, [first, second], order)
    for i, (hyp, *texts) in enumerate(rows):
        refs = [ref for ref in texts if ref is not None]
        assert (f1[i], precision[i], recall[i]) == pytest.approx(twin.rouge(hyp, refs, order), abs=1e-12)
        assert unsupported[i] == any(map(twin.unsupported_script, (hyp, *refs)))


@settings(max_examples=100)
@given(st.lists(st.sampled_from("abcdefgh"), max_size=300), st.lists(st.sampled_from("abcdefgh"), max_size=300))
def test_common_subsequence_across_words_of_bits(one: list[str], other: list[str]) -> None:
    _, precision, recall, _ = _native.rouge([" ".join(one)], [[" ".join(other)]], 0)
    length = twin.longest_common_subsequence(one, other)
    assert (precision[0], recall[0]) == (length / max(len(one), 1), length / max(len(other), 1))


def test_lower_case_on_every_character() -> None:
    # A block of characters between letters: the kernel must see exactly the tokens that rouge-score sees.
    blocks = [" ".join(f"A{chr(c)}B" for c in range(start, start + 256)) for start in range(0, 0x110000, 256)]
    tokens = [" ".join(tokenize(block, None)) for block in blocks]
    assert [" ".join(twin.rouge_tokens(block)) for block in blocks] == tokens
    f1, *_ = _native.rouge(blocks, [tokens], 0)  # an LCS of full length on both sides: the same sequence
    assert np.all(f1 == 1)


def test_unsupported_script_on_every_character() -> None:
    *_, unsupported = _native.rouge([chr(c) for c in range(0x110000)], [["a"] * 0x110000], 1)
    expected = [chr(c).isalnum() and not tokenize(chr(c), None) for c in range(0x110000)]
    assert unsupported.tolist() == expected


def test_a_long_line_stays_cheap() -> None:
    # 200,000 distinct tokens would need 5 GB as one bit mask a token.
    line = " ".join(f"w{i}" for i in range(200_000))
    f1, *_ = _native.rouge([line], [[line + " end"]], 0)
    assert f1[0] == pytest.approx(2 * 200_000 / 400_001)


def zipf(rng: random.Random, words: int) -> list[str]:
    return [f"w{int(rng.paretovariate(1))}" for _ in range(words)]


def common(one: list[str], other: list[str]) -> float:
    _, precision, recall, _ = _native.rouge([" ".join(one)], [[" ".join(other)]], 0)
    assert precision[0] * max(len(one), 1) == pytest.approx(recall[0] * max(len(other), 1))
    return recall[0] * max(len(other), 1)


@pytest.mark.parametrize("words", [255, 256, 257, 1000, 3000])
@pytest.mark.parametrize("seed", range(3))
def test_long_lines_equal_rapidfuzz(words: int, seed: int) -> None:
    """Lines of every make: words in all blocks and in few, runs, periods, and one word far from its place."""
    rng = random.Random(seed)
    names = [f"w{i}" for i in range(words)]
    lines = [
        names,
        names[-1:] + names[:-1],
        rng.sample(names, words),
        ["a"] * words,
        ["x", *["a"] * words, "y"],
        ["a"] * (words // 2) + ["b"] * (words // 2),
        ["b"] * (words // 2) + ["a"] * (words // 2),
        ["a", "b"] * (words // 2),
        ["a", "b", "w1"] * (words // 3),
        rng.choices("ab", k=words),
        rng.choices("abcde", k=words),
        rng.choices(names[:50], k=words),
        zipf(rng, words),
        zipf(rng, words)[: words // 3] + names[: words // 3] + ["a"] * (words // 3),
    ]
    for one in lines:
        for other in rng.sample(lines, 5):
            assert common(one, other) == pytest.approx(LCSseq.similarity(one, other))


def test_repeated_words_cost_no_more_than_distinct_ones() -> None:
    """Twice the time is allowed; a step for every block and token would take more than ten times."""

    def seconds(one: list[str], other: list[str]) -> float:
        hypothesis, reference = " ".join(one), " ".join(other)
        best = float("inf")
        for _ in range(3):
            started = time.thread_time()
            _native.rouge([hypothesis], [[reference]], 0)
            best = min(best, time.thread_time() - started)
        return best

    names = [f"w{i}" for i in range(100_000)]
    distinct = seconds(names, [*names, "x"])
    assert seconds(["x", *["w"] * 100_000], ["w"] * 100_000 + ["y"]) < 2 * distinct
    assert seconds(["a", "b"] * 50_000, ["b", "a"] * 50_000) < 2 * distinct
