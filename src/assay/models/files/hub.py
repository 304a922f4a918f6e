"""Access to the Hugging Face hub: local copies of repositories, and verified downloads of files."""

from __future__ import annotations

import http.client
import os
import re
import urllib.error
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.data.checkpoints import PublishedCheckpoint, checkpoints
from assay.io.files.download import Notify, Progress, download, download_error
from assay.io.files.paths import cache_dir, is_trusted
from assay.io.files.server import head, may_carry_secrets, offline

HUB = "https://huggingface.co"


def hub_address() -> str:
    """Return the address of the hub, or of the mirror in the environment variable HF_ENDPOINT."""
    return os.environ.get("HF_ENDPOINT", "").strip().rstrip("/") or HUB


def checkpoint_home(name: str) -> Path:
    """Return the folder for assay's own copy."""
    return cache_dir() / "checkpoints" / name


def copies(name: str, known: PublishedCheckpoint) -> list[Path]:
    """Return folders that may contain a copy: assay's own, then those in the hub's cache."""
    own = [checkpoint_home(name)] if is_trusted(checkpoint_home(name)) else []
    return [*own, *cached(known.repository)]


def cached(repository: str) -> list[Path]:
    """Return the snapshots of a repository in the hub's cache."""
    if not repository:
        return []
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path("~/.cache/huggingface").expanduser()) / "hub"
    return sorted(hub.glob(f"models--{repository.replace('/', '--')}/snapshots/*"))


def address_of(known: PublishedCheckpoint, file: str) -> str:
    """Return the address of a file on the hub."""
    return f"{hub_address()}/{known.repository}/resolve/main/{file}"


_HINTS = {
    "comet": "a checkpoint folder with -m PATH",
    "encoder": "the folder of one with model=PATH",
    "bleurt": "a checkpoint folder with {name}:path=FOLDER",
}


def instruction(name: str) -> str:
    """Return a sentence that explains how to get a checkpoint."""
    checkpoint = checkpoints()[name]
    first = (
        f"accept its licence at {hub_address()}/{checkpoint.repository}, set HF_TOKEN, then "
        if checkpoint.gated
        else ""
    )
    how = _HINTS.get(checkpoint.family, "a folder with path=FOLDER").format(name=name)
    return f"Get it ({checkpoint.gigabytes} GB): {first}assay fetch {name}; or give {how}."


def fetch_files(
    name: str,
    folder: str | None,
    choices: Sequence[Sequence[tuple[str, str]]],
    progress: Progress | None,
    say: Notify | None,
) -> Path:
    """Download the missing files. Each choice lists alternative files with their addresses; the first that exists is used."""
    target = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    missing = [choice for choice in choices if not any((target / file).is_file() for file, _ in choice)]
    if missing and offline():
        raise MissingPart(
            f"{name} is incomplete on this machine, and HF_HUB_OFFLINE is set. Unset it to download {name}."
        )
    headers = _authorization(name, say) if missing else {}
    pins = checkpoints()[name].sha256
    for choice in missing:
        file, address, (commit, hubs) = _first(name, choice, target, headers)
        pin = pins.get(file)
        if pin is not None and hubs is not None and len(hubs) == 64 and hubs != pin:
            raise InputError(
                f"{address} is not the expected file: its sha256 is {hubs[:12]}…, expected {pin[:12]}…. Nothing was downloaded."
            )
        exact = address.replace("/resolve/main/", f"/resolve/{commit}/", 1)
        first_use = address if pin is None else None
        download(name, exact, target / file, pin or hubs, progress, headers, first_use=first_use, say=say)
    return target


def _authorization(name: str, say: Notify | None) -> dict[str, str]:
    """Return the header with the token, unless the connection to the hub is not encrypted."""
    token, gated = os.environ.get("HF_TOKEN", "").strip(), checkpoints()[name].gated
    if gated and not token:
        raise MissingPart(f"{name} requires accepting its licence. {instruction(name)}")
    if not token or may_carry_secrets(hub_address()):
        return {"Authorization": f"Bearer {token}"} if token else {}
    refused = f"HF_TOKEN is not sent to {hub_address()}, since the connection is not encrypted"
    if gated:
        raise MissingPart(f"{refused}, but {name} requires the token. Set HF_ENDPOINT to an https address.")
    if say is not None:
        say(f"{refused}.")
    return {}


def _first(
    name: str, choice: Sequence[tuple[str, str]], place: Path, headers: Mapping[str, str]
) -> tuple[str, str, tuple[str, str | None]]:
    """Return the first file of a choice that exists on the hub, with its address, commit and checksum."""
    for file, address in choice[:-1]:
        try:
            return file, address, _described(name, address, place / file, headers)
        except MissingPart as error:
            if not isinstance(error.__cause__, urllib.error.HTTPError) or error.__cause__.code != 404:
                raise
    file, address = choice[-1]
    return file, address, _described(name, address, place / file, headers)


def _described(name: str, address: str, target: Path, headers: Mapping[str, str]) -> tuple[str, str | None]:
    """Return the commit and checksum of a file on the hub: sha256 for a large file, git's sha1 for a small one."""
    try:
        status, response = head(address, headers)
    except urllib.error.HTTPError as error:
        if error.code in (401, 403):
            who = "the account of HF_TOKEN" if headers else "anonymous users"
            raise MissingPart(
                f"the hub refuses {name} to {who} ({error.code} at {address}). {instruction(name)}"
            ) from error
        raise download_error(error, name, address, target) from error
    except (OSError, http.client.HTTPException, ValueError) as error:
        raise download_error(OSError(str(error)), name, address, target) from error
    # A redirect's ETag differs from that of its target.
    tag = response.get("X-Linked-ETag") or (response.get("ETag") if status == 200 else None) or ""
    tag = tag.removeprefix("W/").strip('"')
    commit = response.get("X-Repo-Commit", "")
    checksum = tag if re.fullmatch("[0-9a-f]{40}|[0-9a-f]{64}", tag) else None
    return commit if re.fullmatch("[0-9a-f]{40}", commit) else "main", checksum
