"""Encoders built by transformers stand in for ours: a BERT through both must come out the same."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("transformers", reason="transformers is not installed")


@pytest.mark.slow
def test_a_bert_through_transformers_and_through_ours() -> None:
    from assay.models.encoders.building import ForeignEncoder
    from assay.models.encoders.config import EncoderConfig
    from assay.models.encoders.encoder import Encoder
    from assay.models.encoders.pretrained import official_names
    from assay.models.runtime.packing import pack

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


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["deberta-v2", "rembert"])
def test_packed_texts_come_out_as_from_transformers_one_by_one(kind: str) -> None:
    from assay.models.encoders.building import ForeignEncoder
    from assay.models.encoders.config import EncoderConfig
    from assay.models.runtime.packing import pack

    raw = EncoderConfig("bert", 32, 2, 4, 64, 100, 64, 0 if kind == "deberta-v2" else 2, 1e-7, 0).to_json()
    further = {"relative_attention": True, "pos_att_type": ["p2c", "c2p"], "position_buckets": 8, "share_att_key": True}
    if kind == "rembert":
        further = {"input_embedding_size": 16, "output_embedding_size": 24}
    config = EncoderConfig.from_json({**raw, "model_type": kind, **further})
    assert config.family == "other"
    torch.manual_seed(3)
    encoder = ForeignEncoder(config).eval()
    texts = [[2, 9, 10, 11, 3], [2, 12, 3], [2, *range(13, 40), 3]]
    with torch.inference_mode():
        together = list(encoder.states(pack(texts, pad=0)))
        alone = [encoder.model(torch.tensor([ids]), output_hidden_states=True).hidden_states for ids in texts]
    assert len(together) == 3
    for layer, found in enumerate(together):
        torch.testing.assert_close(found, torch.cat([states[layer][0] for states in alone]), atol=1e-5, rtol=0)
