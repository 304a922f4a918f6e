"""Progress file of a run: finished chunks on disk, from which an interrupted run resumes.

A progress file belongs to one run (inputs, metrics, chunking), and the same command finds it again. It is a folder with one
file per chunk. Each file contains a hash of its input, so changed input is scored again, and a checksum, so a truncated file
counts as missing. The final result is assembled chunk by chunk in constant memory.
"""

from __future__ import annotations

import errno
import json
import os
import shutil
import struct
import tempfile
import time
import zlib
from collections.abc import Iterator, Mapping
from contextlib import suppress
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.errors import OutputError
from assay.io.files.paths import Untrusted, check_folder, open_own, private_folder
from assay.io.files.system import MOVES_OPEN_FILES, lock

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[np.generic]]

_HEAD = struct.Struct("<8sIII")
"""Magic bytes, length of the description, length of the data hash, checksum of everything that follows."""
_MARK = b"assaysp2"
_LOCK = "lock"


class ProgressFile:
    """An open progress file. `close` keeps it for the next run; `finish` deletes it when the results are saved."""

    def __init__(self, folder: Path, lock: int, notice: str | None = None) -> None:
        self.folder = folder
        self.notice = notice
        """A sentence for the user if this run cannot be resumed, otherwise None."""
        self._lock: int | None = lock
        self._done: dict[int, bytes] = {}

    @classmethod
    def open(cls, run_key: str, folder: str | os.PathLike[str]) -> ProgressFile:
        """Open the progress file of a run under `folder`, with the chunks of an earlier attempt.

        A second identical run at the same time gets a private one. If `folder` cannot be written or is accessible to other users,
        the progress file is in the system's temporary folder, and a notice says that the run cannot be resumed.
        """
        name = blake2b(run_key.encode("utf-8", "surrogatepass"), digest_size=12).hexdigest()
        base = Path(folder)
        try:
            private_folder(base, sticky=True)
            lock = _acquire(base / name)
            if lock is not None:
                return cls(base / name, lock)
            notice = "the same command is already running. This run is independent of it and cannot be resumed."
            return cls._private(base, name, notice)
        except OSError as error:
            if error.errno in (errno.ENOSPC, errno.EDQUOT):
                raise _full(base) from error
            reason = error.strerror if isinstance(error, Untrusted) else f"{base} cannot be written"
            notice = f"{reason}, so this run cannot be resumed. Set ASSAY_CACHE_DIR to a folder of your own."
        try:
            return cls._private(Path(tempfile.gettempdir()), "assay-" + name, notice)
        except OSError as error:
            raise OutputError(
                f"no temporary folder is writable ({error.strerror}). Set TMPDIR to a writable folder."
            ) from error

    @classmethod
    def _private(cls, base: Path, name: str, notice: str) -> ProgressFile:
        path = Path(tempfile.mkdtemp(prefix=f"{name}-", dir=base))
        lock = _acquire(path)
        if lock is None:
            raise OSError(errno.EAGAIN, "the folder is locked", str(path))
        return cls(path, lock, notice)

    def get(self, index: int, data_hash: bytes) -> dict[str, NDArray[Any]] | None:
        """Return the arrays of a finished chunk; None if it is missing, incomplete or based on different data."""
        arrays = _read(self._path(index), data_hash)
        if arrays is not None:
            self._done[index] = data_hash
        return arrays

    def put(self, index: int, data_hash: bytes, arrays: Arrays) -> None:
        """Write a chunk's arrays (of any type except objects) atomically."""
        path = self._path(index)
        temporary = path.with_suffix(".part")
        try:
            temporary.unlink(missing_ok=True)
            with temporary.open("xb") as file:  # a new file: an existing file or link is never written to
                file.writelines(_encode(data_hash, arrays))
            temporary.replace(path)
        except OSError as error:
            with suppress(OSError):
                temporary.unlink()
            if error.errno in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG):
                raise _full(self.folder) from error
            raise OutputError(f"a finished chunk cannot be saved in {self.folder}: {error.strerror}.") from error
        self._done[index] = data_hash

    def chunks(self) -> Iterator[tuple[int, dict[str, NDArray[Any]]]]:
        """Yield the chunks that this run wrote or reused, in order."""
        for index in sorted(self._done):
            arrays = _read(self._path(index), self._done[index])
            if arrays is None:
                raise OutputError(f"chunk {index} is missing from {self.folder}. Run the same command again.")
            yield index, arrays

    def close(self) -> None:
        """Release the lock; finished chunks remain for the next run of the same command."""
        if self._lock is not None:
            os.close(self._lock)
            self._lock = None

    def finish(self) -> None:
        """Delete the progress file; the results are saved."""
        if self._lock is not None:
            _remove(self.folder, self._lock)
            self._lock = None

    def __enter__(self) -> ProgressFile:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _path(self, index: int) -> Path:
        return self.folder / f"{index:08d}.chunk"


