"""The BLEU kernel against its twin, and the 13a tokenizer against sacrebleu's."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from sacrebleu.tokenizers.tokenizer_13a import Tokenizer13a

from assay.kernels import _native
from assay.kernels.reference import bleu as twin
from tests.data import demetr_requests, ntrex

PIECES = [*"aZ09.,.,..-'/ \t\n\r\v\x1c\x85\xa0\0&;<>[]{}!\"$%()*+:=?@\\^_`|~", "&quot;", "&amp;", "&lt;", "&gt;"]
PIECES += [
    "&amp;lt;",
    "<skipped>",
    "-\n",
    "1,000",
    "3.5",
    "5-",
    "٣",
    "שלום",
    "٫",
    "é",
    "日本",
    "🙂",
    "\ud800",
    "\u200f",
]
nasty = st.lists(st.sampled_from(PIECES), max_size=14).map("".join)
text = nasty | st.text(st.characters(exclude_categories=()), max_size=20)
sacrebleu_13a = Tokenizer13a.__call__.__wrapped__  # without the cache of 65,536 lines


@settings(max_examples=1500)
@given(text)
@example("5--3 1...5 a..5 1..5 1.,.5 .5 5. -5 5-5- ...")
@example("wrapped-\nword<skip<skipped>ped>-<skipped>\n&amp;quot; &amp;amp;lt; end-\n")
def test_13a_is_sacrebleus(line: str) -> None:
    expected = sacrebleu_13a(Tokenizer13a(), line.rstrip())
    assert _native.tokenize_13a([line]) == [expected]
    assert " ".join(twin.tokenize_13a(line)) == expected


def test_13a_on_every_run_of_six_from_the_classes_that_matter() -> None:
    # one sign of each class that the expressions tell apart: letter, digit, period, comma, dash, mark, blank
    from itertools import product

    lines = ["".join(signs) for signs in product("a5.,-! ", repeat=6)]
    tokenizer = Tokenizer13a()
    assert _native.tokenize_13a(lines) == [sacrebleu_13a(tokenizer, line.rstrip()) for line in lines]


def test_13a_on_every_character() -> None:
    # between letters, between digits and before a period
    lines = [
        f"a{c}b 1{c}2 {c}.{c}" for c in map(chr, [*range(0x3100), *range(0xD700, 0xE000), *range(0xFE00, 0x10100)])
    ]
    tokenizer = Tokenizer13a()
    assert _native.tokenize_13a(lines) == [sacrebleu_13a(tokenizer, line.rstrip()) for line in lines]


@pytest.mark.real
@pytest.mark.parametrize("code", ["eng", "arb", "fra", "jpn", "tha", "hin"])
def test_13a_on_real_lines(code: str) -> None:
    lines, tokenizer = ntrex(code), Tokenizer13a()
    assert _native.tokenize_13a(lines) == [sacrebleu_13a(tokenizer, line.rstrip()) for line in lines]


words = st.lists(st.sampled_from(["a", "b", "c", "日", "\udc00", "a\0b"]), max_size=12).map(" ".join)
smoothing = st.sampled_from(
    [("exp", 0.0), ("floor", 0.1), ("floor", 0.0), ("add-k", 1.0), ("add-k", 0.0), ("none", 0.0)]
)


@settings(max_examples=600)
@given(
    rows=st.lists(st.tuples(words, words, words | st.none()), min_size=1, max_size=4),
    order=st.integers(1, 6),
    smooth=smoothing,
)
def test_kernel_is_its_twin(rows: list[tuple[str, str, str | None]], order: int, smooth: tuple[str, float]) -> None:
    rows = [row for row in rows for _ in range(2)]  # consecutive rows share their references
    hyps, first, second = map(list, zip(*rows, strict=True))
    stats, values = _native.bleu(hyps, [first, second], order, False, *smooth)
    for i, (hyp, one, two) in enumerate(rows):
        expected = twin.bleu_statistics(hyp.split(), [ref.split() for ref in (one, two) if ref is not None], order)
        assert stats[i].tolist() == expected
        assert values[i] == pytest.approx(twin.sentence_bleu(expected, order, *smooth), abs=1e-9)


@given(st.lists(st.tuples(text, text), min_size=1, max_size=4))
def test_kernel_tokenizes_as_its_twin(rows: list[tuple[str, str]]) -> None:
    hyps, refs = map(list, zip(*rows, strict=True))
    stats, _ = _native.bleu(hyps, [refs], 4, True, "exp", 0.0)
    expected = [
        twin.bleu_statistics(twin.tokenize_13a(hyp), [twin.tokenize_13a(ref)], 4)
        for hyp, ref in zip(hyps, refs, strict=True)
    ]
    assert stats.tolist() == expected


def test_a_vocabulary_beyond_sixteen_bits() -> None:
    reference = " ".join(map(str, range(70_000)))
    stats, values = _native.bleu([reference, "69999 5 6"], [[reference, reference]], 2, False, "exp", 0.0)
    assert stats.tolist() == [[70_000, 70_000, 70_000, 69_999, 70_000, 69_999], [3, 70_000, 3, 1, 3, 2]]
    assert values[0] == pytest.approx(100)


def test_an_unknown_smoothing_is_refused() -> None:
    with pytest.raises(ValueError, match="smoothing is none, exp, floor or add-k"):
        _native.bleu(["a"], [["a"]], 4, True, "epx", 0.0)


@pytest.mark.real
def test_the_order_of_segments_changes_nothing() -> None:
    pairs = demetr_requests()[:4000]
    order = np.random.default_rng(7).permutation(len(pairs))
    hyps, refs = map(list, zip(*pairs, strict=True))
    stats, values = _native.bleu(hyps, [refs], 4, True, "exp", 0.0)
    mixed = _native.bleu([hyps[i] for i in order], [[refs[i] for i in order]], 4, True, "exp", 0.0)
    assert np.array_equal(mixed[0], stats[order])
    assert np.array_equal(mixed[1], values[order])
