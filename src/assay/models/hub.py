"""The published checkpoints: where they come from, where a local copy may lie, and how one is fetched when asked."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import MissingPart
from assay.io.download import Progress, download
from assay.io.paths import cache_dir

HUB = "https://huggingface.co"
XLMR = "FacebookAI/xlm-roberta-large"
"""Its tokenizer.json serves every XLM-R, InfoXLM, XL and XXL: they share one vocabulary."""


@dataclass(frozen=True, slots=True)
class Published:
    """A checkpoint on the hub."""

    repository: str
    gigabytes: float
    gated: bool
    """Whether its licence must be accepted on the hub first (then a token is needed)."""


PUBLISHED = {
    "xcomet-xl": Published("Unbabel/XCOMET-XL", 13.9, True),
    "xcomet-xxl": Published("Unbabel/XCOMET-XXL", 42.9, True),
    "comet-22": Published("Unbabel/wmt22-comet-da", 2.3, False),
    "comet-20": Published("Unbabel/wmt20-comet-da", 2.3, False),
    "comet-qe": Published("Unbabel/wmt20-comet-qe-da", 2.3, False),
    "cometkiwi-22": Published("Unbabel/wmt22-cometkiwi-da", 2.3, True),
    "cometkiwi-xl": Published("Unbabel/wmt23-cometkiwi-da-xl", 13.9, True),
    "cometkiwi-xxl": Published("Unbabel/wmt23-cometkiwi-da-xxl", 42.9, True),
    "unite": Published("Unbabel/unite-mup", 2.3, False),
}


def checkpoint_home(name: str) -> Path:
    """Where assay keeps its own copy."""
    return cache_dir() / "checkpoints" / name


def find_checkpoint(name: str) -> Path:
    """A local copy of a published checkpoint: assay's own, else one in the hub's cache; the error says how to get it."""
    repository = PUBLISHED[name].repository
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path("~/.cache/huggingface").expanduser()) / "hub"
    places = [checkpoint_home(name), *sorted(hub.glob(f"models--{repository.replace('/', '--')}/snapshots/*"))]
    for place in places:
        if (place / "hparams.yaml").is_file() and (place / "checkpoints" / "model.ckpt").is_file():
            return place
    raise MissingPart(f"{name} is not on this machine. {_instruction(name)}")


def _instruction(name: str) -> str:
    known = PUBLISHED[name]
    first = f"accept its licence at {HUB}/{known.repository}, set HF_TOKEN, then " if known.gated else ""
    return f"Get it ({known.gigabytes} GB): {first}assay fetch {name}; or give a checkpoint folder with -m PATH."


def fetch_checkpoint(name: str, folder: str | None = None, progress: Progress | None = None) -> Path:
    """Download a published checkpoint and its tokenizer, resumed where it broke off; the folder comes back."""
    known = PUBLISHED[name]
    place = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    token = os.environ.get("HF_TOKEN")
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    if known.gated and not token:
        raise MissingPart(f"{name} is handed out under its own licence. {_instruction(name)}")
    files = {
        "hparams.yaml": f"{HUB}/{known.repository}/resolve/main/hparams.yaml",
        "tokenizer.json": f"{HUB}/{XLMR}/resolve/main/tokenizer.json",
        "checkpoints/model.ckpt": f"{HUB}/{known.repository}/resolve/main/checkpoints/model.ckpt",
    }
    for file, address in files.items():
        download(name, address, place / file, progress=progress, headers=headers)
    return place
