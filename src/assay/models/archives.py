"""Checkpoints that are published as one zip archive: BLEURT's. Where they come from, where a copy may lie, how one is fetched."""

from __future__ import annotations

import os
import shutil
import stat
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.io.files.download import Progress, Say, download
from assay.io.files.paths import ours
from assay.models.hub import checkpoint_home

_BLEURT = "https://storage.googleapis.com/bleurt-oss-21"


@dataclass(frozen=True, slots=True)
class Archive:
    """An archive, about how large it is, and the port of it on the hub that serves as well."""

    address: str
    gigabytes: float
    port: str
    marker: str = "bleurt_config.json"
    """A file that an unpacked copy has."""


ARCHIVES = {
    "bleurt-20": Archive(f"{_BLEURT}/BLEURT-20.zip", 2.1, "lucadiliello/BLEURT-20"),
    "bleurt-20-d12": Archive(f"{_BLEURT}/BLEURT-20-D12.zip", 0.6, "lucadiliello/BLEURT-20-D12"),
    "bleurt-20-d6": Archive(f"{_BLEURT}/BLEURT-20-D6.zip", 0.2, "lucadiliello/BLEURT-20-D6"),
    "bleurt-20-d3": Archive(f"{_BLEURT}/BLEURT-20-D3.zip", 0.1, "lucadiliello/BLEURT-20-D3"),
}
MOST_FILES, MOST_TIMES = 1000, 20
"""Files of an archive, and how many times its own size they may have."""


def find_archive(name: str) -> Path:
    """A local copy: assay's own, else a port in the hub's cache; the error says how to get it."""
    known = ARCHIVES[name]
    home = os.environ.get("HF_HOME")
    hub = (Path(home) if home else Path("~/.cache/huggingface").expanduser()) / "hub"
    own = checkpoint_home(name)
    if ours(own) and (own / known.marker).is_file():
        return own
    for place in sorted(hub.glob(f"models--{known.port.replace('/', '--')}/snapshots/*")):
        if (place / "config.json").is_file():
            return place
    raise MissingPart(
        f"{name} is not on this machine. Get it ({known.gigabytes} GB): assay fetch {name}; or give a checkpoint folder with "
        f"{name}:path=FOLDER."
    )


def fetch_archive(
    name: str, folder: str | None = None, progress: Progress | None = None, say: Say | None = None
) -> Path:
    """Download an archive, resumed where it broke off, and unpack it, unless it is here; the folder comes back."""
    known = ARCHIVES[name]
    place = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    if (place / known.marker).is_file():
        return place
    archive = place.parent / f"{name}.zip"
    download(name, known.address, archive, progress=progress, first_use=known.address, say=say)
    unpack(archive, place, known.marker)
    archive.unlink()
    return place


def unpack(archive: Path, place: Path, marker: str) -> None:
    """The folder of an archive that holds `marker` as `place`, which appears when all of it is there."""
    made = Path(tempfile.mkdtemp(dir=archive.parent, prefix=f".{place.name}-"))
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [one for one in opened.infolist() if not one.is_dir()]
            root = next((one.filename.removesuffix(marker) for one in members if _named(one.filename, marker)), None)
            if root is None:
                raise InputError(f"{archive} has no {marker} inside: it is not the checkpoint it should be.")
            if len(members) > MOST_FILES or sum(one.file_size for one in members) > MOST_TIMES * (
                archive.stat().st_size + 1
            ):
                raise InputError(f"{archive} would unpack to far more than it holds. Nothing was unpacked.")
            for one in members:
                if one.filename.startswith(root):
                    _write(opened, one, made, one.filename.removeprefix(root))
        if place.exists():
            shutil.rmtree(place)
        made.replace(place)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise InputError(
            f"{archive} is cut short or is not a zip archive ({error}). Remove it and fetch it again."
        ) from error
    finally:
        shutil.rmtree(made, ignore_errors=True)


def _named(path: str, marker: str) -> bool:
    return path == marker or path.endswith(f"/{marker}")


def _write(opened: zipfile.ZipFile, one: zipfile.ZipInfo, folder: Path, name: str) -> None:
    parts = Path(name).parts
    if name.startswith(("/", "\\")) or ".." in parts or ":" in name or stat.S_ISLNK(one.external_attr >> 16):
        raise InputError(
            f"{opened.filename} holds {one.filename[:80]!r}, which leads out of its folder. Nothing was unpacked."
        )
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with opened.open(one) as source, target.open("wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
