"""Packing of a trained assay-mini for the runtime: 8-bit matrices, 4-bit embeddings, half precision for everything else.

Each row of an 8-bit matrix has one scale; each 4-bit block of the embeddings has one scale for 32 weights.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from assay.io.files.atomic import atomic_write, make_output_folder
from assay.io.files.tensors import read_tensors, write_tensors
from assay.models.mini.model import MiniModel
from assay.models.mini.subwords import Arrays

FORMAT = 1
MODEL, EMBEDDINGS, PIECES = "model.safetensors", "embeddings.safetensors", "pieces.safetensors"
SMALL = 5000
"""Matrices with up to this many entries stay in half precision, unless the runtime reads them only in 8 bits."""
_EIGHT_BITS = re.compile(r"(enc\.pos|enc\.layers\.\d+\.(qkv|o|fi|fo)|fus\.\d+\.(qkv|o|f1|f2)|ws|wr|wx|glob|g2)\.weight")
_PLAIN = ("typ", "enc.typ")
"""Matrices that the runtime never reads in 8 bits."""
WORDS = "encoder.words.weight"
EXACT = ("scm", "scs")
"""Tensors that stay in float32: mean and deviation of the triples' features."""
_NAMES = (
    (r"encoder\.layers\.(\d+)\.out\.", r"enc.layers.\1.o."),
    (r"encoder\.layers\.(\d+)\.attention_norm\.", r"enc.layers.\1.l1."),
    (r"encoder\.layers\.(\d+)\.up\.", r"enc.layers.\1.fi."),
    (r"encoder\.layers\.(\d+)\.down\.", r"enc.layers.\1.fo."),
    (r"encoder\.layers\.(\d+)\.feed_forward_norm\.", r"enc.layers.\1.l2."),
    (r"encoder\.layers\.", "enc.layers."),
    (r"encoder\.places\.", "enc.pos."),
    (r"encoder\.types\.weight", "enc.typ"),
    (r"encoder\.embedding_norm\.", "enc.ln."),
    (r"mix", "enc.mix"),
    (r"own\.", "ws."),
    (r"aligned\.0\.", "wr."),
    (r"aligned\.1\.", "wx."),
    (r"columns_own\.", "wh."),
    (r"columns_other\.", "wo."),
    (r"kind", "typ"),
    (r"temperature", "tau"),
    (r"fusion\.(\d)\.attention_norm\.", r"fus.\1.n1."),
    (r"fusion\.(\d)\.out\.", r"fus.\1.o."),
    (r"fusion\.(\d)\.feed_forward_norm\.", r"fus.\1.n2."),
    (r"fusion\.(\d)\.up\.", r"fus.\1.f1."),
    (r"fusion\.(\d)\.down\.", r"fus.\1.f2."),
    (r"fusion\.", "fus."),
    (r"last_norm\.", "nf."),
    (r"mass\.", "lam."),
    (r"tags\.", "tag."),
    (r"pool\.", "att."),
    (r"whole\.", "glob."),
    (r"whole_next\.", "g2."),
    (r"straight\.", "skip."),
    (r"scalar_groups", "sg"),
    (r"scalar_mean", "scm"),
    (r"scalar_deviation", "scs"),
)
_LEFT_OUT = ("offsets", "rarity", WORDS)


def runtime_name(name: str) -> str:
    """Return a tensor's name in the runtime."""
    for pattern, replacement in _NAMES:
        if (match := re.match(pattern, name)) is not None:
            return match.expand(replacement) + name[match.end() :]
    return name


def _eight_bits(shown: str, value: Tensor) -> bool:
    """Return whether the runtime reads this tensor as 8-bit rows."""
    if value.dim() != 2 or shown in _PLAIN:
        return False
    return value.numel() > SMALL or _EIGHT_BITS.fullmatch(shown) is not None


