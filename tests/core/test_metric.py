from __future__ import annotations

import numpy as np

from assay.core import Card, Scores, Signature, statistics


def test_signature_reads_like_sacrebleus() -> None:
    signature = Signature.of("chrF2", 1, case="mixed", eff=True, nc=6)
    assert str(signature) == "chrF2|case:mixed|eff:yes|nc:6|v:1"
    assert str(signature.with_parameters(nrefs=2)) == "chrF2|nrefs:2|case:mixed|eff:yes|nc:6|v:1"


def test_scores_join_and_reorder() -> None:
    one = Scores(np.array([1.0, 2.0]), flags={"bounded": np.array([True, False])})
    two = Scores(np.array([3.0]))
    joined = Scores.concat([one, two])
    assert joined.values.tolist() == [1, 2, 3]
    assert joined.flags["bounded"].tolist() == [True, False, False]
    assert joined.take(np.array([2, 0, 0])).values.tolist() == [3, 1, 1]
    assert len(Scores.concat([])) == 0


def test_an_unscored_segment_counts_neither_above_nor_below() -> None:
    assert statistics(Scores(np.array([0.5, np.nan]))).tolist() == [[0.5, 1.0], [0.0, 0.0]]


def test_a_card_says_which_languages_it_covers() -> None:
    card = Card("m", "M", "both", True, (0, 1), "", languages=("de", "en"))
    assert card.covers("de-en")
    assert not card.covers("de-fr")
    assert not card.covers("fr-en")
    assert Card("m", "M", "reference", True, (0, 1), "", languages=("en",)).covers("xx-en")
