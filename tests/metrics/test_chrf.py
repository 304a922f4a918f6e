from __future__ import annotations

import random

import numpy as np
import pytest
import sacrebleu

from assay.core import Batch
from assay.metrics import metric
from tests.corruption import corrupt
from tests.data import demetr_requests, ntrex

LANGUAGES = ["arb", "ces", "deu", "fra", "hin", "jpn", "rus", "tha", "zho-CN", "kor"]


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
def test_equals_sacrebleu_on_demetr(spec: str) -> None:
    pairs = demetr_requests()
    assert len(pairs) == 31_918
    hypotheses, references = map(list, zip(*pairs, strict=True))
    theirs = sacrebleu.CHRF(word_order=2 if spec == "chrf++" else 0)
    ours = metric(spec).score(Batch(hypotheses, references=(references,)))
    assert close(ours.values, [theirs.sentence_score(h, [r]).score for h, r in pairs])


@pytest.mark.real
@pytest.mark.slow
def test_equals_sacrebleu_on_demetr_with_two_references() -> None:
    """The second reference is the item's machine translation; every third request, segment and corpus."""
    translations: dict[str, str] = {}
    rows = []
    for hypothesis, reference in demetr_requests():  # an item's mt_sent comes before its perturbation
        rows.append((hypothesis, reference, translations.setdefault(reference, hypothesis)))
    hypotheses, first, second = map(list, zip(*rows[::3], strict=True))
    theirs = sacrebleu.CHRF(word_order=2)
    ours = metric("chrf++").score(Batch(hypotheses, references=(first, second)))
    assert close(ours.values, [theirs.sentence_score(h, [a, b]).score for h, a, b in rows[::3]])
    assert ours.stats is not None
    corpus = theirs.corpus_score(hypotheses, [first, second]).score
    assert close(metric("chrf++").combine(ours.stats.sum(axis=0)), corpus)


@pytest.mark.real
@pytest.mark.parametrize("code", LANGUAGES)
def test_equals_sacrebleu_on_ntrex_with_two_references(code: str) -> None:
    rng = random.Random(code)
    lines = ntrex(code)[:1000]
    hypotheses = [corrupt(line, rng) for line in lines]
    second = [corrupt(line, rng) for line in lines[1:] + lines[:1]]
    for spec, order in (("chrf", 0), ("chrf++", 2)):
        theirs = sacrebleu.CHRF(word_order=order)
        ours = metric(spec).score(Batch(hypotheses, references=(lines, second)))
        rows = list(zip(hypotheses, lines, second, strict=True))
        assert close(ours.values, [theirs.sentence_score(h, [a, b]).score for h, a, b in rows])
        assert ours.stats is not None
        assert close(
            metric(spec).combine(ours.stats.sum(axis=0)), theirs.corpus_score(hypotheses, [lines, second]).score
        )
