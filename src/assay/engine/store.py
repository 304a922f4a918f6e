"""Score store: a cache of slow metrics' scores in an SQLite database.

A key is the hash of the metric's signature and the texts, so entries never have to be invalidated. The database is one file in WAL
mode. Each put is one transaction. Many processes may read and write, and a killed process leaves the state before or after a put.

The store is optional. If it fails (full disk, read-only folder, damaged file), it reports this once in `notices` and the run
continues. docs/decisions/0003-store.md explains why SQLite, with measurements.
"""

from __future__ import annotations

import errno
import os
import re
import threading
import time
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from assay.core.batch import Batch
from assay.core.errors import OutputError
from assay.io.files.paths import Untrusted, check_file, open_own, private_folder, store_dir
from assay.io.files.system import lock

if TYPE_CHECKING:
    import sqlite3

    from assay.core.metric import Metric

T = TypeVar("T")

_NAME = re.compile(r"(?:scores|damaged)-(\d+)\.sqlite")
_BUSY_SECONDS = 60.0
_FORMAT = b"assay-store-1"
"""Part of every key, so that entries with an older layout of records are never found."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, value BLOB NOT NULL)"
_INSERT = "INSERT INTO scores VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_LOOKUP = 500
_HELD = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """Size and state of a store, as ``assay cache`` shows it."""

    folder: Path
    entries: int
    bytes: int
    damaged: int
    """Number of damaged files that were renamed."""


class Store:
    """A score store in a folder, created on the first write. It may be used from several threads and processes.

    Files are numbered, and no number is reused. SQLite finds a database's journal by name, so a new file must not have the
    same name as one that another process still has open.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.notices: list[str] = []
        """Messages to report: storing is disabled and why, or a damaged file was renamed."""
        self.readable = self.writable = True
        self._connection: sqlite3.Connection | None = None
        self._path = self.folder / "scores-1.sqlite"
        self._owner = 0
        self._inherited: list[object] = []
        self._mutex = threading.RLock()
        self._answers: Store | None = None

    @classmethod
    def for_metrics(cls, metrics: Mapping[str, Metric], wanted: bool = True) -> Store | None:
        """Return the store in the cache folder, if it is enabled and any metric's scores are worth storing."""
        return default_store() if wanted and any(m.card.stored or m.by_language for m in metrics.values()) else None

    @property
    def answers(self) -> Store:
        """Store for language model answers. It is not cleared with the scores, because answers cost money."""
        with self._mutex:
            if self._answers is None:
                self._answers = Store(self.folder / "answers")
            return self._answers

    @staticmethod
    def key(
        signature: str,
        hypothesis: str,
        source: str | None = None,
        references: Sequence[str | None] = (),
        langpair: str | None = None,
    ) -> bytes:
        """Return the key of one request: BLAKE2b-128 of the signature and the texts.

        The lengths come first, so two different requests never have the same bytes. Texts that the metric does not read should be
        left out.
        """
        return _digest(_start(signature), (hypothesis, source, langpair, *references))

    @staticmethod
    def keys(signature: str, batch: Batch) -> list[bytes]:
        """Return the `key` of every segment of a batch, with all texts of the batch."""
        nothing = (None,) * len(batch)
        columns = (batch.hypotheses, batch.sources or nothing, batch.langpairs or nothing, *(batch.references or ()))
        start = _start(signature)
        return [_digest(start, texts) for texts in zip(*columns, strict=True)]

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the stored records among `keys`."""
        if not self.readable:
            return {}
        with self._mutex:
            return self._attempt(lambda connection: _select(connection, keys), {})

    def put_many(self, items: Iterable[tuple[bytes, bytes]]) -> bool:
        """Store records in one transaction; return whether they are safe on disk."""
        if not self.writable:
            return False
        rows = [(key, zlib.crc32(value, zlib.crc32(key)).to_bytes(4, "little") + value) for key, value in items]
        rows.sort()

        def insert(connection: sqlite3.Connection) -> bool:
            connection.execute("BEGIN IMMEDIATE")
            try:
                connection.executemany(_INSERT, rows)
                connection.execute("COMMIT")
            except BaseException:
                with suppress(Exception):
                    connection.execute("ROLLBACK")
                raise
            return True

        with self._mutex:
            return self._attempt(insert, False)

    def info(self) -> StoreInfo:
        """Return the number of entries and the size on disk."""
        if not self.folder.is_dir():
            return StoreInfo(self.folder, 0, 0, 0)
        with self._mutex:
            entries = self._attempt(lambda c: int(c.execute("SELECT count(*) FROM scores").fetchone()[0]), 0)
        size = damaged = 0
        for path in self.folder.iterdir():
            with suppress(FileNotFoundError):  # a journal that another process just removed
                size += path.stat().st_size
                damaged += path.name.startswith("damaged-") and path.suffix == ".sqlite"
        return StoreInfo(self.folder, entries, size, damaged)

    def clear(self) -> None:
        """Delete all entries and damaged files. A run that is writing continues with a new file."""
        try:
            with self._mutex, self._folder_lock():
                self.close()
                following = self._number() + 1
                for path in list(self.folder.iterdir()):
                    if path.name.startswith(("scores-", "damaged-")):
                        path.unlink(missing_ok=True)
                (self.folder / f"scores-{following}.sqlite").touch()
        except OSError as error:
            raise OutputError(f"the score store in {self.folder} cannot be cleared: {error.strerror}.") from error
        self.readable = self.writable = True
        self.notices.clear()

    def close(self) -> None:
        """Close the file; the next call opens it again."""
        with self._mutex:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def _attempt(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Run `action` with a connection. Retry while others write, replace a damaged file, disable the store on other errors."""
        import sqlite3

        deadline = time.monotonic() + _BUSY_SECONDS
        damaged = 0
        while True:
            try:
                return action(self._connect())
            except sqlite3.Error as error:
                name = getattr(error, "sqlite_errorname", "")
                if name.startswith(_HELD) and time.monotonic() < deadline:
                    time.sleep(0.02)
                elif name.startswith(("SQLITE_CORRUPT", "SQLITE_NOTADB")) and damaged < 3:
                    damaged += 1
                    self._set_aside()
                else:
                    self._switch_off(name, error)
                    return otherwise
            except OSError as error:
                self._switch_off("", error)
                return otherwise

    def _connect(self) -> sqlite3.Connection:
        if self._connection is not None and self._owner != os.getpid():
            # After a fork: closing the parent's connection here could remove its journal.
            self._inherited.append(self._connection)
            self._connection = None
        if self._connection is not None and self._path.exists():
            return self._connection
        import sqlite3

        self.close()
        with self._folder_lock():
            self._path = self.folder / f"scores-{max(1, self._number())}.sqlite"
            if (self.folder / f"damaged-{self._number()}.sqlite").exists():
                self._path = self.folder / f"scores-{self._number() + 1}.sqlite"
            for journal in ("", "-wal", "-shm", "-journal"):
                check_file(Path(f"{self._path}{journal}"))
            connection = sqlite3.connect(
                self._path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False, cached_statements=32
            )
            try:
                # A commit in WAL mode without a sync: safe if the process is killed, but a power failure may lose the last puts.
                connection.execute("PRAGMA journal_mode = WAL")
                connection.execute("PRAGMA synchronous = NORMAL")
                connection.execute("PRAGMA wal_autocheckpoint = 8000")
                connection.execute("PRAGMA journal_size_limit = 67108864")
                connection.execute("PRAGMA cache_size = -32768")
                connection.execute(_SCHEMA)
            except BaseException:
                connection.close()
                raise
        self._connection, self._owner = connection, os.getpid()
        return connection

    @contextmanager
    def _folder_lock(self) -> Iterator[None]:
        """Lock the folder for opening, clearing or renaming; the system releases the lock when the process ends."""
        private_folder(self.folder)
        held = open_own(self.folder / "lock")
        try:
            lock(held)
            yield
        finally:
            os.close(held)

    def _number(self) -> int:
        """Return the highest file number in the folder."""
        return max((int(m[1]) for path in self.folder.iterdir() if (m := _NAME.fullmatch(path.name))), default=0)

    def _set_aside(self) -> None:
        """Rename a damaged file so that a new one replaces it, unless another process has done so already."""
        self.close()
        with self._folder_lock():
            if self._path.exists():
                aside = self._path.with_name(self._path.name.replace("scores-", "damaged-"))
                self._path.rename(aside)
                self.notices.append(
                    f"the score store was damaged and has been replaced. The old file is {aside}; assay cache clear deletes it."
                )

    def _switch_off(self, name: str, error: Exception) -> None:
        """Disable writing and, unless only disk space is missing, reading; report the reason once."""
        full = name == "SQLITE_FULL" or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        failing = name.startswith("SQLITE_IOERR")
        if full:
            reason, remedy = "the disk is full", "Free some space, or set ASSAY_CACHE_DIR to another disk."
        elif name.startswith(_HELD):
            reason, remedy = "other processes hold the store", "Try again later."
        elif isinstance(error, Untrusted):
            reason, remedy = str(error.strerror), "Set ASSAY_CACHE_DIR to a folder of your own."
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")) or isinstance(error, OSError):
            reason, remedy = f"{self.folder} cannot be written", "Set ASSAY_CACHE_DIR to a folder of your own."
        else:
            reason, remedy = str(error), "Set ASSAY_CACHE_DIR to a folder on a local disk."
        self.writable = False
        self.readable = (full or failing) and self._connection is not None
        self.notices.append(f"scores are not stored: {reason}. {remedy}")


def default_store() -> Store:
    """Return the store in the cache folder."""
    return Store(store_dir())


def _start(signature: str) -> Any:
    state = blake2b(digest_size=16, person=_FORMAT)
    data = signature.encode("utf-8", "surrogatepass")
    state.update(len(data).to_bytes(8, "little") + data)
    return state


def _digest(start: Any, texts: Sequence[str | None]) -> bytes:
    lengths = ",".join(["-" if text is None else str(len(text)) for text in texts])
    state = start.copy()
    state.update(f"{lengths};{''.join([text for text in texts if text])}".encode("utf-8", "surrogatepass"))
    return bytes(state.digest())


def _select(connection: sqlite3.Connection, keys: Sequence[bytes]) -> dict[bytes, bytes]:
    records: dict[bytes, bytes] = {}
    ordered = sorted(set(keys))
    for at in range(0, len(ordered), _LOOKUP):
        part = ordered[at : at + _LOOKUP]
        marks = ",".join("?" * len(part))
        for key, value in connection.execute(f"SELECT key, value FROM scores WHERE key IN ({marks})", part):
            if zlib.crc32(value[4:], zlib.crc32(key)) == int.from_bytes(value[:4], "little"):
                records[key] = value[4:]
    return records
