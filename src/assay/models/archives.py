"""Checkpoints that are published as one zip archive: BLEURT's. Where they come from, where a copy may lie, how one is fetched."""

from __future__ import annotations

import shutil
import stat
import tempfile
import zipfile
from pathlib import Path

from assay.core.errors import InputError, MissingPart
from assay.data.checkpoints import checkpoints
from assay.io.files.download import Progress, Say, download
from assay.io.files.paths import ours
from assay.models.hub import cached, checkpoint_home, instruction

MARKER = "bleurt_config.json"
"""A file that an unpacked copy has."""
MOST_FILES, MOST_TIMES = 1000, 20
"""Files of an archive, and how many times its own size they may have."""


def find_archive(name: str) -> Path:
    """A local copy: assay's own, else a port in the hub's cache; the error says how to get it."""
    own = checkpoint_home(name)
    if ours(own) and (own / MARKER).is_file():
        return own
    for place in cached(checkpoints()[name].port):
        if (place / "config.json").is_file():
            return place
    raise MissingPart(f"{name} is not on this machine. {instruction(name)}")


def fetch_archive(
    name: str, folder: str | None = None, progress: Progress | None = None, say: Say | None = None
) -> Path:
    """Download an archive, resumed where it broke off, and unpack it, unless it is here; the folder comes back."""
    address = checkpoints()[name].archive
    place = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    if (place / MARKER).is_file():
        return place
    archive = place.parent / f"{name}.zip"
    download(name, address, archive, progress=progress, first_use=address, say=say)
    unpack(archive, place, MARKER)
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
