"""Packed models of every size the recipe trains, read by the runtime itself."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")

import torch

from assay.kernels import _native
from assay.kernels.reference.mini import Mini as Twin
from assay.models.encoders.config import EncoderConfig
from assay.models.mini.model import mini_model
from assay.models.mini.pack import packed_tensors
from tests.kernels.mini_model import random_model

TEXTS = ["die katze schläft auf sofa", "ein abc und 19 wort .", "猫 在 沙发 上"]
OTHERS = ["der katze schläft auf sofa", "ein abc oder 79 wort .", "猫 上"]


@pytest.mark.parametrize(
    ("hidden", "width", "feed_forward"), [(64, 64, 64), (64, 64, 128), (64, 128, 256), (192, 64, 384)]
)
def test_the_runtime_reads_what_was_packed(hidden: int, width: int, feed_forward: int) -> None:
    """The example of docs/train_mini.md has width 64, whose matrices have 4,096 entries: the runtime refused it."""
    torch.manual_seed(1)
    vocabulary = {name: value for name, value in random_model(hidden).items() if not name.startswith(("enc.", "fus."))}
    names = ("text", "starts", "scores", "unk_score", "norm_from", "norm_starts", "norm_to", "idf", "trained")
    pieces = len(vocabulary["idf"])
    config = EncoderConfig("bert", hidden, 4, 2, feed_forward, pieces, positions=514, types=3)
    model = mini_model(config, {}, vocabulary["idf"], 1, width)
    matrices, embeddings = packed_tensors(model)
    tensors = {**matrices, **embeddings, **{name: vocabulary[name] for name in names}}
    values, tags, *_ = _native.Mini(tensors).score(TEXTS, OTHERS, None, True, 1)
    expected, probabilities, *_ = Twin(tensors).score(TEXTS, OTHERS, None)
    assert np.isfinite(values).all()
    np.testing.assert_allclose(values, expected, atol=2e-3)
    np.testing.assert_allclose(tags, probabilities, atol=2e-3)
