"""Runs of characters in common, beside counting them one length after the other."""

from __future__ import annotations

import time
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from assay.metrics.embedding.mee import character_bleu, common_runs

TEXTS = st.text("ab ", max_size=24) | st.text(max_size=12)


@given(TEXTS, TEXTS, st.integers(1, 12))
def test_the_counts_are_those_of_each_length(one: str, other: str, longest: int) -> None:
    def runs(text: str, size: int) -> Counter[str]:
        return Counter(text[i : i + size] for i in range(len(text) - size + 1))

    counted = [sum((runs(one, size) & runs(other, size)).values()) for size in range(1, longest + 1)]
    assert common_runs(one, other, longest) == counted


def test_a_long_text_takes_no_minutes() -> None:
    """12,000 characters, runs up to 4,000: counting each length took over a minute."""
    text = "the cat sat on the mat and the dog ran. " * 300
    started = time.process_time()
    assert character_bleu(text, text) == 1.0
    assert character_bleu(text[5:], text) < 1.0
    assert time.process_time() - started < 10
