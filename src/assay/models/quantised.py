"""int8 on a CPU: the weights of an encoder's blocks as whole numbers, a scale for each row; what they multiply is rounded batch by batch."""

from __future__ import annotations

import warnings

from torch import nn

from assay.core.errors import InputError
from assay.models.encoder import Encoder, Layer

ENGINES = ("x86", "fbgemm", "onednn", "qnnpack")


def quantise(encoder: Encoder) -> None:
    """Put int8 products in the place of the four linear layers of every block; embeddings, norms and heads stay in float32."""
    import torch

    if encoder.words.weight.device.type != "cpu":
        raise InputError("precision=int8 is for the CPU. On a GPU take fp16 or bf16 (or device=cpu).")
    engine = next((one for one in ENGINES if one in torch.backends.quantized.supported_engines), None)
    if engine is None:
        raise InputError("this build of torch has no int8 products for this processor. Take precision=fp32.")
    torch.backends.quantized.engine = engine
    for layer in encoder.layers:
        assert isinstance(layer, Layer)
        layer.fast = None
        for name in ("qkv", "out", "up", "down"):
            setattr(layer, name, _int8(getattr(layer, name)))


def _int8(linear: nn.Linear) -> nn.Module:
    from torch.ao.nn.quantized import dynamic
    from torch.ao.quantization import per_channel_dynamic_qconfig

    linear.qconfig = per_channel_dynamic_qconfig  # type: ignore[assignment, unused-ignore]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # that this part of torch moves house
        made: nn.Module = dynamic.Linear.from_float(linear)
    return made
