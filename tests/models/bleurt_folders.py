"""The checkpoints and scores that google-research/bleurt made (scripts/make_bleurt_fixture.py), and the same weights as a port."""

from __future__ import annotations

import functools
import gzip
import json
import shutil
from pathlib import Path
from typing import Any

FIXTURES = Path(__file__).resolve().parents[1] / "fixtures" / "bleurt"


@functools.cache
def reference() -> Any:
    """Texts, and their scores by checkpoint."""
    with gzip.open(FIXTURES / "reference.json.gz", "rt", encoding="utf-8") as file:
        return json.load(file)


def copied(kind: str, folder: Path) -> Path:
    """A copy of a checkpoint that a test may damage."""
    return Path(shutil.copytree(FIXTURES / kind, folder / kind))


def ported(kind: str, folder: Path, *, safe: bool = True) -> Path:
    """The same weights as a port has them: config.json, Hugging Face's names, ``spm.model`` or ``vocab.txt``."""
    import torch
    from safetensors.torch import save_file

    from assay.io.files.tensor_bundle import read_bundle

    place = folder / f"{kind}-port"
    place.mkdir()
    about = json.loads((FIXTURES / kind / "bert_config.json").read_text())
    about |= {"model_type": "bleurt", "hidden_act": "gelu_new", "layer_norm_eps": 1e-12}
    # a port reads as many tokens as it has positions
    about["max_position_embeddings"] = limit = json.loads((FIXTURES / kind / "bleurt_config.json").read_text())[
        "max_seq_length"
    ]
    (place / "config.json").write_text(json.dumps(about))
    vocabulary = ("vocab.txt", "vocab.txt") if kind == "bert" else ("sent_piece.model", "spm.model")
    shutil.copyfile(FIXTURES / kind / vocabulary[0], place / vocabulary[1])
    changes = {"kernel": "weight", "gamma": "weight", "beta": "bias"}
    state = {}
    for name, array in read_bundle(FIXTURES / kind / "variables" / "variables").items():
        parts = (
            name.replace("layer_", "layer/").replace("embedding_hidden_mapping_in", "embedding_projection").split("/")
        )
        parts[-1] = changes.get(parts[-1], parts[-1])
        if parts[-1].endswith("_embeddings"):
            parts.append("weight")
        parts = ["classifier", *parts[1:]] if parts[0] == "dense" else ["bleurt", *parts[1:]]
        tensor = torch.tensor(array.T.copy() if name.endswith("kernel") else array.copy())
        state[".".join(parts)] = tensor[:limit].clone() if name.endswith("position_embeddings") else tensor
    if safe:
        save_file({name: tensor.contiguous() for name, tensor in state.items()}, place / "model.safetensors")
    else:
        torch.save(state, place / "pytorch_model.bin")
    return place
