"""A model's precision: the device, the type of its matrix products, and the layout of its weights on a CPU.

On a CPU, oneDNN stores weights in its own layout in advance and computes GELU in the same pass. The operators come from torch's
compiler. If they are missing or their results differ from the plain operators, the plain ones are used.
"""

from __future__ import annotations

import functools
from typing import Any, Literal

import torch
from torch import Tensor, nn
from torch.nn import functional

from assay.core.errors import InputError
from assay.models.runtime.fp8 import FP8, can_multiply

Precision = Literal["auto", "fp32", "bf16", "fp16", "fp8"]
DTYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "fp8": FP8}
TYPICAL_TOKENS = 2_048


def choose_device(wanted: str = "auto") -> torch.device:
    """Return the requested device; ``auto`` is the GPU if there is one."""
    if wanted == "auto":
        return torch.device("cuda" if torch.cuda.is_available() else "cpu")
    if wanted.startswith("cuda") and not torch.cuda.is_available():
        raise InputError(f"torch finds no GPU for device {wanted}. Omit the option to use the CPU.")
    return torch.device(wanted)


def choose_dtype(precision: Precision, device: torch.device) -> torch.dtype:
    """Return the type of the matrix products.

    The default is float32, as in the released package. On a GPU it is float16, which is many times as fast and eight times
    closer to float32 than bfloat16.
    """
    if precision == "fp8" and not can_multiply(device):
        raise InputError(
            f"precision=fp8 needs a GPU that supports 8-bit floats (Hopper or later), unlike {device}. "
            "Omit the option, or use precision=fp16 (bf16 on a CPU)."
        )
    if precision != "auto":
        return DTYPES[precision]
    return torch.float16 if device.type == "cuda" else torch.float32


class Prepacked:
    """Linear layer with weights in oneDNN's blocked layout."""

    def __init__(self, linear: nn.Linear, after: str = "none", algorithm: str = "none") -> None:
        weight = linear.weight.detach()
        self.weight = torch.ops.mkldnn._reorder_linear_weight(weight, TYPICAL_TOKENS)
        self.bias, self.after, self.algorithm = linear.bias.detach(), after, algorithm

    def __call__(self, hidden: Tensor) -> Tensor:
        """Return the product, with the activation applied."""
        operator: Any = torch.ops.mkldnn._linear_pointwise
        return operator(hidden, self.weight, self.bias, self.after, [], self.algorithm)  # type: ignore[no-any-return]


class PrepackedLayer:
    """The four linear layers of a transformer block."""

    def __init__(self, qkv: nn.Linear, out: nn.Linear, up: nn.Linear, down: nn.Linear, gelu: str = "none") -> None:
        self.qkv, self.out = Prepacked(qkv), Prepacked(out)
        self.up, self.down = Prepacked(up, "gelu", gelu), Prepacked(down)

    def feed_forward(self, hidden: Tensor) -> Tensor:
        """Return the output of the feed-forward layers."""
        return self.down(self.up(hidden))


def bf16_is_fast() -> bool:
    """Return whether this processor supports bfloat16 multiplication natively (AVX-512 BF16 or AMX)."""
    checks = ("_is_avx512_bf16_supported", "_is_amx_tile_supported")
    return any(check() for name in checks if (check := getattr(torch.cpu, name, None)) is not None)


@functools.cache
def can_prepack(dtype: torch.dtype = torch.bfloat16) -> bool:
    """Return whether the operators exist for this precision and match the plain ones on a small example."""
    if not (bf16_is_fast() if dtype == torch.bfloat16 else dtype == torch.float32):
        return False
    try:
        linear = nn.Linear(48, 64).to(dtype)
        hidden = torch.linspace(-1, 1, 20 * 48).view(20, 48).to(dtype)
        with torch.no_grad():
            pairs = [
                (Prepacked(linear, "gelu", how)(hidden), functional.gelu(linear(hidden), approximate=how))
                for how in ("none", "tanh")
            ]
        near = 0.02 if dtype == torch.bfloat16 else 1e-6
        return all(torch.allclose(actual.float(), expected.float(), atol=near) for actual, expected in pairs)
    except Exception:  # private operators may change; plain operators give the same results
        return False
