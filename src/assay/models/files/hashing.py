"""Hash of a model's files for signatures: computed once per file from its bytes, then cached. Torch is not needed.

The checksums in a zip archive's directory are not enough. They state what the bytes should be, but a reader that maps the
weights into memory never verifies them.
"""

from __future__ import annotations

import json
import time
import zipfile
from collections.abc import Sequence
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path

from assay.core.errors import InputError
from assay.io.files.atomic import atomic_write
from assay.io.files.paths import check_file, check_folder, hashes_dir, private_folder

_BLOCK = 1 << 22
_WORTH = 1 << 24
"""Total size in bytes below which hashes are not cached."""
_SETTLED = 2_000_000_000
"""Nanoseconds since a file's last change after which its times reliably reveal the next change."""


def fingerprint_files(*files: Path) -> str:
    """Return the hash of the files' bytes, in this order.

    Raises:
        InputError: the bytes of a torch archive do not have the checksums that were saved with them.
    """
    before = _states(files)
    worth = sum(int(state[1]) for state in before) >= _WORTH
    if worth and (cached := _recall(before)) is not None:
        return cached
    state = blake2b(digest_size=8)
    for path in files:
        _check_archive(path)
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                state.update(block)
    if worth and before == _states(files):
        _remember(before, state.hexdigest())
    return state.hexdigest()


def _states(files: Sequence[Path]) -> list[list[str | int]]:
    """Return path, size, times, inode and device of each file; these change when its bytes do."""
    states: list[list[str | int]] = []
    for path in files:
        real = path.resolve()
        status = real.stat()
        states.append([str(real), status.st_size, status.st_mtime_ns, status.st_ctime_ns, status.st_ino, status.st_dev])
    return states


def _check_archive(path: Path) -> None:
    """Raise an error if a member of a torch archive does not match its checksum. A checksum of 0 means that torch saved none."""
    if not zipfile.is_zipfile(path):
        return
    try:
        with zipfile.ZipFile(path) as archive:
            members = [item for item in archive.infolist() if item.CRC and item.compress_type == zipfile.ZIP_STORED]
            if sum(item.file_size for item in members) > path.stat().st_size:
                raise zipfile.BadZipFile("its members are larger than the file")
            for item in members:
                with archive.open(item) as member:
                    while member.read(_BLOCK):
                        pass
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise InputError(f"{path} is damaged ({str(error)[:160]}). Download it again.") from error


def _record(states: Sequence[Sequence[str | int]]) -> Path:
    name = blake2b(json.dumps([path for path, *_ in states]).encode(), digest_size=16).hexdigest()
    return hashes_dir() / f"{name}.json"


def _recall(states: list[list[str | int]]) -> str | None:
    """Return the cached hash of files that have not changed; None if there is no record, or it is damaged or not assay's."""
    path = _record(states)
    with suppress(OSError, ValueError, LookupError, TypeError, RecursionError):
        check_folder(path.parent)
        check_file(path)
        if path.stat().st_size > 1 << 20:
            return None
        record = json.loads(path.read_text(encoding="utf-8"))
        if record["files"] == states and record["check"] == _check(states, record["hash"]):
            return str(record["hash"])
    return None


def _remember(states: list[list[str | int]], found: str) -> None:
    now = time.time_ns()
    if any(now - max(int(item[2]), int(item[3])) < _SETTLED for item in states):
        return
    path = _record(states)
    with suppress(OSError):
        private_folder(path.parent)
        check_file(path)
        with atomic_write(path, "w") as out:
            out.write(json.dumps({"files": states, "hash": found, "check": _check(states, found)}) + "\n")


def _check(states: list[list[str | int]], found: str) -> str:
    return blake2b(json.dumps([states, found]).encode(), digest_size=16).hexdigest()
