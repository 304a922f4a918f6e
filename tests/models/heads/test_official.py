"""Our numbers beside those of unbabel-comet 2.2.7, on checkpoints that it wrote itself."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tests.data import need
from tests.models.official import KINDS, real_segments, reference, tiny, unpack

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")

TOLERANCE = 1e-5


def predict(
    place: Path, name: str, rows: list[tuple[str, str, str]], with_reference: bool = True, **options: Any
) -> Any:
    from assay.models.heads.checkpoint import load
    from assay.models.heads.inference import Predictor

    predictor = Predictor(load(unpack(name, place)), decoder="exact", **options)
    sources, hypotheses, references = zip(*rows, strict=True)
    return predictor.predict(hypotheses, sources, references if with_reference else None)


def agree(found: Any, expected: dict[str, Any]) -> None:
    np.testing.assert_allclose(found.values, expected["scores"], atol=TOLERANCE, rtol=0)
    for ours, theirs in {
        "src": "src_scores",
        "ref": "ref_scores",
        "unified": "unified_scores",
        "mqm": "mqm_scores",
    }.items():
        if theirs in expected:
            np.testing.assert_allclose(found.components[ours], expected[theirs], atol=TOLERANCE, rtol=0)
    if "spans" not in expected:
        assert found.spans is None
        return
    for ours, theirs in zip(found.spans, expected["spans"], strict=True):
        assert [[s.start, s.end, s.severity] for s in ours] == [span[:3] for span in theirs]
        np.testing.assert_allclose([s.confidence for s in ours], [span[3] for span in theirs], atol=TOLERANCE, rtol=0)


@pytest.mark.parametrize("name", KINDS)
def test_odd_texts(name: str, place: Path) -> None:
    agree(predict(place, name, tiny().OWN), reference()[name]["own"])


@pytest.mark.parametrize("name", ["unified", "xcomet"])
def test_without_a_reference(name: str, place: Path) -> None:
    agree(predict(place, name, tiny().OWN, with_reference=False), reference()[name]["own_source_only"])


@pytest.mark.real
@pytest.mark.parametrize("name", KINDS)
def test_500_segments_in_ten_languages(name: str, place: Path) -> None:
    need("data", "demetr"), need("data", "ntrex")
    rows = real_segments()
    assert len(rows) == 500
    assert tiny().digest(rows) == reference()["digest"]
    agree(predict(place, name, rows), reference()[name]["real"])
