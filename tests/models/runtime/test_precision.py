"""Products with weights laid out beforehand are those of the plain layers."""

from __future__ import annotations

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_as_the_plain_layers(dtype: str) -> None:
    from assay.models.runtime.precision import PrepackedLayer, can_prepack

    kind = getattr(torch, dtype)
    if not can_prepack(kind):
        pytest.skip(f"this processor or this torch has no such product in {dtype}")
    torch.manual_seed(2)
    qkv, out, up, down = (torch.nn.Linear(*shape).to(kind) for shape in ((32, 96), (32, 32), (32, 128), (128, 32)))
    hidden = torch.randn(50, 32).to(kind)
    tolerance = 1e-5 if dtype == "float32" else 0.02
    with torch.inference_mode():
        layer = PrepackedLayer(qkv, out, up, down)
        torch.testing.assert_close(layer.qkv(hidden), qkv(hidden), atol=tolerance, rtol=0)
        expected = down(torch.nn.functional.gelu(up(hidden)))
        torch.testing.assert_close(layer.feed_forward(hidden), expected, atol=tolerance, rtol=0)


def test_no_other_precision() -> None:
    from assay.models.runtime.precision import can_prepack

    assert not can_prepack(torch.float16)
