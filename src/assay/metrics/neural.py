"""What metrics with a network share: asking for the extra, choosing a precision, giving memory back."""

from __future__ import annotations

import ctypes
import gc
import importlib.util
import sys
from contextlib import suppress
from typing import Any, Literal

from assay.core.errors import InputError, MissingPart

Precision = Literal["auto", "fp32", "bf16", "fp16"]


def need_neural(name: str, *modules: str) -> None:
    """Say what to install where torch, or another part of the extra, is missing."""
    for module in ("torch", *modules):
        if importlib.util.find_spec(module) is None:
            raise MissingPart(f"{name} needs the extra 'neural': pip install 'mt-assay[neural]'")


def device_named(name: str) -> Any:
    """The torch device that the option ``device`` names; one that is not here is refused."""
    import torch

    from assay.models.runtime.precision import choose_device

    try:
        made = torch.device("cpu" if name == "auto" else name)
    except RuntimeError:
        raise InputError(f"there is no device called {name!r}: it is auto, cpu, cuda, cuda:1 … or mps.") from None
    here = {"cpu": True, "cuda": True, "mps": torch.backends.mps.is_available(), "xpu": torch.xpu.is_available()}
    if not here.get(made.type, False):
        raise InputError(f"device {name} was asked for, and torch has none here. Leave the option out.")
    if made.type == "cuda" and (made.index or 0) >= (there := torch.cuda.device_count()) > 0:
        raise InputError(f"device {name} was asked for, and the last GPU here is cuda:{there - 1}.")
    return choose_device(name)


def placed(precision: Precision | Literal["int8"], device: str) -> tuple[Any, Any, str]:
    """The torch device, the type of the matrix products, and the precision as a signature names it."""
    import torch

    from assay.models.runtime.precision import choose_dtype

    place = device_named(device)
    if precision == "int8":
        if place.type != "cpu":
            raise InputError("precision=int8 is for the CPU. On a GPU take fp16 or bf16 (or device=cpu).")
        return place, torch.float32, "int8"
    dtype = choose_dtype(precision, place)
    return place, dtype, {torch.float32: "fp32", torch.bfloat16: "bf16", torch.float16: "fp16"}[dtype]


def free_memory() -> None:
    """Give back what dropped networks held, on the GPU too. On Linux the C library would keep it for itself."""
    gc.collect()
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # another C library than GNU's gives it back by itself
            ctypes.CDLL(None).malloc_trim(0)
    torch = sys.modules.get("torch")
    if torch is not None and torch.cuda.is_initialized():
        torch.cuda.empty_cache()
