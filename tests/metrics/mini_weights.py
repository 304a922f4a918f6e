"""assay-mini's weights for tests: the installed ones, or a folder with a model of chance."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from assay.io.files.tensors import write_tensors
from assay.io.resources.mini import FILES, FORMAT, mini_folder
from tests.kernels.mini_model import Tensors, random_model

PIECES = ("text", "starts", "scores", "idf", "trained", "norm_from", "norm_starts", "norm_to", "unk_score")
needs_weights = pytest.mark.skipif(
    mini_folder() is None, reason="assay-mini's weights are not installed: pip install 'mt-assay[mini]'"
)


def write_folder(folder: Path, tensors: Tensors) -> Path:
    """A folder that stands in for the package: three files, their manifest, and a card that knows German and English."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [{name: tensors[name] for name in tensors if name not in ("codes", "scales", *PIECES)}]
    parts += [{name: tensors[name] for name in names} for names in (("codes", "scales"), PIECES)]
    files = {}
    for name, part in zip(FILES, parts, strict=True):
        write_tensors(folder / name, part)
        data = (folder / name).read_bytes()
        files[name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    (folder / "manifest.json").write_text(json.dumps({"format": FORMAT, "name": "chance", "files": files}))
    card = {"languages": {"trained": ["de", "en"], "encoder": ["de", "en", "sw"]}}
    (folder / "card.json").write_text(json.dumps(card))
    return folder


def chance(folder: Path, seed: int = 5) -> Path:
    """A model of chance, as wide as the real one and a third as deep."""
    return write_folder(folder, random_model(384, 4, 128, seed, entries=5000))
