"""Published checkpoints: names, local copies, and download.

Sizes refer to the published parameters in float32. Names and licences come from the repositories' own pages.
"""

from __future__ import annotations

import os
import re
import shutil
import stat
import tarfile
import tempfile
import zipfile
from collections.abc import Mapping
from pathlib import Path

from assay.core.errors import InputError, MissingPart, listing
from assay.data import rows
from assay.data.checkpoints import PublishedCheckpoint, checkpoints, of_family
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write
from assay.io.files.download import Notify, Progress, download
from assay.io.files.paths import is_trusted
from assay.io.files.server import offline
from assay.models.files.hub import address_of, cached, checkpoint_home, copies, fetch_files, hub_address, instruction

BASELINES = "https://raw.githubusercontent.com/Tiiiger/bert_score/19e7f551fe4fa43fdd07b8129ae947015b902b2d/bert_score/rescale_baseline"
XLMR = "FacebookAI/xlm-roberta-large"
"""Repository of the tokenizer.json that every XLM-R, InfoXLM, XL and XXL model shares."""
HPARAMS, TOKENIZER, WEIGHTS = "hparams.yaml", "tokenizer.json", "checkpoints/model.ckpt"
PARTS = ("model.safetensors", "model.safetensors.index.json", "pytorch_model.bin", "pytorch_model.bin.index.json")
_PART = re.compile(r"[\w-][\w.-]*\.(safetensors|bin)")
PRISM_FILES = ("checkpoint.pt", "spm.model", "dict.src.txt", "dict.tgt.txt")


def published_name(name: str) -> str | None:
    """Return assay's name for a COMET checkpoint, given its hub name with or without owner; None if unknown."""
    return _named(name, of_family("comet"))


def encoder_name(name: str) -> str | None:
    """Return assay's name for an encoder, given its hub name with or without owner; None if unknown."""
    return _named(name, of_family("encoder"))


def _named(name: str, table: Mapping[str, PublishedCheckpoint]) -> str | None:
    lowered = name.lower()
    for own_name, checkpoint in table.items():
        full = checkpoint.repository.lower()
        if lowered in (own_name, full, full.partition("/")[2]):
            return own_name
    return None


def fetchable_name(name: str) -> str | None:
    """Return assay's name for a checkpoint that it can download, or None if the name is unknown."""
    lowered = name.lower()
    for own_name, checkpoint in checkpoints().items():
        names = (own_name, checkpoint.repository.lower(), checkpoint.archive.lower())
        has_files = bool(checkpoint.weights or checkpoint.has_address)
        if checkpoint.family in ("metricx", "encoder-decoder") and has_files and lowered in names:
            return checkpoint.weights or own_name
    comet_name = published_name(name)
    return comet_name or (name if name in of_family("bleurt") else encoder_name(name))


def find_published(name: str) -> Path:
    """Return a local copy of a published checkpoint: assay's own, else one in the hub's cache.

    Raises:
        MissingPart: there is no copy; the message says how to get one.
    """
    checkpoint = checkpoints()[name]
    if checkpoint.by_hand:
        raise MissingPart(
            f"{name} cannot be downloaded by assay. Download and unpack {checkpoint.by_hand}, then specify its folder: "
            f"{name}:path=FOLDER."
        )
    if checkpoint.family == "bleurt":
        return find_archive(name)
    files = _wanted(checkpoint)
    for copy in copies(name, checkpoint):
        if all(any((copy / file).is_file() for file in choice.split("|")) for choice in files):
            return copy
    what = "the encoder " if checkpoint.family == "encoder" else ""
    raise MissingPart(f"{what}{name} is not on this machine. {instruction(name)}")


def _wanted(checkpoint: PublishedCheckpoint) -> tuple[str, ...]:
    """Return the files of a complete copy; some have alternatives."""
    if checkpoint.family in ("metricx", "encoder-decoder"):
        return (PRISM_FILES[0],) if checkpoint.archive else ("config.json",)
    return checkpoint.files or (HPARAMS, WEIGHTS)


