from __future__ import annotations

import numpy as np
import pytest
import sacrebleu

from assay.core import Batch
from assay.metrics import metric
from tests.metrics.sacrebleu_cases import LANGUAGES, assert_equals_sacrebleu, cases, columns


def close(ours: object, theirs: object) -> bool:
    return bool(np.allclose(np.asarray(ours), np.asarray(theirs), rtol=0, atol=1e-9))


@pytest.mark.parametrize(
    ("spec", "options"),
    [
        ("chrf", {}),
        ("chrf++", {"word_order": 2}),
        ("chrf:lowercase=yes,whitespace=yes", {"lowercase": True, "whitespace": True}),
        ("chrf:eps_smoothing=yes,word_order=1,beta=3", {"eps_smoothing": True, "word_order": 1, "beta": 3}),
        ("chrf:char_order=9", {"char_order": 9}),
    ],
)
def test_equals_sacrebleu_on_odd_lines(spec: str, options: dict[str, int]) -> None:
    hypotheses = ["the cat", "", "   ", "Ein  Satz.", "(a)", "\x00\ud800", "ÀÉ", "同じ 文", "a"]
    references = ["the cat sat", "x", "", "ein Satz.", "(a) b", "\x00\ud800 ", "àé", "同じ文", "b"]
    theirs = sacrebleu.CHRF(**options)  # type: ignore[arg-type]
    ours = metric(spec).score(Batch(hypotheses, references=(references,)))
    assert close(
        ours.values, [theirs.sentence_score(h, [r]).score for h, r in zip(hypotheses, references, strict=True)]
    )
    assert ours.stats is not None
    corpus = theirs.corpus_score(hypotheses, [references]).score
    assert close(metric(spec).combine(ours.stats.sum(axis=0)), corpus)


@pytest.mark.real
@pytest.mark.slow
@pytest.mark.parametrize("spec", ["chrf", "chrf++"])
def test_demetr_and_ten_languages_with_one_and_two_references(spec: str) -> None:
    assert_equals_sacrebleu(spec)


@pytest.mark.real
@pytest.mark.parametrize(("spec", "order"), [("chrf", 0), ("chrf++", 2)])
def test_a_sample_beside_sacrebleu_itself(spec: str, order: int) -> None:
    """The stored hashes say what sacrebleu counts; here it is asked, for segments and for the corpus."""
    theirs = sacrebleu.CHRF(word_order=order)
    for case in ("demetr", "demetr, two references", *(f"ntrex {code}, two references" for code in LANGUAGES)):
        rows = cases()[case][:: 40 if case.startswith("demetr") else 20]
        hypotheses, references = columns(rows)
        ours = metric(spec).score(Batch(hypotheses, references=references))
        assert close(ours.values, [theirs.sentence_score(h, r).score for h, r in rows])
        assert ours.stats is not None
        assert close(metric(spec).combine(ours.stats.sum(axis=0)), theirs.corpus_score(hypotheses, references).score)
