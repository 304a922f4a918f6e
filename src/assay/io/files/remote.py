"""Object stores (``s3://``, ``gs://``) through fsspec; shards are downloaded and uploaded as whole objects.

An object becomes visible only when the store has all of it. A failed request is retried a few times, then reported on one
line with a remedy.
"""

from __future__ import annotations

import json
import os
import random
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import IO, Any, TypeVar

from assay.core.errors import AssayError, InputError, MissingPart, OutputError
from assay.io.files.atomic import lock_error, scratch_errors

T = TypeVar("T")
TRIES = 5
FIRST_WAIT = 0.5
"""Seconds before the second attempt, doubled before each further one, plus a random part of the same size."""
BEAT, STALE, LOOK = 20.0, 120.0, 5.0
"""Seconds between renewals of a lock, until an unrenewed lock counts as abandoned, and between two looks at such a lock."""
NEEDS = {"s3": ("s3fs", "'mt-assay[s3]'"), "gs": ("gcsfs", "gcsfs"), "gcs": ("gcsfs", "gcsfs")}
"""Package and installation name for each scheme."""


@cache
def _store(scheme: str) -> Any:
    """Return the file system for a URL scheme."""
    package, requirement = NEEDS.get(scheme, ("fsspec and a package for this store", "fsspec"))
    try:
        import fsspec

        return fsspec.filesystem(scheme, use_listings_cache=False)
    except ImportError as error:
        raise MissingPart(f"{scheme}:// needs {package}: pip install {requirement}") from error
    except ValueError as error:
        raise InputError(f"fsspec does not support {scheme}://. Try s3:// or gs://.") from error


def _split(address: str) -> tuple[Any, str]:
    """Return the file system of an address and the path within it."""
    scheme, _, path = address.partition("://")
    return _store(scheme), path.rstrip("/") if not path.endswith("*") else path


def with_retries(address: str, action: Callable[[], T], *, writing: bool = False) -> T:
    """Return the result of an action, retrying while the store fails; raise an error with a remedy if all attempts fail."""
    for attempt in range(1, TRIES + 1):
        try:
            return action()
        except (FileNotFoundError, AssayError, FileExistsError):
            raise
        except Exception as error:
            if (reason := _permanent_problem(error)) is not None or attempt == TRIES:
                kind = OutputError if writing else InputError
                what = "written" if writing else "read"
                why = reason or f"the store failed {TRIES} times ({_short_text(error)}). Try again later."
                raise kind(f"{address} cannot be {what}: {why}") from error
            time.sleep(FIRST_WAIT * 2 ** (attempt - 1) * (1 + random.random()))
    raise AssertionError("the last try returns or raises")


def _permanent_problem(error: Exception) -> str | None:
    """Return a message for an error that a retry cannot fix; None if a retry may help."""
    name, text = type(error).__name__, str(error)
    if (
        name in ("NoCredentialsError", "PartialCredentialsError", "DefaultCredentialsError")
        or "credentials" in text.lower()
    ):
        return "credentials are missing. Set them as your store requires (AWS_ACCESS_KEY_ID …, or aws configure)."
    if isinstance(error, PermissionError) or "AccessDenied" in text or "Forbidden" in text:
        return "access is denied. Check the credentials and their permissions."
    if "NoSuchBucket" in text:
        return "the bucket does not exist. Check the name."
    if "QuotaExceeded" in text or "InsufficientStorage" in text or "EntityTooLarge" in text:
        return "the store has no space left. Free some, or choose another one. Finished shards are kept."
    return None


def _short_text(error: Exception) -> str:
    return (" ".join(str(error).split()) or type(error).__name__)[:120]


def list_objects(address: str) -> list[tuple[str, tuple[str, int, str]]]:
    """Return all objects below a folder or matching a pattern, as a mapping from relative name to address, size and tag."""
    store, path = _split(address)
    scheme, starred = address.partition("://")[0], "*" in path
    try:
        objects = with_retries(address, lambda: (store.glob if starred else store.find)(path, detail=True))
    except FileNotFoundError:
        raise InputError(f"{address} cannot be read: the bucket does not exist. Check the name.") from None
    root = path[: path.index("*")].rpartition("/")[0] if starred else path
    root = root if root not in objects else root.rpartition("/")[0]
    if not objects:
        raise InputError(f"{address} contains no objects. Check the bucket and the folder.")
    listing = []
    for name, details in sorted(objects.items()):
        if details.get("type") == "directory" or name.endswith("/"):
            continue
        stamp = str(
            details.get("ETag") or details.get("etag") or details.get("LastModified") or details.get("mtime") or ""
        )
        short = name[len(root) :].lstrip("/")
        listing.append((short, (f"{scheme}://{name}", int(details.get("size") or 0), stamp.strip('"'))))
    return listing


