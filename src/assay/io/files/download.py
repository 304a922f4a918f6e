"""Downloading a file: resumed where it broke off, checked, and moved into place whole."""

from __future__ import annotations

import errno
import fcntl
import hashlib
import http.client
import os
import shutil
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Callable, Mapping
from email.message import Message
from pathlib import Path
from typing import IO, Any, BinaryIO

from assay.core.errors import AssayError, InputError, MissingPart, OutputError

Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes that are here, and the bytes there will be (None when the server does not say)."""

TIMEOUT = 30.0
_BLOCK = 1 << 16
_REDIRECTS = 5


def download(
    title: str,
    address: str,
    target: Path,
    expected: str | None = None,
    progress: Progress | None = None,
    headers: Mapping[str, str] | None = None,
) -> None:
    """Fetch `address` into `target`; what has arrived stays as ``FILE.part`` when the line breaks.

    A file that is here and has the checksum `expected` (sha256, or git's sha1 of a blob) is not fetched again. `title` names
    the thing in messages. `headers` go to the first server only, not to another one where it sends us on.
    """
    if target.is_file() and (expected is None or checksum(target, expected) == expected):
        return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"{target.parent} cannot be made: {error.strerror}. Give another place with --data-dir."
        ) from error
    part = target.with_name(f"{target.name}.part")
    try:
        with part.open("ab") as out:
            _lock(out, part)
            try:
                _fill(
                    out,
                    part,
                    address,
                    expected,
                    lambda have, total: progress and progress(target.name, have, total),
                    headers,
                )
            except BaseException:
                if not part.stat().st_size:
                    part.unlink()
                raise
            part.replace(target)
    except AssayError:
        raise
    except OSError as error:
        raise explained(error, title, address, target) from error
    except http.client.HTTPException as error:
        raise explained(OSError(f"the server broke off ({error!r})"), title, address, target) from error


def checksum(path: Path, like: str = "") -> str:
    """The file's sha256 as hexadecimal digits; where `like` has 40 of them, the sha1 by which git names a file's content."""
    with path.open("rb") as handle:
        if len(like) != 40:
            return hashlib.file_digest(handle, "sha256").hexdigest()
        state = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
        while block := handle.read(1 << 20):
            state.update(block)
        return state.hexdigest()


def head(address: str, headers: Mapping[str, str]) -> tuple[int, Message]:
    """Status and headers of a file that is not fetched yet; a server's redirects to itself are followed, others are not."""
    opener = urllib.request.build_opener(_NoRedirects)
    for _ in range(_REDIRECTS):
        request = urllib.request.Request(address, method="HEAD", headers={"User-Agent": "mt-assay", **headers})
        try:
            with opener.open(request, timeout=TIMEOUT) as response:
                return response.status, response.headers
        except urllib.error.HTTPError as error:
            if not 300 <= error.code < 400:
                raise
            onward = urllib.parse.urljoin(address, error.headers.get("Location", ""))
            if not _same_server(address, onward) or onward == address:
                return error.code, error.headers
            address = onward
    raise OSError("the server sends us round in circles")


class _NoRedirects(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Every redirect becomes an error that the caller looks at."""


class _LoyalRedirects(urllib.request.HTTPRedirectHandler):
    """Authorization goes along where a server sends us on to itself, and stays behind where it sends us elsewhere."""

    def redirect_request(
        self, req: urllib.request.Request, fp: IO[bytes], code: int, msg: str, headers: Any, newurl: str
    ) -> urllib.request.Request | None:
        """The request that follows."""
        onward = super().redirect_request(req, fp, code, msg, headers, newurl)
        if onward is not None and _same_server(req.full_url, newurl) and req.has_header("Authorization"):
            onward.add_unredirected_header("Authorization", str(req.get_header("Authorization")))
        return onward


def _same_server(one: str, other: str) -> bool:
    return urllib.parse.urlsplit(one)[:2] == urllib.parse.urlsplit(other)[:2]


def _lock(out: BinaryIO, part: Path) -> None:
    try:
        fcntl.flock(out, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError as error:
        raise OutputError(f"{part} is being fetched by another process: wait for it.") from error


def _fill(
    out: BinaryIO,
    part: Path,
    address: str,
    expected: str | None,
    progress: Callable[[int, int | None], Any],
    headers: Mapping[str, str] | None,
) -> None:
    """The whole file into `part`, checked; a part that turns out to be of another file is fetched from its beginning."""
    continued = part.stat().st_size > 0
    _receive(out, address, progress, headers or {})
    found = checksum(part, expected) if expected else None
    if found != expected and continued:
        out.truncate(0)
        _receive(out, address, progress, headers or {})
        found = checksum(part, expected or "")
    if found != expected:
        out.truncate(0)
        raise InputError(
            f"{address} is not the file it was: sha256 {str(found)[:12]}…, expected {str(expected)[:12]}…. Nothing was kept; "
            "try again, and report it if it stays so."
        )
    os.fsync(out.fileno())


def _receive(
    out: BinaryIO, address: str, progress: Callable[[int, int | None], Any], headers: Mapping[str, str]
) -> None:
    """What is missing of the file at the end of `out`."""
    have = os.fstat(out.fileno()).st_size
    request = urllib.request.Request(address, headers={"User-Agent": "mt-assay"})
    for header, value in headers.items():
        request.add_unredirected_header(header, value)
    if have:
        request.add_header("Range", f"bytes={have}-")
    try:
        response = urllib.request.build_opener(_LoyalRedirects).open(request, timeout=TIMEOUT)
    except urllib.error.HTTPError as error:
        if error.code != 416:
            raise
        if error.headers.get("Content-Range") == f"bytes */{have}":
            return  # all of it is here already
        out.truncate(0)
        _receive(out, address, progress, headers)
        return
    with response:
        if response.status != 206:
            out.truncate(0)
            have = 0
        elif not response.headers.get("Content-Range", f"bytes {have}-").startswith(f"bytes {have}-"):
            raise OSError("the server sent another part of the file than the one it was asked for")
        length = response.headers.get("Content-Length")
        total = have + int(length) if length else None
        if total is not None and total - have > (free := shutil.disk_usage(out.name).free):
            raise OSError(errno.ENOSPC, f"{(total - have) / 1e9:.1f} GB are to come and {free / 1e9:.1f} GB are free")
        while block := response.read(_BLOCK):
            out.write(block)
            have += len(block)
            progress(have, total)
        out.flush()
    if total is not None and have < total:
        raise OSError(f"the connection ended after {have:,} of {total:,} bytes; the same command goes on from there")


def explained(error: OSError, title: str, address: str, target: Path) -> MissingPart | OutputError:
    """Why a download failed, in a sentence with the remedy."""
    if isinstance(error, urllib.error.HTTPError):
        reason = f"the server answered {error.code} {error.reason}"
    elif isinstance(error, urllib.error.URLError):
        reason = str(error.reason)
    elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        said = error.strerror or "no space left"
        return OutputError(
            f"the disk is too full for {target}: {said}. Free some space, or give another place with --data-dir."
        )
    elif error.filename is not None:
        return OutputError(f"{error.filename} cannot be written: {error.strerror}. Give another place with --data-dir.")
    else:
        reason = str(error) or type(error).__name__
    return MissingPart(
        f"{title} could not be fetched from {address}: {reason}. Try again, or download that file by hand and put it "
        f"at {target}."
    )
