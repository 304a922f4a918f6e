"""CER and WER against rapidfuzz."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rapidfuzz.distance import Levenshtein

from assay.core import Batch, InputError, Metric
from assay.metrics import metric
from assay.metrics.edit import Cer, Wer
from tests.corruption import corrupt
from tests.data import demetr_requests, ntrex

LANGUAGES = ["arb", "ces", "deu", "fra", "hin", "jpn", "kor", "rus", "tha", "zho-CN"]
Symbols = Callable[[str], list[str]]
RATES: list[tuple[Metric, Symbols]] = [(Cer(), list), (Wer(), str.split)]


def compare(rate: Metric, symbols: Symbols, hypotheses: Sequence[str], *references: Sequence[str]) -> None:
    """Values and corpus rate equal those made from rapidfuzz's distances; references without symbols are not expected."""
    best = []
    for hypothesis, *row in zip(hypotheses, *references, strict=True):
        sides = [(symbols(hypothesis), symbols(reference)) for reference in row]
        best.append(
            min(((Levenshtein.distance(h, r), len(r)) for h, r in sides), key=lambda found: found[0] / found[1])
        )
    scores = rate.score(Batch(hypotheses, references=tuple(references)))
    assert scores.stats is not None
    assert not scores.flags
    expected = np.array(best, dtype=float)
    np.testing.assert_allclose(scores.values, expected[:, 0] / expected[:, 1], rtol=0, atol=1e-9)
    corpus = expected[:, 0].sum() / expected[:, 1].sum()
    assert float(rate.combine(scores.stats.sum(axis=0))) == pytest.approx(corpus, abs=1e-9)


@pytest.mark.real
@pytest.mark.parametrize(("rate", "symbols"), RATES)
def test_demetr(rate: Metric, symbols: Symbols) -> None:
    hypotheses, references = zip(*demetr_requests(), strict=True)
    compare(rate, symbols, hypotheses, references)
    compare(rate, symbols, hypotheses[:2000], references[:2000], hypotheses[1:2001])


@pytest.mark.real
@pytest.mark.parametrize("code", LANGUAGES)
def test_damaged_lines(code: str) -> None:
    rng, lines = random.Random(code), ntrex(code)[:1000]
    damaged = [corrupt(line, rng) for line in lines]
    others = [corrupt(line, rng) or line for line in ntrex(code)[1:1001]]
    for rate, symbols in RATES:
        compare(rate, symbols, damaged, lines)
        compare(rate, symbols, damaged, lines, others)


@given(st.lists(st.tuples(st.text(), st.text().map(lambda text: "x" + text)), min_size=1, max_size=5))
def test_random_strings(rows: list[tuple[str, str]]) -> None:
    hypotheses, references = zip(*rows, strict=True)
    for rate, symbols in RATES:
        compare(rate, symbols, hypotheses, references)


@pytest.mark.parametrize("rate", [Cer(), Wer()])
def test_empty_sides(rate: Metric) -> None:
    """An empty reference: 0 beside an empty hypothesis, else 1; its edits count at corpus level and add no length."""
    scores = rate.score(Batch(["", "a", "", "a"], references=(["", "", "b", "b"],)))
    assert scores.values.tolist() == [0, 1, 1, 1]
    assert scores.stats is not None
    assert scores.stats.tolist() == [[0, 0], [1, 0], [1, 1], [1, 1]]
    assert float(rate.combine(scores.stats.sum(axis=0))) == 1.5
    assert rate.combine(scores.stats).tolist() == scores.values.tolist()


def test_by_hand() -> None:
    """kitten to sitting: three letters of seven; and rates go beyond 1."""
    assert Cer().score(Batch(["kitten", "abcdef"], references=(["sitting", "x"],))).values.tolist() == [3 / 7, 6.0]
    assert Wer().score(Batch(["a b c", "a  b\u3000c"], references=(["a c", "a b d"],))).values.tolist() == [0.5, 1 / 3]


def test_the_lowest_rate_counts_not_the_fewest_edits() -> None:
    scores = Cer().score(Batch(["abcdefghij"], references=(["abcdefghi"], ["abcdefghijklmnopqrst"], ["abcdefghijk"])))
    assert scores.stats is not None
    assert scores.stats.tolist() == [[1, 11]]


def test_lower_case_and_signature() -> None:
    batch = Batch(["ABC d"], references=(["abc D"],))
    for name in ("cer", "wer"):
        assert metric(name).score(batch).values[0] > 0
        assert metric(f"{name}:lowercase=yes").score(batch).values.tolist() == [0]
        assert str(metric(name).signature) == f"{name.upper()}|case:mixed|v:1"
        assert str(metric(f"{name}:lowercase=yes").signature) == f"{name.upper()}|case:lc|v:1"


def test_a_reference_is_needed() -> None:
    with pytest.raises(InputError, match="wer requires a reference"):
        Wer().score(Batch(["a"]))
