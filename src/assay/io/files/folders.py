"""Result folders on a local disk or in an object store, behind one interface.

Files are written atomically. `open_folder` chooses the implementation from the path.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import socket
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from pathlib import Path
from typing import IO, Any, Protocol

from assay.core.errors import OutputError
from assay.io.files.atomic import atomic_write, lock_error, open_locked
from assay.io.files.system import MOVES_OPEN_FILES


class Folder(Protocol):
    """Result folder. Names are relative, with / as separator."""

    path: str

    def read(self, name: str) -> bytes | None:
        """Return the whole content; None if the file does not exist."""

    def write(self, name: str, content: bytes) -> None:
        """Write a small file."""

    def writing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        """Open a stream whose content appears under the name when the block ends without an error."""

    def local(self, name: str) -> AbstractContextManager[str]:
        """Return the path of a local file with the same content."""

    def sizes(self, under: str = "") -> dict[str, int]:
        """Return the size of every file below a name."""

    def remove(self, under: str) -> None:
        """Remove a file, or everything below a name."""

    def locked(self, name: str, owner: str) -> AbstractContextManager[None]:
        """Hold the folder's lock; raise OutputError with the owner if another run has it."""


def is_remote(path: str) -> bool:
    """Return whether a path names an object store: ``s3://bucket/folder``."""
    scheme, mark, _ = path.partition("://")
    return bool(mark) and scheme.isalnum() and scheme != "file"


def open_folder(path: str) -> Folder:
    """Return the folder at a path or an address."""
    if is_remote(path):
        from assay.io.files.remote import RemoteFolder

        return RemoteFolder(path)
    return LocalFolder(path)


def is_intact(folder: Folder, name: str, digest: str) -> bool:
    """Return whether a file still matches its recorded BLAKE2b-128.

    A file in an object store is not downloaded for this check: the store protects the bytes it holds.
    """
    if is_remote(folder.path):
        return True
    try:
        with folder.local(name) as path, open(path, "rb") as file:
            return hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16)).hexdigest() == digest
    except OSError:
        return False


def owner() -> dict[str, Any]:
    """Return the process, machine and time that identify a lock's owner."""
    from assay.core.call import now

    return {"process": os.getpid(), "machine": socket.gethostname(), "since": now()}


class LocalFolder:
    """Result folder on a local or shared disk."""

    def __init__(self, path: str) -> None:
        self.path = path
        self._root = Path(path)

    def read(self, name: str) -> bytes | None:
        try:
            return (self._root / name).read_bytes()
        except FileNotFoundError:
            return None

    def write(self, name: str, content: bytes) -> None:
        with self.writing(name) as stream:
            stream.write(content)

    def writing(self, name: str) -> AbstractContextManager[IO[bytes]]:
        target = self._root / name
        try:
            target.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise OutputError(
                f"cannot create the folder {target.parent}: {error.strerror}. Choose a different --out."
            ) from error
        if not target.parent.resolve().is_relative_to(self._root.resolve()):
            raise OutputError(
                f"cannot write {target}: a link points outside {self.path}. Remove it, or choose a different --out."
            )
        return atomic_write(target)

    @contextmanager
    def local(self, name: str) -> Iterator[str]:
        yield str(self._root / name)

    def sizes(self, under: str = "") -> dict[str, int]:
        """Return the size of every file below a name, without unfinished (hidden) ones."""
        sizes: dict[str, int] = {}
        for folder, folders, files in os.walk(self._root / under):
            folders[:] = [name for name in folders if not name.startswith(".")]
            for name in files:
                path = Path(folder, name)
                if not name.startswith("."):
                    with suppress(FileNotFoundError):
                        sizes[path.relative_to(self._root).as_posix()] = path.stat().st_size
        return sizes

    def remove(self, under: str) -> None:
        target = self._root / under
        with suppress(FileNotFoundError):
            if target.is_dir() and not target.is_symlink():
                shutil.rmtree(target)
            else:
                target.unlink()

    @contextmanager
    def locked(self, name: str, owner: str) -> Iterator[None]:
        """Hold the folder's lock, which the system releases when the process ends, for whatever reason."""
        path = self._root / name
        try:
            self._root.mkdir(parents=True, exist_ok=True)
            held = open_locked(path)
        except BlockingIOError:
            raise lock_error(self.path, path.read_bytes()) from None
        except OSError as error:
            raise OutputError(f"cannot write in {self.path}: {error.strerror}. Choose a different folder.") from error
        try:
            os.truncate(held, 0)
            os.write(held, owner.encode())
            yield
        finally:
            if MOVES_OPEN_FILES:
                path.unlink(missing_ok=True)
            os.close(held)
