from __future__ import annotations

import numpy as np

from assay.core.batch import Segment
from assay.core.perturbation import Change, Perturbed
from assay.perturb import PERTURBATIONS
from tests.perturb.texts import POOL, attempted, incorrect, pool_tools, problems, reason


def test_a_refusal_says_why() -> None:
    assert reason("detached-random", Segment("", None, (), "en-de")) == "empty translation"


def test_validators_catch_bad_results() -> None:
    assert "the insertion is not one to ten repetitions of the n-gram" in problems(
        "oscillatory", Segment("a b c", None, (), "en-de"), Perturbed((Change(3, 3, " x y"),), meta={"ngram": "a b"})
    )


def test_hallucinations() -> None:
    segment = Segment("Was ist jetzt die Lage auf der Insel?", "x", (), "en-de")
    for seed in range(30):
        made = attempted("oscillatory", segment, seed)
        assert isinstance(made, Perturbed)
        assert 2 <= len(made.meta["ngram"].split()) <= 4 and 1 <= made.meta["times"] <= 10
    assert incorrect("detached-random", segment) in {other.hypothesis for other in POOL[:2]}
    similar = PERTURBATIONS.resolve("detached-similar")(embedding="ngrams")
    dog = Segment("Der Hund im Garten bellt laut und lange.", "The dog barks.", (), "en-de")
    made = similar.perturb(dog, "de", np.random.default_rng(0), pool_tools())
    assert isinstance(made, Perturbed)