def find_encoder(name: str) -> Path:
    """Return a local copy of a published encoder (``labse``, ``FacebookAI/xlm-roberta-large``), or the folder at that path."""
    own_name = encoder_name(name)
    if own_name is None:
        raise InputError(
            f"{name[:200]} is neither a folder nor a known encoder ({listing(of_family('encoder'))}). To use a "
            "local encoder, set model=PATH."
        )
    return find_published(own_name)


def fetch_published(
    name: str, folder: str | None = None, progress: Progress | None = None, say: Notify | None = None
) -> Path:
    """Download a published checkpoint and return its folder. An interrupted download resumes.

    Every file comes from the commit that the hub reports. It is verified against the sha256 that assay knows, otherwise against
    the hub's checksum and that of the first download (`assay.io.files.download`). Complete files are not downloaded again.
    `say` receives a sentence about files that cannot be verified.
    """
    checkpoint = checkpoints()[name]
    if checkpoint.family == "bleurt":
        return fetch_archive(name, folder, progress, say)
    if checkpoint.archive:
        return _unpacked(name, checkpoint, folder, progress, say)
    if checkpoint.family in ("metricx", "encoder-decoder"):
        return _fetch_sharded(name, checkpoint, folder, progress, say)
    if checkpoint.family == "comet" and not checkpoint.files:
        tokenizer = f"{hub_address()}/{XLMR}/resolve/main/{TOKENIZER}"
        addresses = {
            HPARAMS: address_of(checkpoint, HPARAMS),
            TOKENIZER: tokenizer,
            WEIGHTS: address_of(checkpoint, WEIGHTS),
        }
        return fetch_files(name, folder, [[choice] for choice in addresses.items()], progress, say)
    choices = [[(file, address_of(checkpoint, file)) for file in choice.split("|")] for choice in checkpoint.files]
    target = fetch_files(name, folder, choices, progress, say)
    if checkpoint.family == "encoder":
        _fetch_baselines(name, target, say)
    return target


def _fetch_baselines(name: str, place: Path, say: Notify | None) -> None:
    try:
        for row in rows("bertscore_baselines.csv"):
            target = place / "baselines" / f"{row['language']}.tsv"
            if row["encoder"] == name and not target.is_file() and not offline():
                download(name, f"{baselines_address()}/{row['path']}", target, row["sha256"])
    except MissingPart as error:  # needed only for rescaling
        if say is not None:
            say(f"the baselines for bertscore:baseline=… were not downloaded: {error}")


def baselines_address() -> str:
    """Return the address of bert-score's baselines, at the commit whose checksums assay knows."""
    return os.environ.get("ASSAY_BASELINES", "").strip().rstrip("/") or BASELINES


def _fetch_sharded(
    name: str, checkpoint: PublishedCheckpoint, folder: str | None, progress: Progress | None, say: Notify | None
) -> Path:
    """Download weights in one or several files, and the tokenizer from another repository if their own has none."""
    tokenizer = f"{hub_address()}/{checkpoint.tokenizer or checkpoint.repository}/resolve/main"
    choices = [[(file, f"{tokenizer}/{file}")] for file in checkpoint.files]
    choices.append([(file, address_of(checkpoint, file)) for file in PARTS])
    target = fetch_files(name, folder, choices, progress, say)
    parts = [part for file in PARTS if file.endswith(".index.json") for part in _parts(target / file)]
    # config.json is downloaded last, so its presence marks a complete model.
    whole = [[(file, address_of(checkpoint, file))] for file in (*parts, "config.json")]
    return fetch_files(name, folder, whole, progress, say)


def _parts(index: Path) -> list[str]:
    """Return the files listed in an index. Raise an error if one is outside its folder."""
    if not index.is_file():
        return []
    content = read_document(index, said="cannot be read")
    named = content.get("weight_map") if isinstance(content, dict) else None
    files = sorted(set(map(str, named.values()))) if isinstance(named, dict) else []
    if not files or not all(_PART.fullmatch(file) for file in files):
        raise InputError(f"{index} names no weight files in its folder.")
    return files


