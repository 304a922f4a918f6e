"""The ROUGE kernel against its twin."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rouge_score.tokenize import tokenize

from assay.kernels import _native
from assay.kernels.twins import rouge as twin

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
