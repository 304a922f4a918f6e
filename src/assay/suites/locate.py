"""Finding a suite's local copy, checking that it is the copy that its card describes, and fetching the official files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path

from assay.core.errors import InputError, MissingPart, listing
from assay.core.spec import contracted
from assay.core.suite import Suite, SuiteCard
from assay.io.files.download import Notify, Progress, download
from assay.io.files.paths import cache_dir, is_trusted
from assay.io.files.text import open_bytes
from assay.suites import SUITES


def locate(card: SuiteCard, data_dir: str | os.PathLike[str] | None = None) -> Path:
    """The folder of a suite: under `data_dir`, or else under ``$ASSAY_DATA``, or else where ``assay fetch`` puts it.

    Each of these may be the suite's own folder, or hold it under one of the names in ``card.folders``. An explicit
    `data_dir` is the only place looked at, and may be the suite's folder or file under any name.
    """
    searched = []
    for base in _bases(data_dir):
        if (folder := _inside(base, card)) is not None:
            return folder
        searched.append(str(base))
    if data_dir is not None:
        given = Path(data_dir)
        if given.is_file() or (given.is_dir() and any(entry.is_file() for entry in given.iterdir())):
            return given  # somebody's own copy, under whatever name: the suite says what it misses in it
        if not given.is_dir():
            raise InputError(f"--data-dir {data_dir} does not exist.")
    get = f"Get it with: assay fetch {card.name};" if card.downloads else f"{card.how_to_get.rstrip('.')};"
    raise MissingPart(
        f"the {card.title} data is not here. {get} or point --data-dir or ASSAY_DATA at a folder that has "
        f"{' or '.join(card.folders)} in it (looked in {listing(searched)})."
    )


def _bases(data_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    if data_dir is not None:
        yield Path(data_dir)
        return
    if environment := os.environ.get("ASSAY_DATA"):
        yield Path(environment)
    if is_trusted(cache_dir() / "data"):
        yield cache_dir() / "data"


def _inside(base: Path, card: SuiteCard) -> Path | None:
    for name in card.folders:
        if (base / name).is_dir():
            return base / name
    if not base.is_dir():
        return None
    known = {*card.checksums, *card.downloads}
    known |= {f"{name}.gz" for name in known}
    here = {entry.name for folder in (base, base / "dataset") if folder.is_dir() for entry in folder.iterdir()}
    return base if base.name in card.folders or known & here else None


def verify(folder: Path, card: SuiteCard) -> list[str]:
    """Names of the files whose sha256 is the one on the card; a known file with another one is an error.

    A ``.gz`` copy of a known file is checked by its contents. Files the card does not know are left alone.
    """
    checked = []
    for path in sorted(folder.rglob("*")):
        expected, unpack = card.checksums.get(path.name), False
        if expected is None and path.suffix == ".gz":
            expected, unpack = card.checksums.get(path.stem), True
        if expected is None or not path.is_file():
            continue
        found = sha256(path, unpack)
        if found != expected:
            raise InputError(
                f"{path} is not the file the {card.title} card knows: sha256 {found[:12]}…, expected {expected[:12]}…. "
                f"Fetch it again (assay fetch {card.name}), or run without --verify if the change is your own."
            )
        checked.append(path.name)
    return checked


def sha256(path: Path, unpack: bool = False) -> str:
    """The sha256 of a file, or of what a compressed file holds."""
    digest = hashlib.sha256()
    with open_bytes(path) if unpack else path.open("rb") as handle:
        while block := handle.read(1 << 20):
            digest.update(block)
    return digest.hexdigest()


def fetch(
    suite: str | SuiteCard,
    data_dir: str | os.PathLike[str] | None = None,
    progress: Progress | None = None,
    say: Notify | None = None,
) -> Path:
    """Download the files of a suite into ``data_dir/NAME`` (by default under the cache directory); the folder is returned.

    A file that is here and has the right checksum is not fetched again. What was downloaded stays as ``FILE.part`` when
    the line breaks, and the next call goes on from there. `say` is told of files for which there is no checksum.
    """
    card = _card(suite)
    if not card.downloads:
        raise MissingPart(f"{card.title} cannot be fetched by assay. {card.how_to_get}")
    folder = (Path(data_dir) if data_dir is not None else cache_dir() / "data") / card.folders[0]
    for name, address in card.downloads.items():
        download(card.title, address, folder / name, card.checksums.get(name), progress, say=say)
    return folder


def _card(suite: str | SuiteCard) -> SuiteCard:
    if isinstance(suite, SuiteCard):
        return suite

    card = contracted(SUITES, suite, Suite).card
    if not isinstance(card, SuiteCard):
        raise InputError(f"suite {suite!r} has no card.")
    return card
