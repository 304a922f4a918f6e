"""What the cards say follows the encoder that is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")

from assay.metrics import metric

BERT = Path(__file__).resolve().parents[2] / "fixtures" / "bertscore" / "bert"


def test_another_encoder_has_other_languages_and_another_licence() -> None:
    from assay.metrics.embedding.bertscore import Bertscore

    assert Bertscore.card.covers("en-de") and not Bertscore.card.covers("en-am")  # multilingual BERT has no Amharic
    assert len(Bertscore.card.languages) == 104
    given = metric(f"bertscore:model={BERT}")
    assert given.card.languages == ("any",) and given.card.licence == "the encoder's own"
    assert "model:bert|layer:last" in str(given.signature)
    assert metric(f"labse-sim:model={BERT},against=reference").card.needs == "reference"
