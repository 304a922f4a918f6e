"""What a metric must beat: numbers by hand, and that nothing around a text changes its number."""

from __future__ import annotations

import hashlib

import numpy as np
import pytest

import assay
from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.metrics import metric
from assay.testing import check_metric

BATCH = Batch(
    ["a", "", "abcd", "ab"],
    sources=["a", "", "ab", "xyz"],
    references=(["abc", "", "abcd", None], ["ab", "", None, "ab"]),
)


@pytest.mark.parametrize("spec", ["random", "random:seed=3", "length", "length:against=source", "copy-source"])
def test_the_contract(spec: str) -> None:
    check_metric(metric(spec))


def test_random_is_a_hash_of_seed_and_text() -> None:
    expected = int(hashlib.blake2b(b"3|ab", digest_size=6).hexdigest(), 16) / 2**48
    assert metric("random:seed=3").score(BATCH).values[3] == expected
    many = metric("random").score(Batch([str(i) for i in range(20_000)], sources=[""] * 20_000)).values
    assert abs(many.mean() - 0.5) < 0.01 and abs(many.var() - 1 / 12) < 0.003
    assert (metric("random").score(BATCH).values != metric("random:seed=1").score(BATCH).values).all()


def test_length_by_hand() -> None:
    """Against the references the nearest counts: 1/2 of "ab", both empty, 4/4, 2/2. Against the source: 1/1, 1, 2/4, 2/3."""
    assert metric("length").score(BATCH).values.tolist() == [0.5, 1.0, 1.0, 1.0]
    assert metric("length:against=source").score(BATCH).values.tolist() == [1.0, 1.0, 0.5, 2 / 3]
    assert metric("length").score(Batch(["abc"], sources=["a"])).values.tolist() == [1 / 3]
    assert metric("length:against=none").score(BATCH).values.tolist() == [-1.0, 0.0, -4.0, -2.0]
    assert assay.score(["abc"], metrics=["length:against=none", "random"]).segments["length:against=none"].tolist() == [
        -3
    ]
    with pytest.raises(InputError, match=r"length requires a source or a reference"):
        metric("length").score(Batch(["abc"]))
    with pytest.raises(InputError, match=r"length requires a reference"):
        metric("length:against=reference").score(Batch(["abc"], sources=["a"]))


def test_copying_the_source_is_best() -> None:
    sacrebleu = pytest.importorskip("sacrebleu")
    texts = ["Der Hund schläft.", "Ein Haus am Fluss", "xyz"]
    others = ["Der Hund schläft.", "A house by the river", "nothing of that"]
    found = metric("copy-source").score(Batch(others, sources=texts)).values
    expected = [sacrebleu.sentence_chrf(a, [b]).score for a, b in zip(others, texts, strict=True)]
    assert found[0] == 100 and np.allclose(found, expected)
