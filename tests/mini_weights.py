"""Small weights of assay-mini in the shipped layout, made up for tests."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np

from assay.io.files.tensors import write_tensors
from assay.io.resources.mini import FILES, MANIFEST

Tensors = dict[str, np.ndarray[Any, Any]]
PIECES = ["<s>", "<pad>", "</s>", "<unk>", "▁", "ä"]


def small() -> dict[str, Tensors]:
    """Weights of six pieces and one matrix."""
    n, text = len(PIECES), "".join(PIECES).encode()
    lengths = [len(piece.encode()) for piece in PIECES]
    return {
        "model.safetensors": {"g2.weight.q": np.ones((3, 2), np.int8), "g2.weight.s": np.ones(3, np.float16)}
        | {"tau": np.ones(2, np.float16)},
        "embeddings.safetensors": {"codes": np.full((n, 192), 0x88, np.uint8), "scales": np.ones((n, 12), np.float16)},
        "pieces.safetensors": {
            "text": np.frombuffer(text, np.uint8),
            "starts": np.cumsum([0, *lengths]).astype(np.uint32),
            "scores": np.full(n, -3, np.float32),
            "idf": np.ones(n, np.float32),
            "trained": np.ones(n, np.uint8),
            "norm_from": np.uint32([9, 0xA0]),
            "norm_starts": np.uint32([0, 1, 2]),
            "norm_to": np.uint32([32, 32]),
            "unk_score": np.float32([-13]),
        },
    }  # fmt: skip


def written(folder: Path, files: dict[str, Tensors]) -> Path:
    """A folder of weights with a manifest that fits them."""
    folder.mkdir(exist_ok=True)
    for name, tensors in files.items():
        write_tensors(folder / name, tensors)
    (folder / "card.json").write_text('{"name": "small"}')
    return fitted(folder)


def fitted(folder: Path) -> Path:
    """The same folder, with a manifest that fits whatever its files are."""
    facts = {}
    for name in FILES:
        content = (folder / name).read_bytes()
        facts[name] = {"sha256": hashlib.sha256(content).hexdigest(), "bytes": len(content)}
    (folder / MANIFEST).write_text(json.dumps({"format": 1, "name": "small", "files": facts}))
    return folder