@contextmanager
def local_copy(address: str) -> Iterator[str]:
    """Provide a local copy of an object, named like the last component of its path."""
    store, path = _split(address)
    with scratch_errors():
        scratch = tempfile.TemporaryDirectory(prefix="assay-")
    with scratch as folder:
        target = os.path.join(folder, path.rpartition("/")[2])
        try:
            with_retries(address, lambda: store.get_file(path, target))
        except FileNotFoundError:
            raise InputError(f"{address} does not exist. Check the bucket and the name.") from None
        yield target


class RemoteFolder:
    """Result folder in an object store; see `assay.io.files.folders.Folder`."""

    def __init__(self, address: str) -> None:
        self.path = address.rstrip("/")
        self._store, self._root = _split(address)

    def _at(self, name: str) -> str:
        return f"{self._root}/{name}" if name else self._root

    def _address(self, name: str) -> str:
        return f"{self.path}/{name}"

    def read(self, name: str) -> bytes | None:
        try:
            content: bytes = with_retries(self._address(name), lambda: self._store.cat_file(self._at(name)))
        except FileNotFoundError:
            return None
        return content

    def write(self, name: str, content: bytes) -> None:
        self._put(name, lambda: self._store.pipe_file(self._at(name), content))

    def _put(self, name: str, action: Callable[[], object]) -> None:
        try:
            with_retries(self._address(name), action, writing=True)
        except FileNotFoundError:
            raise OutputError(
                f"{self._address(name)} cannot be written: the bucket does not exist. Create it first."
            ) from None

    @contextmanager
    def writing(self, name: str) -> Iterator[IO[bytes]]:
        """Open a stream that is buffered on the local disk until it is complete."""
        with scratch_errors():
            scratch = tempfile.TemporaryDirectory(prefix="assay-")
        with scratch as folder:
            path = Path(folder) / "whole"
            with scratch_errors(), path.open("wb") as stream:
                yield stream
            self._put(name, lambda: self._store.put_file(str(path), self._at(name)))

    @contextmanager
    def local(self, name: str) -> Iterator[str]:
        with local_copy(self._address(name)) as path:
            yield path

    def sizes(self, under: str = "") -> dict[str, int]:
        with suppress(FileNotFoundError):
            objects = with_retries(self.path, lambda: self._store.find(self._at(under), detail=True))
            start = len(self._root) + 1
            return {
                name[start:]: int(details["size"] or 0) for name, details in objects.items() if not name.endswith("/")
            }
        return {}

    def remove(self, under: str) -> None:
        names = [self._at(name) for name in self.sizes(under)]
        if names:
            with suppress(FileNotFoundError):
                with_retries(self.path, lambda: self._store.rm(names), writing=True)

    @contextmanager
    def locked(self, name: str, owner: str) -> Iterator[None]:
        """Hold the folder's lock: an object that its owner renews. An expired lock belongs to a crashed run."""
        lock = json.loads(owner) | {"token": os.urandom(8).hex()}
        self._take(name, lock)
        stop = threading.Event()
        beating = threading.Thread(target=self._beat, args=(name, lock, stop), daemon=True)
        beating.start()
        try:
            yield
        finally:
            stop.set()
            beating.join()
            self.remove(name)

    def _take(self, name: str, lock: dict[str, Any]) -> None:
        if (current := self.read(name)) is not None:
            self._wait_for(name, current)
        self.write(name, json.dumps(lock | {"beat": time.time()}).encode())
        time.sleep(FIRST_WAIT)  # of two concurrent runs, the last one to write holds the lock
        held = self.read(name) or b"{}"
        if json.loads(held).get("token") != lock["token"]:
            raise lock_error(self.path, held)

    def _wait_for(self, name: str, current: bytes) -> None:
        """Wait until a lock is known to be abandoned; raise an error if it is renewed.

        The clocks of two machines differ, so a lock that looks expired may still be renewed. It is therefore watched, by the
        local clock, for the longest time allowed between renewals.
        """
        with suppress(ValueError, KeyError, TypeError, OverflowError):
            if 0 <= time.time() - float(json.loads(current)["beat"]) < STALE:
                raise lock_error(self.path, current)
        end = time.monotonic() + STALE
        while time.monotonic() < end:
            time.sleep(LOOK)
            now = self.read(name)
            if now is None:
                return
            if now != current:
                raise lock_error(self.path, now)

    def _beat(self, name: str, lock: dict[str, Any], stop: threading.Event) -> None:
        while not stop.wait(BEAT):
            with suppress(AssayError):
                self.write(name, json.dumps(lock | {"beat": time.time()}).encode())