def _unpacked(
    name: str, checkpoint: PublishedCheckpoint, folder: str | None, progress: Progress | None, say: Notify | None
) -> Path:
    """Extract an archive's files under their base names; other members are not written."""
    target = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    if all((target / file).is_file() for file in PRISM_FILES):
        return target
    archive = target / checkpoint.archive.rpartition("/")[2]
    download(name, checkpoint.archive, archive, progress=progress, say=say)
    try:
        with tarfile.open(archive) as opened:
            members = {Path(one.name).name: one for one in opened if one.isfile()}
            for file in reversed(PRISM_FILES):
                content = opened.extractfile(members[file]) if file in members else None
                if content is None:
                    raise InputError(f"{archive} has no {file}: it is not the Prism model archive.")
                with atomic_write(target / file, "wb") as out:
                    while block := content.read(1 << 22):
                        out.write(block)
    except (tarfile.TarError, EOFError) as error:
        raise InputError(
            f"{archive} is incomplete or not an archive ({error}). Delete it and download it again."
        ) from error
    archive.unlink()
    return target


MARKER = "bleurt_config.json"
"""A file that is present in every unpacked copy."""
MOST_FILES, MOST_TIMES = 1000, 20
"""Limits for archives: number of files, and total size relative to the archive."""


def find_archive(name: str) -> Path:
    """Return a local copy: assay's own, else a port in the hub's cache. If there is none, the error explains how to get one."""
    own = checkpoint_home(name)
    if is_trusted(own) and (own / MARKER).is_file():
        return own
    for snapshot in cached(checkpoints()[name].port):
        if (snapshot / "config.json").is_file():
            return snapshot
    raise MissingPart(f"{name} is not on this machine. {instruction(name)}")


def fetch_archive(
    name: str, folder: str | None = None, progress: Progress | None = None, say: Notify | None = None
) -> Path:
    """Download an archive and unpack it, unless that is already done, and return the folder. An interrupted download resumes."""
    address = checkpoints()[name].archive
    target = Path(folder).expanduser() / name if folder else checkpoint_home(name)
    if (target / MARKER).is_file():
        return target
    archive = target.parent / f"{name}.zip"
    download(name, address, archive, progress=progress, first_use=address, say=say)
    unpack(archive, target, MARKER)
    archive.unlink()
    return target


def unpack(archive: Path, target: Path, marker: str) -> None:
    """Unpack the archive folder that contains `marker` as `place`, atomically."""
    temporary = Path(tempfile.mkdtemp(dir=archive.parent, prefix=f".{target.name}-"))
    try:
        with zipfile.ZipFile(archive) as opened:
            members = [one for one in opened.infolist() if not one.is_dir()]
            root = next((one.filename.removesuffix(marker) for one in members if _is_named(one.filename, marker)), None)
            if root is None:
                raise InputError(f"{archive} contains no {marker}: it is not the expected checkpoint.")
            if len(members) > MOST_FILES or sum(one.file_size for one in members) > MOST_TIMES * (
                archive.stat().st_size + 1
            ):
                raise InputError(
                    f"{archive} is suspicious: it would unpack to far more than its size. Nothing was unpacked."
                )
            for one in members:
                if one.filename.startswith(root):
                    _write(opened, one, temporary, one.filename.removeprefix(root))
        if target.exists():
            shutil.rmtree(target)
        temporary.replace(target)
    except (zipfile.BadZipFile, EOFError, NotImplementedError) as error:
        raise InputError(
            f"{archive} is incomplete or not a zip archive ({error}). Delete it and download it again."
        ) from error
    finally:
        shutil.rmtree(temporary, ignore_errors=True)


def _is_named(path: str, marker: str) -> bool:
    return path == marker or path.endswith(f"/{marker}")


def _write(opened: zipfile.ZipFile, one: zipfile.ZipInfo, folder: Path, name: str) -> None:
    parts = Path(name).parts
    if name.startswith(("/", "\\")) or ".." in parts or ":" in name or stat.S_ISLNK(one.external_attr >> 16):
        raise InputError(
            f"{opened.filename} contains {one.filename[:80]!r}, which is outside its folder. Nothing was unpacked."
        )
    target = folder.joinpath(*parts)
    target.parent.mkdir(parents=True, exist_ok=True)
    with opened.open(one) as source, target.open("wb") as out:
        shutil.copyfileobj(source, out, 1 << 20)