def prune(folder: str | os.PathLike[str], days: float = 30) -> int:
    """Delete progress files under `folder` that are unused and older than `days`; return their number."""
    removed = 0
    for path in _progress_files(Path(folder)):
        with suppress(OSError):
            if time.time() - path.stat().st_mtime < days * 86_400:
                continue
            held = _acquire(path)
            if held is None:
                continue
            _remove(path, held)
            removed += 1
    return removed


def usage(folder: str | os.PathLike[str]) -> tuple[int, int]:
    """Return the number of progress files under `folder`, and their size in bytes."""
    folders = _progress_files(Path(folder))
    total = 0
    for path in folders:
        with suppress(OSError):
            total += sum(file.stat().st_size for file in path.iterdir())
    return len(folders), total


def _progress_files(folder: Path) -> list[Path]:
    """Return the progress files under a folder without following links; none if other users can write to the folder."""
    try:
        check_folder(folder, sticky=True)
        return sorted(path for path in folder.iterdir() if path.is_dir() and not path.is_symlink())
    except OSError:
        return []


def _acquire(path: Path) -> int | None:
    """Return an exclusive lock on a progress file, or None if another process has it. The system frees it with the process."""
    while True:
        path.mkdir(mode=0o700, exist_ok=True)
        try:
            check_folder(path)
            held = open_own(path / _LOCK)
        except FileNotFoundError:  # another process has just removed it
            continue
        try:
            lock(held, wait=False)
            if os.path.samestat(os.fstat(held), (path / _LOCK).stat()):
                return held
        except BlockingIOError:
            os.close(held)
            return None
        except FileNotFoundError:
            pass
        os.close(held)


def _remove(path: Path, held: int) -> None:
    """Rename the folder first, under the lock if possible, so that a run that starts now begins with an empty progress file."""
    if not MOVES_OPEN_FILES:
        os.close(held)
    with suppress(OSError):
        gone = path.with_name(f"{path.name}.gone-{os.getpid()}-{time.monotonic_ns()}")
        path.rename(gone)
        shutil.rmtree(gone, ignore_errors=True)
    if MOVES_OPEN_FILES:
        os.close(held)


def _encode(data_hash: bytes, arrays: Arrays) -> list[bytes | memoryview]:
    import numpy as np

    whole = {name: np.ascontiguousarray(array).reshape(array.shape) for name, array in arrays.items()}
    for name, array in whole.items():
        if array.dtype.hasobject:
            raise ValueError(f"array {name!r} holds Python objects, which cannot be saved in a progress file")
    description = json.dumps([[name, array.dtype.str, array.shape] for name, array in whole.items()]).encode()
    parts: list[bytes | memoryview] = [description, data_hash]
    parts += [array.reshape(-1).view(np.uint8).data for array in whole.values() if array.nbytes]
    checksum = 0
    for part in parts:
        checksum = zlib.crc32(part, checksum)
    return [_HEAD.pack(_MARK, len(description), len(data_hash), checksum), *parts]


def _read(path: Path, data_hash: bytes) -> dict[str, NDArray[Any]] | None:
    import numpy as np

    try:
        data = path.read_bytes()
        mark, described, hashed, checksum = _HEAD.unpack_from(data)
    except (OSError, struct.error):
        return None
    start = _HEAD.size + described
    if mark != _MARK or data[start : start + hashed] != data_hash or len(data_hash) != hashed:
        return None
    if zlib.crc32(memoryview(data)[_HEAD.size :]) != checksum:
        return None
    arrays, at = {}, start + hashed
    for name, dtype, shape in json.loads(data[_HEAD.size : start]):
        kind = np.dtype(dtype)
        size = int(np.prod(shape, dtype=np.int64))
        arrays[name] = np.frombuffer(data, kind, size, at).reshape(shape).copy() if size else np.empty(shape, kind)
        at += size * kind.itemsize
    return arrays


def _full(folder: Path) -> OutputError:
    return OutputError(
        f"the disk with {folder} is full. Free some space or set ASSAY_CACHE_DIR to another disk; "
        "finished chunks are saved, and the same command resumes from them."
    )
