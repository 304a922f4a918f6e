"""The published checkpoints: where they come from, where a local copy may lie, and how one is fetched when asked."""

from __future__ import annotations

import http.client
import os
import re
import urllib.error
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.data import rows
from assay.io.files.download import Progress, Say, download, explained
from assay.io.files.paths import cache_dir, ours
from assay.io.files.server import head, may_carry_secrets

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


def published_name(name: str) -> str | None:
    """The name here of a checkpoint that goes by its name on the hub, with the owner or without: ``Unbabel/wmt22-comet-da``."""
    wanted = name.lower().removeprefix("unbabel/")
    return next((known for known, one in PUBLISHED.items() if one.repository.lower() == f"unbabel/{wanted}"), None)


def hub_address() -> str:
    """The hub, or the mirror of it that the environment names, as the hub's own tools read it."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or HUB


def checkpoint_home(name: str) -> Path:
    """Where assay keeps its own copy."""
    return cache_dir() / "checkpoints" / name


def find_checkpoint(name: str) -> Path:
    """A local copy of a published checkpoint: assay's own, else one in the hub's cache; the error says how to get it."""
    repository = PUBLISHED[name].repository
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path("~/.cache/huggingface").expanduser()) / "hub"
    own = [checkpoint_home(name)] if ours(checkpoint_home(name)) else []
    places = [*own, *sorted(hub.glob(f"models--{repository.replace('/', '--')}/snapshots/*"))]
    for place in places:
        if (place / "hparams.yaml").is_file() and (place / "checkpoints" / "model.ckpt").is_file():
            return place
    raise MissingPart(f"{name} is not on this machine. {_instruction(name)}")


def _instruction(name: str) -> str:
    known = PUBLISHED[name]
    first = f"accept its licence at {hub_address()}/{known.repository}, set HF_TOKEN, then " if known.gated else ""
    return f"Get it ({known.gigabytes} GB): {first}assay fetch {name}; or give a checkpoint folder with -m PATH."


def fetch_checkpoint(
    name: str, folder: str | None = None, progress: Progress | None = None, say: Say | None = None
) -> Path:
    """Download a published checkpoint and its tokenizer, resumed where it broke off; the folder comes back.

    Every file is taken from the commit that the hub names for it and checked against the sha256 that assay knows, or else
    against the hub's own word and against what came first (`assay.io.files.first_use`). A file that is here is whole, and not
    fetched again. `say` is told of what nothing vouches for.
    """
    known = PUBLISHED[name]
    place = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    files = {
        "hparams.yaml": f"{hub_address()}/{known.repository}/resolve/main/hparams.yaml",
        "tokenizer.json": f"{hub_address()}/{XLMR}/resolve/main/tokenizer.json",
        "checkpoints/model.ckpt": f"{hub_address()}/{known.repository}/resolve/main/checkpoints/model.ckpt",
    }
    missing = {file: address for file, address in files.items() if not (place / file).is_file()}
    headers = _authorization(name, say) if missing else {}
    pins = {(row["checkpoint"], row["file"]): row["sha256"] for row in rows("checkpoints.csv")}
    for file, address in missing.items():
        commit, hubs = _described(name, address, place / file, headers)
        pin = pins.get((name, file))
        if pin is not None and hubs is not None and len(hubs) == 64 and hubs != pin:
            raise InputError(
                f"{address} is not the file that assay knows: sha256 {hubs[:12]}…, expected {pin[:12]}…. Nothing was fetched."
            )
        exact = address.replace("/resolve/main/", f"/resolve/{commit}/", 1)
        first_use = address if pin is None else None
        download(name, exact, place / file, pin or hubs, progress, headers, first_use=first_use, say=say)
    return place


def _authorization(name: str, say: Say | None) -> dict[str, str]:
    """The token's header, where there is a token and nobody on the way to the hub can read it."""
    token, gated = os.environ.get("HF_TOKEN", "").strip(), PUBLISHED[name].gated
    if gated and not token:
        raise MissingPart(f"{name} is handed out under its own licence. {_instruction(name)}")
    if not token or may_carry_secrets(hub_address()):
        return {"Authorization": f"Bearer {token}"} if token else {}
    refused = f"HF_TOKEN is not sent to {hub_address()}, since anybody on the way could read it"
    if gated:
        raise MissingPart(f"{refused}, and {name} needs it. Set HF_ENDPOINT to an address with https.")
    if say is not None:
        say(f"{refused}.")
    return {}


def _described(name: str, address: str, target: Path, headers: Mapping[str, str]) -> tuple[str, str | None]:
    """The commit and the checksum of a file on the hub: sha256 of a large one, git's sha1 of a small one."""
    try:
        status, said = head(address, headers)
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            who = "the account of HF_TOKEN" if headers else "anybody"
            raise MissingPart(
                f"the hub does not hand {name} to {who} ({error.code} at {address}). {_instruction(name)}"
            ) from error
        raise explained(error, name, address, target) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise explained(OSError(str(error)), name, address, target) from error
    # A redirect's own ETag is not that of the file it leads to.
    tag = said.get("X-Linked-ETag") or (said.get("ETag") if status == 200 else None) or ""
    tag = tag.removeprefix("W/").strip('"')
    commit = said.get("X-Repo-Commit", "")
    known = tag if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", tag) else None
    return commit if re.fullmatch("[0-9a-f]{40}", commit) else "main", known
