"""Weights in safetensors and torch files, read as tensors and plain values without running any code they contain."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from assay.core.errors import InputError, OutOfMemory
from assay.models.runtime.batching import out_of_memory


class _Plain(dict):  # type: ignore[type-arg]
    """Stand-in for Lightning's AttributeDict, a dictionary with attributes."""


StandIn = tuple[type, str]
"""A class of assay that replaces a class referenced in a file."""
_STAND_INS: list[StandIn] = [
    (_Plain, "pytorch_lightning.utilities.parsing.AttributeDict"),
    (_Plain, "lightning_fabric.utilities.data.AttributeDict"),
    (_Plain, "lightning.fabric.utilities.data.AttributeDict"),
]


def read_torch(path: Path, stand_ins: Sequence[StandIn] = ()) -> Any:
    """Return the content of a torch file: only tensors and plain values, with `stand_ins` for other classes."""
    try:
        with torch.serialization.safe_globals([*_STAND_INS, *stand_ins]):
            try:
                return torch.load(path, map_location="cpu", weights_only=True, mmap=True)
            except RuntimeError as error:
                if "mmap can only be used" not in str(error):
                    raise
                return torch.load(path, map_location="cpu", weights_only=True)
    except MemoryError:
        raise
    except pickle.UnpicklingError as error:
        if "Unsupported" in str(error) or "global" in str(error).lower():
            raise InputError(
                f"{path} contains Python objects besides its weights, and assay runs no code from a checkpoint. Save it again with "
                "only its state_dict and hyper_parameters."
            ) from error
        raise InputError(f"{path} is not a torch checkpoint.") from error
    except Exception as error:  # a damaged file may raise any exception
        _refuse_too_large(path, error)
        raise InputError(
            f"{path} is incomplete or not a torch checkpoint ({_said(error)}). Download it again."
        ) from error


def read_safetensors(path: Path) -> dict[str, Tensor]:
    """Return the tensors of a safetensors file, mapped into memory."""
    from safetensors.torch import load_file

    try:
        return load_file(path)
    except MemoryError:
        raise
    except Exception as error:  # a damaged file may raise any exception
        _refuse_too_large(path, error)
        raise InputError(
            f"{path} is incomplete or not a safetensors file ({_said(error)}). Download it again."
        ) from error


def read_state(files: tuple[Path, ...]) -> dict[str, Tensor]:
    """Return all tensors in several files by name, with current names for norms (``weight``, not ``gamma``)."""
    tensors: dict[str, Tensor] = {}
    for path in files:
        content = read_safetensors(path) if path.suffix == ".safetensors" else read_torch(path)
        if not isinstance(content, Mapping):
            raise InputError(f"{path} contains no named weights.")
        for name, tensor in content.items():
            if not isinstance(name, str) or not isinstance(tensor, Tensor):
                raise InputError(f"{path}: {str(name)[:80]} is not a named tensor. The checkpoint is damaged.")
            tensors[_todays(name)] = tensor
    return tensors


def check_finite(tensor: Tensor, name: str, path: Path | str) -> Tensor:
    """Return a weight. Raise an error if it contains NaN or infinite values."""
    if tensor.is_floating_point() and not bool(torch.isfinite(tensor).all()):
        raise InputError(f"{path}: {name} contains NaN or infinite values. The checkpoint is damaged.")
    return tensor


def _todays(name: str) -> str:
    if name.endswith("LayerNorm.gamma"):
        return name.removesuffix("gamma") + "weight"
    return name.removesuffix("beta") + "bias" if name.endswith("LayerNorm.beta") else name


def _refuse_too_large(path: Path, error: Exception) -> None:
    """Raise `OutOfMemory` if an error means that memory ran out, since the file is then not damaged."""
    if out_of_memory(error):
        raise OutOfMemory(f"there is not enough memory to read {path}. Use a smaller model.") from error


def _said(error: Exception) -> str:
    """Return the first sentence of a reader's error."""
    return (str(error).splitlines() or [type(error).__name__])[0].partition(". ")[0][:160]
