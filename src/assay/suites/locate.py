"""Local copies of suites: finding them, verifying their checksums, and downloading official files."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError, MissingPart, listing
from assay.core.spec import contracted
from assay.core.suite import Suite, SuiteCard
from assay.io.files.paths import cache_dir, is_trusted
from assay.io.files.text import open_bytes
from assay.suites import SUITES

if TYPE_CHECKING:
    from assay.io.files.download import Notify, Progress


def locate(card: SuiteCard, data_dir: str | os.PathLike[str] | None = None) -> Path:
    """Return the folder of a suite.

    It is searched under `data_dir`, or else under ``$ASSAY_DATA`` and in the download folder of ``assay fetch``. Each of these
    may be the suite's folder, or contain it under one of the names in ``card.folders``. If `data_dir` is given, only it is
    searched, and it may be the folder or file of the suite under any name.
    """
    searched = []
    for base in _bases(data_dir):
        if (folder := _inside(base, card)) is not None:
            return folder
        searched.append(str(base))
    if data_dir is not None:
        path = Path(data_dir)
        if path.is_file() or (path.is_dir() and any(entry.is_file() for entry in path.iterdir())):
            return path  # a copy under any name; the suite reports what is missing
        if not path.is_dir():
            raise InputError(f"--data-dir {data_dir} does not exist.")
    get = f"Download it with assay fetch {card.name}," if card.downloads else f"{card.how_to_get.rstrip('.')},"
    raise MissingPart(
        f"the data of {card.title} is missing. {get} or set --data-dir or ASSAY_DATA to a folder that contains "
        f"{' or '.join(card.folders)} (searched {listing(searched)})."
    )


def _bases(data_dir: str | os.PathLike[str] | None) -> Iterator[Path]:
    if data_dir is not None:
        yield Path(data_dir)
        return
    if environment := os.environ.get("ASSAY_DATA"):
        yield Path(environment)
    if is_trusted(cache_dir() / "data"):
        yield cache_dir() / "data"
    # Where mt-metrics-eval keeps its data.
    for base in (os.environ.get("MTME_DATA"), Path.home() / ".mt-metrics-eval"):
        if base:
            yield from (Path(base), Path(base) / "mt-metrics-eval-v2")


def _inside(base: Path, card: SuiteCard) -> Path | None:
    for name in card.folders:
        if (base / name).is_dir():
            return base / name
    if not base.is_dir():
        return None
    names = {*card.checksums, *card.downloads}
    names |= {f"{name}.gz" for name in names}
    present = {entry.name for folder in (base, base / "dataset") if folder.is_dir() for entry in folder.iterdir()}
    return base if base.name in card.folders or names & present else None


def verify(folder: Path, card: SuiteCard) -> list[str]:
    """Return the names of the files whose sha256 matches the card; raise an error if a known file has a different sha256.

    A ``.gz`` copy of a known file is checked by its contents. Files unknown to the card are ignored.
    """
    checked = []
    for path in sorted(folder.rglob("*")):
        expected, unpack = card.checksums.get(path.name), False
        if expected is None and path.suffix == ".gz":
            expected, unpack = card.checksums.get(path.stem), True
        if expected is None or not path.is_file():
            continue
        digest = sha256(path, unpack)
        if digest != expected:
            raise InputError(
                f"{path} differs from the official file of {card.title}: sha256 {digest[:12]}…, expected {expected[:12]}…. "
                f"Download it again (assay fetch {card.name}), or omit --verify if you changed it on purpose."
            )
        checked.append(path.name)
    return checked


def sha256(path: Path, unpack: bool = False) -> str:
    """Return the sha256 of a file, or of the contents of a compressed file."""
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
    """Download the files of a suite into ``data_dir/NAME`` (by default under the cache directory) and return the folder.

    An existing file with the correct checksum is not downloaded again. After a broken connection, the partial download stays as
    ``FILE.part`` and the next call resumes it. `say` is called for files without a checksum.
    """
    from assay.io.files.download import download

    card = _card(suite)
    if not card.downloads:
        raise MissingPart(f"assay cannot download {card.title}. {card.how_to_get}")
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
