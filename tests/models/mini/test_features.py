"""Lexical features of many pairs at once, against the plain description of them pair by pair."""

from __future__ import annotations

import importlib.util
import random
import sys
from types import ModuleType

import numpy as np
import pytest

from assay.models.mini.features import PLACES, SOURCE_ORDER, Spelling, SubwordTexts, pair_features
from tests.data import need


def description() -> ModuleType:
    path = need("research", "mini", "prototype", "load.py")
    pytest.importorskip("torch")
    spec = importlib.util.spec_from_file_location("mini_description", path)
    assert spec and spec.loader
    module = importlib.util.module_from_spec(spec)
    sys.modules["mini_description"] = module
    spec.loader.exec_module(module)
    return module


PIECES = [
    "<s>",
    "<pad>",
    "</s>",
    "<unk>",
    "▁",
    "a",
    "b",
    "▁ab",
    "ba",
    "▁1",
    "2",
    ",",
    ".",
    "34",
    "▁c",
    "1,2",
    "x5y6",
    "é",
]


def test_a_pair_by_hand() -> None:
    spelling = Spelling.of(PIECES)
    # "▁ab 12 a" against "▁ab 34": pieces ▁ab ▁1 2 a, and ▁ab ▁ 34.
    first, second, numbers = pair_features(SubwordTexts.of([[7, 9, 10, 5]]), SubwordTexts.of([[7, 4, 13]]), spelling, 3)
    assert first[:, 0].tolist() == [255, 0, 0, 0]
    assert first[:, 1].tolist() == [0, 0, 0, 0]
    # "ab" is a bigram of both (cover 2 of 3), the last "a" a unigram: 255 * 2 / 3, 255 * 1 / 3.
    assert first[:, 2].tolist() == [170, 0, 0, 85]
    assert first[:, 3].tolist() == [0, 128, 128, 0]
    assert second[:, 3].tolist() == [0, 0, 128]
    # Characters ab12a and ab34: clipped unigrams a, b are 2 of 5 and 2 of 4; bigram ab 1 of 4 and 1 of 3.
    assert numbers[0, [0, 1, 2]].tolist() == pytest.approx([2 / 5, 1 / 4, 0])
    assert numbers[0, [6, 7, 8]].tolist() == pytest.approx([2 / 4, 1 / 3, 0])
    assert numbers[0, 12:].tolist() == pytest.approx([1 / 4, 0, 1 / 3, 0, 0, 0])


@pytest.mark.real
@pytest.mark.parametrize("order", [PLACES, SOURCE_ORDER])
def test_as_the_description_says(order: int) -> None:
    told = description()
    rng = random.Random(order)
    texts = [[rng.randrange(3, len(PIECES)) for _ in range(rng.choice([0, 1, 2, 5, 30]))] for _ in range(400)]
    left, right = (
        texts[:200],
        [rng.choice([text, text[::-1], other]) for text, other in zip(texts, texts[200:], strict=False)],
    )
    first, second, numbers = pair_features(SubwordTexts.of(left), SubwordTexts.of(right), Spelling.of(PIECES), order)
    expected = [told.pair_features(a, b, PIECES, order) for a, b in zip(left, right, strict=True)]
    assert np.array_equal(first, np.concatenate([one[0] for one in expected]))
    assert np.array_equal(second, np.concatenate([one[1] for one in expected]))
    assert np.allclose(numbers, np.stack([one[2] for one in expected]), atol=1e-6)
