"""ROUGE against rouge-score 0.1.2."""

from __future__ import annotations

import random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rouge_score.rouge_scorer import RougeScorer

from assay.core import Batch, InputError
from assay.metrics import metric
from tests.corruption import corrupt
from tests.data import demetr_requests, ntrex

NAMES = ["rouge1", "rouge2", "rougeL"]


def assert_equal(hyps: list[str], refs: list[list[str]]) -> None:
    scorer = RougeScorer(NAMES)
    theirs = [scorer.score_multi(row, hyp) for hyp, *row in zip(hyps, *refs, strict=True)]
    for name in NAMES:
        ours = metric(name).score(Batch(hyps, references=tuple(refs)))
        expected = np.array([score[name] for score in theirs])  # precision, recall, F1
        np.testing.assert_allclose(ours.components["precision"], expected[:, 0], rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours.components["recall"], expected[:, 1], rtol=0, atol=1e-12)
        np.testing.assert_allclose(ours.values, expected[:, 2], rtol=0, atol=1e-12)


@pytest.mark.real
@pytest.mark.slow
def test_all_of_demetr() -> None:
    hyps, refs = map(list, zip(*demetr_requests(), strict=True))
    assert_equal(hyps, [refs])


@pytest.mark.real
@pytest.mark.parametrize("code", ["fra", "zho-CN"])
def test_lines_with_two_references(code: str) -> None:
    rng, lines = random.Random(code), ntrex(code)[:300]
    hyps = [corrupt(line, rng) for line in lines]
    assert_equal(hyps, [lines, [corrupt(line, rng) for line in lines]])


text = st.lists(st.sampled_from([*"aB1. \n-", "İ", "K", "é", "日", "\ud800", "\0", "the "]), max_size=15).map("".join)


@given(st.lists(st.tuples(text, text, text), min_size=1, max_size=4))
def test_nasty_text(rows: list[tuple[str, str, str]]) -> None:
    hyps, first, second = map(list, zip(*rows, strict=True))
    assert_equal(hyps, [first, second])


def test_other_scripts_are_flagged() -> None:
    rows = [
        ("Der Hund bellt.", "Die Hunde bellten.", False),
        ("Это собака.", "Это кошка.", True),  # no token on either side
        ("在2023年死亡的宠物", "2023年的宠物", True),  # a number is a token, but most of the line is not seen
        ("Chúng tôi không biết.", "Chúng ta không biết.", False),  # most letters are read
        ("", "...", False),  # nothing to read at all
        ("dog", "собака", True),
    ]
    hyps, refs, expected = map(list, zip(*rows, strict=True))
    scores = metric("rougeL").score(Batch(hyps, references=(refs,)))
    assert scores.flags["unsupported_script"].tolist() == expected
    assert scores.values[1] == 0
    assert metric("rouge1").score(Batch(["a"], references=(["a"],))).flags == {}


@pytest.mark.real
def test_whole_languages_are_flagged_or_not() -> None:
    for code in ("eng", "ces", "deu", "fin", "fra", "pol", "spa", "tur", "vie"):
        assert _flagged(ntrex(code)) < 0.001, code
    for code in ("arb", "heb", "hin", "jpn", "kor", "rus", "tha", "ukr", "zho-CN"):  # but for lines of Latin names
        assert _flagged(ntrex(code)) > 0.98, code


def _flagged(lines: list[str]) -> float:
    flags = metric("rouge1").score(Batch(lines, references=(lines,))).flags
    return float(np.mean(flags.get("unsupported_script", 0)))


def test_corpus_value_is_the_mean() -> None:
    from assay.core import statistics

    rouge = metric("rouge1")
    scores = rouge.score(Batch(["a b", "c", ""], references=(["a b", "d", "e"],)))
    assert scores.values.tolist() == [1, 0, 0]
    assert float(rouge.combine(statistics(scores).sum(axis=0))) == pytest.approx(1 / 3)


def test_a_missing_reference_is_an_error() -> None:
    with pytest.raises(InputError, match="rouge2 requires a reference"):
        metric("rouge2").score(Batch(["a"]))
    partly = metric("rouge1").score(Batch(["a", "b"], references=(["a", None], [None, "b"])))
    assert partly.values.tolist() == [1, 1]
