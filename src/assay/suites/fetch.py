"""Downloading a suite's official files: resumed where they broke off, checked, and moved into place whole."""

from __future__ import annotations

import http.client
import os
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path

from assay.core.errors import InputError, MissingPart, OutputError
from assay.core.suite import SuiteCard
from assay.io.paths import cache_dir
from assay.suites.locate import sha256

Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes that are here, and the bytes there will be (None when the server does not say)."""

TIMEOUT = 30.0
_BLOCK = 1 << 16


def fetch(
    suite: str | SuiteCard, data_dir: str | os.PathLike[str] | None = None, progress: Progress | None = None
) -> Path:
    """Download the files of a suite into ``data_dir/NAME`` (by default under the cache directory); the folder is returned.

    A file that is here and has the right checksum is not fetched again. What was downloaded stays as ``FILE.part`` when
    the line breaks, and the next call goes on from there.
    """
    card = _card(suite)
    if not card.downloads:
        raise MissingPart(f"{card.title} cannot be fetched by assay. {card.how_to_get}")
    folder = (Path(data_dir) if data_dir is not None else cache_dir() / "data") / card.folders[0]
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{folder} cannot be made: {error.strerror}. Give another place with --data-dir.") from error
    for name, address in card.downloads.items():
        target = folder / name
        expected = card.checksums.get(name)
        if target.is_file() and (expected is None or sha256(target) == expected):
            continue
        part = target.with_name(f"{name}.part")
        try:
            _download(address, part, name, progress)
        except OSError as error:
            raise _explained(error, card, address, target) from error
        except http.client.HTTPException as error:
            raise _explained(OSError(f"the server broke off ({error!r})"), card, address, target) from error
        _accept(part, target, expected, address)
    return folder


def _card(suite: str | SuiteCard) -> SuiteCard:
    if isinstance(suite, SuiteCard):
        return suite
    from assay.suites import SUITES

    card = SUITES.resolve(suite).card
    if not isinstance(card, SuiteCard):
        raise InputError(f"suite {suite!r} has no card.")
    return card


def _download(address: str, part: Path, name: str, progress: Progress | None) -> None:
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "mt-assay"})
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        part.unlink()  # the part is as long as the file or longer: begin again
        _download(address, part, name, progress)
        return
    with response:
        resumed = response.status == 206
        have = have if resumed else 0
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        with part.open("ab" if resumed else "wb") as out:
            while block := response.read(_BLOCK):
                out.write(block)
                have += len(block)
                if progress:
                    progress(name, have, total)
    if total is not None and have < total:
        raise OSError(f"the connection ended after {have:,} of {total:,} bytes; the same command goes on from there")


def _accept(part: Path, target: Path, expected: str | None, address: str) -> None:
    found = sha256(part)
    if expected is not None and found != expected:
        part.unlink()
        raise InputError(
            f"{address} is not the file it was: sha256 {found[:12]}…, expected {expected[:12]}…. Nothing was kept; try again, "
            "and report it if it stays so."
        )
    part.replace(target)


def _explained(error: OSError, card: SuiteCard, address: str, target: Path) -> MissingPart | OutputError:
    if isinstance(error, urllib.error.HTTPError):
        reason = f"the server answered {error.code} {error.reason}"
    elif isinstance(error, urllib.error.URLError):
        reason = str(error.reason)
    elif error.filename is not None:
        return OutputError(f"{error.filename} cannot be written: {error.strerror}. Give another place with --data-dir.")
    else:
        reason = str(error) or type(error).__name__
    return MissingPart(
        f"{card.title} could not be fetched from {address}: {reason}. Try again, or download that file by hand and put it "
        f"at {target}."
    )
