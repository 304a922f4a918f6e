"""Resumable, verified downloads.

A file without a published checksum must not change after its first download. Its sha256 is recorded in the cache folder, in
one small JSON file per address.
"""

from __future__ import annotations

import errno
import hashlib
import http.client
import json
import os
import shutil
import urllib.error
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

from assay.core.errors import AssayError, InputError, MissingPart, OutputError
from assay.io.files.atomic import atomic_write
from assay.io.files.paths import Untrusted, cache_dir, check_file, check_folder, open_own, private_folder
from assay.io.files.server import ask, blocks, length
from assay.io.files.system import MOVES_OPEN_FILES, lock

Progress = Callable[[str, int, int | None], None]
"""Called with the file's name, the bytes received, and the total bytes (None if the server does not report them)."""

Notify = Callable[[str], object]
"""Called with a warning for the user."""


def download(
    title: str,
    address: str,
    target: Path,
    expected: str | None = None,
    progress: Progress | None = None,
    headers: Mapping[str, str] | None = None,
    *,
    first_use: str | None = None,
    say: Notify | None = None,
) -> None:
    """Download `address` to `target`; after an interruption, the received bytes stay in ``FILE.part``.

    Args:
        title: The name of the download in messages.
        address: The URL.
        target: The file to write. A file with the checksum `expected` is not downloaded again.
        expected: A sha256, or the sha1 of a git blob.
        progress: Called after every block.
        headers: HTTP headers for the first server only, not for redirects to other servers.
        first_use: The address under which the first sha256 is recorded, if only the server vouches for `expected`.
        say: Called with a warning if no checksum of the file is known.
    """
    if target.is_file():
        if expected is None:
            matches_first(address, checksum(target))
            return
        if checksum(target, expected) == expected:
            return
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(
            f"cannot create the folder {target.parent}: {error.strerror}. Choose a different folder with --data-dir."
        ) from error
    try:
        recorded = _fetch(address, target, expected, progress, headers or {}, first_use)
    except AssayError:
        raise
    except OSError as error:
        raise download_error(error, title, address, target) from error
    except http.client.HTTPException as error:
        raise download_error(OSError(f"the connection was lost ({error!r})"), title, address, target) from error
    except ValueError as error:
        raise download_error(
            OSError(f"an address or a header is malformed ({error})"), title, address, target
        ) from error
    if say is not None and expected is None and recorded:
        say(f"{target} was not verified, because it has no known checksum. {recorded}")


def _fetch(
    address: str,
    target: Path,
    expected: str | None,
    progress: Progress | None,
    headers: Mapping[str, str],
    first_use: str | None,
) -> str:
    """Download and verify a file, and give it its final name; return the sentence about its recorded sha256, if any."""
    part, recorded = target.with_name(f"{target.name}.part"), ""
    with open(open_own(part, 0o666, os.O_APPEND), "ab") as out:
        _lock(out, part)
        try:
            digest = _fill(
                out,
                part,
                address,
                expected,
                lambda have, total: progress and progress(target.name, have, total),
                headers,
            )
            if expected is None or first_use is not None:
                sha256 = digest if len(digest) == 64 else checksum(part)
                known_as = first_use or address
                recorded = "" if matches_first(known_as, sha256) else record_first(known_as, sha256)
        except BaseException as error:
            if isinstance(error, InputError):
                out.truncate(0)
            if not part.stat().st_size:
                with suppress(
                    PermissionError
                ):  # Windows cannot remove an open file; the next attempt uses the empty one
                    part.unlink()
            raise
        if MOVES_OPEN_FILES:
            part.replace(target)
    if not MOVES_OPEN_FILES:
        part.replace(target)
    return recorded


def checksum(path: Path, like: str = "") -> str:
    """Return the file's sha256 in hexadecimal; if `like` has 40 digits, return the sha1 of its git blob instead."""
    with path.open("rb") as handle:
        if len(like) != 40:
            return hashlib.file_digest(handle, "sha256").hexdigest()
        state = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
        while block := handle.read(1 << 20):
            state.update(block)
        return state.hexdigest()


def _lock(out: BinaryIO, part: Path) -> None:
    try:
        lock(out.fileno(), wait=False)
    except BlockingIOError as error:
        raise OutputError(f"{part} is being downloaded by another process. Wait until it finishes.") from error


