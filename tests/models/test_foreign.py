"""Encoders built by transformers stand in for ours: a BERT through both must come out the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("transformers", reason="transformers is not installed")


@pytest.mark.slow
def test_a_bert_through_transformers_and_through_ours() -> None:
    from assay.models.config import EncoderConfig
    from assay.models.encoder import Encoder
    from assay.models.foreign import ForeignEncoder
    from assay.models.naming import official_names
    from assay.models.packing import pack

    ours = EncoderConfig("bert", 32, 2, 4, 64, 100, 64, 2, 1e-12, 0)
    raw = ours.to_json()
    theirs = EncoderConfig.from_json(raw)
    foreign = ForeignEncoder(EncoderConfig("other", 32, 2, 4, 64, 100, 64, 2, 1e-12, 0, raw=raw)).eval()
    assert theirs == ours
    weights = {f"encoder.{name}": tensor for name, tensor in foreign.state_dict().items()}
    encoder = Encoder(ours).eval()
    state = {
        name: torch.cat([weights[each] for each in official_names(f"encoder.{name}", ours)])
        for name in encoder.state_dict()
    }
    encoder.load_state_dict(state)
    packed = pack([[2, 9, 10, 11, 3], [2, 12, 3]], pad=0, first_type=[3, 2])
    with torch.inference_mode():
        for a, b in zip(foreign.states(packed), encoder.states(packed), strict=True):
            torch.testing.assert_close(a, b, atol=1e-5, rtol=0)
