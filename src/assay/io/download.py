"""Downloading a file: resumed where it broke off, checked, and moved into place whole."""

from __future__ import annotations

import hashlib
import http.client
import urllib.error
import urllib.request
from collections.abc import Callable, Mapping
from pathlib import Path

from assay.core.errors import InputError, MissingPart, OutputError

Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes that are here, and the bytes there will be (None when the server does not say)."""

TIMEOUT = 30.0
_BLOCK = 1 << 16


def download(
    title: str,
    address: str,
    target: Path,
    expected: str | None = None,
    progress: Progress | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Fetch `address` into `target`; what has arrived stays as ``FILE.part`` when the line breaks.

    A file that is here and has the sha256 `expected` is not fetched again. `title` names the thing in messages. `headers` go
    to the first server only, not to where it sends us on.
    """
    if target.is_file() and (expected is None or sha256(target) == expected):
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"{target.parent} cannot be made: {error.strerror}. Give another place with --data-dir."
        ) from error
    part = target.with_name(f"{target.name}.part")
    try:
        _download(address, part, target.name, progress, headers or {})
    except OSError as error:
        raise _explained(error, title, address, target) from error
    except http.client.HTTPException as error:
        raise _explained(OSError(f"the server broke off ({error!r})"), title, address, target) from error
    _accept(part, target, expected, address)


def sha256(path: Path) -> str:
    """The file's sha256 as hexadecimal digits."""
    with path.open("rb") as handle:
        return hashlib.file_digest(handle, "sha256").hexdigest()


def _download(address: str, part: Path, name: str, progress: Progress | None, headers: Mapping[str, str]) -> None:
    have = part.stat().st_size if part.exists() else 0
    request = urllib.request.Request(address, headers={"User-Agent": "mt-assay"})
    for header, value in headers.items():
        request.add_unredirected_header(header, value)
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.urlopen(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        part.unlink()  # the part is as long as the file or longer: begin again
        _download(address, part, name, progress, headers)
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


def _explained(error: OSError, title: str, address: str, target: Path) -> MissingPart | OutputError:
    if isinstance(error, urllib.error.HTTPError):
        reason = f"the server answered {error.code} {error.reason}"
    elif isinstance(error, urllib.error.URLError):
        reason = str(error.reason)
    elif error.filename is not None:
        return OutputError(f"{error.filename} cannot be written: {error.strerror}. Give another place with --data-dir.")
    else:
        reason = str(error) or type(error).__name__
    return MissingPart(
        f"{title} could not be fetched from {address}: {reason}. Try again, or download that file by hand and put it "
        f"at {target}."
    )
