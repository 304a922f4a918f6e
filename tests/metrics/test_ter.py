"""TER against sacrebleu 2.6."""

from __future__ import annotations

import functools
import itertools
import random
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sacrebleu.metrics.ter import TER

from assay.core import Batch, InputError
from assay.metrics import metric
from assay.metrics.ter import Ter
from tests.corruption import corrupt
from tests.data import demetr_requests, ntrex
from tests.metrics.sacrebleu_cases import LANGUAGES, assert_equals_sacrebleu, cases, with_second_reference

OPTIONS = ("normalized", "no_punct", "asian_support", "case_sensitive")
Row = tuple[str, tuple[str | None, ...]]


def their_statistics(row: Row, **options: bool) -> list[float]:
    """sacrebleu's [edits, reference length] of one segment."""
    hypothesis, references = row
    statistics = _sacrebleu(**options)._extract_corpus_statistics([hypothesis], [[text] for text in references])
    return [float(number) for number in statistics[0]]


@functools.cache
def _sacrebleu(**options: bool) -> TER:
    return TER(**options)


def assert_equal(rows: Sequence[Row], expected: Sequence[list[float]], **options: bool) -> None:
    """Segment scores and corpus score equal sacrebleu's, computed by sacrebleu from its own statistics."""
    columns = tuple(zip(*(references for _, references in rows), strict=True))
    ter, theirs = Ter(**options), TER(**options)
    scores = ter.score(Batch([hypothesis for hypothesis, _ in rows], references=columns))
    assert scores.stats is not None
    assert not scores.flags
    segments = [theirs._compute_score_from_stats(row).score for row in expected]
    np.testing.assert_allclose(scores.stats, expected, rtol=0, atol=1e-9)
    np.testing.assert_allclose(scores.values, segments, rtol=0, atol=1e-9)
    corpus = theirs._aggregate_and_compute(expected).score
    assert float(ter.combine(scores.stats.sum(axis=0))) == pytest.approx(corpus, abs=1e-9)


def compare(rows: Sequence[Row], **options: bool) -> None:
    assert_equal(rows, [their_statistics(row, **options) for row in rows], **options)


@pytest.mark.real
@pytest.mark.slow
def test_demetr_and_ten_languages_with_one_and_two_references() -> None:
    assert_equals_sacrebleu("ter")


@pytest.mark.real
@pytest.mark.slow
def test_a_sample_beside_sacrebleu_itself() -> None:
    """The stored hashes say what sacrebleu counts; here it is asked."""
    for name in ("demetr", "demetr, two references"):
        compare(cases()[name][::40])
    for code in LANGUAGES:
        compare(cases()[f"ntrex {code}, two references"][::20])


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("chosen", range(1, 16))
def test_every_combination_of_options(chosen: int) -> None:
    """On DEMETR and on four scripts, with the damaged next line as a second reference."""
    options = {name: bool(chosen >> i & 1) for i, name in enumerate(OPTIONS)}
    rows = with_second_reference(demetr_requests())[chosen::1000]
    for code in ("deu", "jpn", "zho-CN", "rus"):
        rng, lines = random.Random(chosen), ntrex(code)[chosen : chosen + 13]
        rows += [(corrupt(line, rng), (line, corrupt(after, rng))) for line, after in itertools.pairwise(lines)]
    compare(rows, **options)


WORDS = st.lists(
    st.sampled_from(["a", "B", "b", "c,", "d.", "e...", "İ", "ΑΣ", "ΣΑ", "Σ", "ς", "ẞ", "中文。", "&amp;", "\x1c"])
)


@given(WORDS.map(" ".join) | st.text(), st.lists(WORDS.map(" ".join) | st.text() | st.none(), min_size=1, max_size=3))
@settings(max_examples=200)
def test_random_strings(hypothesis: str, references: list[str | None]) -> None:
    if all(text is None for text in references):
        references = [""]
    compare([(hypothesis, tuple(references))])
    compare([(hypothesis, tuple(references))], normalized=True, asian_support=True)


def test_empty_sides() -> None:
    """sacrebleu's rules: no reference words, 100 or 0; no hypothesis words, every reference word is an edit."""
    scores = Ter().score(Batch(["", "a b", "", " "], references=(["", "", "a b", "a"],)))
    assert scores.values.tolist() == [0, 100, 100, 100]
    assert scores.stats is not None
    assert scores.stats.tolist() == [[0, 0], [2, 0], [2, 2], [1, 1]]


def test_by_hand() -> None:
    """Snover et al. 2006, section 3: one shift, two replacements and one insertion over 13 words."""
    reference = "saudi arabia denied this week information published in the american new york times"
    hypothesis = "this week the saudis denied information published in the new york times"
    scores = Ter().score(Batch([hypothesis], references=([reference],)))
    assert scores.values.tolist() == [pytest.approx(100 * 4 / 13)]


def test_combine_works_over_the_last_axis() -> None:
    stats = np.array([[[1.0, 4.0], [0.0, 0.0]], [[3.0, 0.0], [6.0, 4.0]]])
    assert Ter().combine(stats).tolist() == [[25.0, 0.0], [100.0, 150.0]]


def test_options_and_signature() -> None:
    assert str(metric("ter").signature) == "TER|case:lc|tok:tercom|norm:no|punct:yes|asian:no|v:1"
    chosen = metric("ter:no_punct=yes,case_sensitive=yes,normalized=yes,asian_support=yes")
    assert str(chosen.signature) == "TER|case:mixed|tok:tercom|norm:yes|punct:no|asian:yes|v:1"
    assert not chosen.card.higher_is_better


def test_a_reference_is_needed() -> None:
    with pytest.raises(InputError, match="ter requires a reference"):
        Ter().score(Batch(["a"]))


def test_long_texts_are_flagged() -> None:
    words = [str(i) for i in range(2001)]
    scores = Ter().score(Batch(["a b", " ".join(reversed(words))], references=(["b a", " ".join(words)],)))
    assert scores.flags["bounded"].tolist() == [False, True]