def packed_tensors(model: MiniModel) -> tuple[Arrays, Arrays]:
    """Return the tensors of ``model.safetensors`` and of ``embeddings.safetensors``."""
    matrices: Arrays = {}
    state: dict[str, Tensor] = {**model.state_dict(), "scalar_groups": model.scalar_groups.half()}
    for name, value in state.items():
        if name in _LEFT_OUT:
            continue
        own_name, value = runtime_name(name), value.detach().cpu()
        if _eight_bits(own_name, value):
            codes, scales = eight_bits(value)
            matrices[f"{own_name}.q"], matrices[f"{own_name}.s"] = codes.numpy(), scales.numpy()
        else:
            matrices[own_name] = (value.float() if own_name in EXACT else value.half()).numpy()
    matrices["enc.seen"] = np.array(model.seen, np.int32)
    matrices["enc.heads"] = np.array([model.config.heads], np.int32)
    codes, scales, _ = four_bits(state[WORDS].cpu())
    subwords, units = state[WORDS].shape
    return matrices, {
        "codes": nibbles(codes).reshape(subwords, units // 2).numpy(),
        "scales": scales.reshape(subwords, units // BLOCK).numpy(),
    }


def write_model(model: MiniModel, vocabulary: Path, folder: Path, card: Mapping[str, Any]) -> None:
    """Write the folder that the runtime opens; `vocabulary` is the prepared subword file."""
    matrices, embeddings = packed_tensors(model)
    make_output_folder(folder)
    write_tensors(folder / MODEL, matrices)
    write_tensors(folder / EMBEDDINGS, embeddings)
    write_tensors(folder / PIECES, read_tensors(vocabulary))
    files = {}
    for name in (MODEL, EMBEDDINGS, PIECES):
        data = (folder / name).read_bytes()
        files[name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    manifest = {"format": FORMAT, "name": card["name"], "files": files}
    for name, value in (("card.json", card), ("manifest.json", manifest)):
        with atomic_write(folder / name, "w") as out:
            json.dump(value, out, indent=1, ensure_ascii=False)


@torch.no_grad()
def round_all(model: MiniModel) -> None:
    """Round a model's weights as packing does, so it scores like its packed files."""
    for name, value in model.state_dict().items():
        if name == WORDS:
            value.copy_(four_bits(value)[2])
        elif _eight_bits(runtime_name(name), value):
            codes, scales = eight_bits(value)
            value.copy_(codes.float() * scales.float()[:, None])
        elif runtime_name(name) not in EXACT and name != "rarity":
            value.copy_(value.half().float())


def tensors_of(folder: Path) -> dict[str, np.ndarray[Any, Any]]:
    """Return all tensors of a packed model, as the runtime receives them."""
    return {name: value for file in (MODEL, EMBEDDINGS, PIECES) for name, value in read_tensors(folder / file).items()}


BLOCK = 32
_RANGES = (-8.0, -7.4, -6.8, 7.0, 7.6)
"""Candidate codes for the largest weight in a block; the one with the smallest squared error is used."""


def four_bits(weights: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Return codes from 0 to 15 (blocks, 32), half-precision scales (blocks), and the rounded weights in their original shape."""
    blocks = weights.detach().float().reshape(-1, BLOCK)
    largest = blocks.gather(1, blocks.abs().argmax(1, keepdim=True))
    best_error = torch.full_like(largest, torch.inf)
    best_codes, best_scale = torch.zeros_like(blocks), torch.zeros_like(largest)
    for code in _RANGES:
        scale = (largest / code).half().float()
        codes = (blocks / torch.where(scale == 0, 1.0, scale)).round().clamp(-8, 7)
        error = ((codes * scale - blocks) ** 2).sum(1, keepdim=True)
        better = error < best_error
        best_error = torch.where(better, error, best_error)
        best_codes = torch.where(better, codes, best_codes)
        best_scale = torch.where(better, scale, best_scale)
    return (best_codes + 8).to(torch.uint8), best_scale[:, 0].half(), (best_codes * best_scale).reshape(weights.shape)


def nibbles(codes: Tensor) -> Tensor:
    """Pack codes (blocks, 32) in bytes (blocks, 16): the first sixteen in the low halves, the others in the high halves."""
    return codes[:, : BLOCK // 2] | (codes[:, BLOCK // 2 :] << 4)


def eight_bits(weights: Tensor) -> tuple[Tensor, Tensor]:
    """Return codes from -127 to 127 and a half-precision scale for each row."""
    rows = weights.detach().float()
    scale = (rows.abs().amax(1) / 127).half()
    scale[scale == 0] = 1
    return (rows / scale.float()[:, None]).round().clamp(-127, 127).to(torch.int8), scale