def _fill(
    out: BinaryIO,
    part: Path,
    address: str,
    expected: str | None,
    progress: Callable[[int, int | None], Any],
    headers: Mapping[str, str],
) -> str:
    """Complete `part`, verify it and return its checksum.

    If a resumed file turns out to be a different one, it is downloaded from the beginning. Without a checksum this cannot be
    detected, so such a file is always downloaded from the beginning.
    """
    if expected is None:
        out.truncate(0)
    continued = part.stat().st_size > 0
    _receive(out, address, progress, headers)
    digest = checksum(part, expected or "")
    if expected is not None and digest != expected and continued:
        out.truncate(0)
        _receive(out, address, progress, headers)
        digest = checksum(part, expected)
    if expected is not None and digest != expected:
        raise InputError(
            f"{address} has changed: its sha256 is {digest[:12]}…, expected {expected[:12]}…. The download was "
            "discarded. Try again, and report the problem if it persists."
        )
    os.fsync(out.fileno())
    return digest


def _receive(
    out: BinaryIO, address: str, progress: Callable[[int, int | None], Any], headers: Mapping[str, str]
) -> None:
    """Append the missing bytes of the file to `out`."""
    have = os.fstat(out.fileno()).st_size
    try:
        response = ask(address, headers, have)
    except urllib.error.HTTPError as error:
        if error.code != 416 or not have:
            raise
        if error.headers.get("Content-Range") == f"bytes */{have}":
            return  # the file is already complete
        out.truncate(0)
        _receive(out, address, progress, headers)
        return
    with response:
        if response.status != 206:
            out.truncate(0)
            have = 0
        elif not response.headers.get("Content-Range", f"bytes {have}-").startswith(f"bytes {have}-"):
            raise OSError("the server sent the wrong part of the file")
        coming = length(response)
        total = None if coming is None else have + coming
        if coming is not None and coming > (free := shutil.disk_usage(out.name).free):
            raise OSError(errno.ENOSPC, f"{coming / 1e9:.1f} GB are needed, but only {free / 1e9:.1f} GB are free")
        for block in blocks(response):
            out.write(block)
            have += len(block)
            progress(have, total)
        out.flush()
    if total is not None and have < total:
        raise OSError(f"the connection ended after {have:,} of {total:,} bytes; the same command resumes from there")
    if not have:
        raise OSError("the server sent an empty file")


def download_error(error: OSError, title: str, address: str, target: Path) -> MissingPart | OutputError:
    """Return the error for a failed download, with the reason and the remedy."""
    if isinstance(error, urllib.error.HTTPError):
        reason = f"the server answered {error.code} {error.reason}"
    elif isinstance(error, urllib.error.URLError):
        reason = str(error.reason)
    elif error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
        detail = error.strerror or "no space left"
        return OutputError(
            f"the disk is too full for {target}: {detail}. Free some space, or choose another folder with --data-dir."
        )
    elif isinstance(error, Untrusted):
        return OutputError(f"{error.strerror}. Remove it, or choose another folder with --data-dir.")
    elif error.filename is not None:
        return OutputError(f"cannot write {error.filename}: {error.strerror}. Choose another folder with --data-dir.")
    else:
        reason = str(error) or type(error).__name__
    return MissingPart(
        f"{title} could not be downloaded from {address}: {reason}. Try again, or download that file manually and "
        f"save it as {target}."
    )


def first_record(address: str) -> Path:
    """Return the file that records the first sha256 from an address."""
    name = hashlib.blake2b(address.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()
    return cache_dir() / "fetched" / f"{name}.json"


def matches_first(address: str, digest: str) -> bool:
    """Return True if this sha256 was the first from this address, and False if none is recorded; reject a different one."""
    path = first_record(address)
    try:
        check_folder(path.parent)
        check_file(path)
        before = json.loads(path.read_text(encoding="utf-8"))["sha256"]
    except OSError:
        return False
    except (ValueError, LookupError, TypeError, RecursionError) as error:
        raise InputError(f"{path} is damaged: it should contain the sha256 of {address}. Remove it.") from error
    if before != digest:
        raise InputError(
            f"{address} has changed since its first download: its sha256 is {digest[:12]}…, it was "
            f"{str(before)[:12]}…. If the change is intended, remove {path}."
        )
    return True


def record_first(address: str, digest: str) -> str:
    """Record the first sha256 from an address, and return a sentence about it."""
    path = first_record(address)
    try:
        private_folder(path.parent)
        check_file(path)
        with atomic_write(path, "w") as out:
            out.write(json.dumps({"address": address, "sha256": digest}) + "\n")
    except OSError as error:
        return f"Its sha256 is {digest}; it could not be recorded ({error.strerror or error})."
    return f"Its sha256 ({digest[:12]}…) is recorded in {path}: a later download of a different file is refused."
