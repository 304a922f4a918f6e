from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")


def test_sparsemax_by_hand() -> None:
    from assay.models.heads.comet import sparsemax

    # The projection of (1, 0.5, -1): the support is the first two, the threshold (1 + 0.5 - 1) / 2 = 0.25.
    assert sparsemax(torch.tensor([1.0, 0.5, -1.0])).tolist() == pytest.approx([0.75, 0.25, 0.0])
    assert sparsemax(torch.zeros(4)).tolist() == pytest.approx([0.25] * 4)
    assert sparsemax(torch.tensor([5.0, 0.0])).tolist() == [1.0, 0.0]


def test_an_unknown_activation_is_named() -> None:
    from assay.core.errors import InputError
    from assay.models.heads.comet import activation

    with pytest.raises(InputError, match="wobble"):
        activation("wobble")
    assert activation("sigmoid")(torch.zeros(1)).item() == 0.5


def test_layers_without_a_share_are_not_computed() -> None:
    from assay.models.encoders.config import EncoderConfig, ModelConfig
    from assay.models.heads.comet import build_model
    from assay.models.runtime.packing import pack

    hparams = {"class_identifier": "unified_metric", "hidden_sizes": [4], "layer_norm": True}
    encoder = EncoderConfig("xlm-roberta", 16, 4, 2, 32, 50)
    torch.manual_seed(0)
    model = build_model(ModelConfig.from_hparams(hparams), encoder)
    model.mix.weights.data[1] = 3.0  # type: ignore[union-attr]
    packed = pack([[0, 7, 8, 2], [0, 9, 2]], pad=1)
    model.eval()
    with torch.inference_mode():
        everything = model(packed).scores
        model.prepare()
        steps = list(model.encoder.states(packed, last=1))
        assert len(steps) == 2
        torch.testing.assert_close(model(packed).scores, everything)
