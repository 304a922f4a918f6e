"""The fixtures that unbabel-comet wrote: checkpoints unpacked into folders, and its numbers."""

from __future__ import annotations

import functools
import gzip
import importlib.util
import json
from pathlib import Path
from types import ModuleType
from typing import Any

from tests.data import SHARED

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "comet"
KINDS = {
    "regression": "xlm-roberta",
    "referenceless": "xlm-roberta",
    "unified": "xlm-roberta",
    "xcomet": "xlm-roberta-xl",
    "kiwi_bert": "bert",
    "minilm": "minilm",
    "rembert": "rembert",
    "ranking": "xlm-roberta",
}


@functools.cache
def tiny() -> ModuleType:
    """The module that both sides share."""
    spec = importlib.util.spec_from_file_location("comet_tiny", FIXTURES / "tiny.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@functools.cache
def reference() -> Any:
    """unbabel-comet's numbers."""
    with gzip.open(FIXTURES / "reference.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def unpack(name: str, folder: Path) -> Path:
    """A checkpoint folder as it would lie on a disk, with the encoder's tokenizer and shape beside it."""
    place = folder / name
    if not place.exists():
        (place / "checkpoints").mkdir(parents=True)
        (place / "checkpoints" / "model.ckpt").write_bytes(gzip.decompress((FIXTURES / f"{name}.ckpt.gz").read_bytes()))
        (place / "hparams.yaml").write_bytes((FIXTURES / f"{name}.hparams.yaml").read_bytes())
        tiny().write_encoder(place, KINDS[name])
    return place


@functools.cache
def real_segments() -> Any:
    """The 500 segments that unbabel-comet scored."""
    return tiny().segments(SHARED)
