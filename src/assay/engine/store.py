"""The score store: what a metric once said about a text, kept for the next time.

Content-addressed: a key is the hash of the metric's signature and the texts, so nothing ever has to be invalidated. One
SQLite file in WAL mode: a put is one transaction, many processes may read and write, and a kill at any instant leaves the
state before or after it. The store is a convenience: when it cannot work (full disk, read-only folder, damaged file) it says
so once in `notices` and the run goes on. Why SQLite, and the measurements: docs/decisions/0003-store.md.
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
"""Part of every key: when the layout of records changes, old entries are simply never found."""
_SCHEMA = "CREATE TABLE IF NOT EXISTS scores (key BLOB PRIMARY KEY, value BLOB NOT NULL)"
_INSERT = "INSERT INTO scores VALUES (?, ?) ON CONFLICT (key) DO UPDATE SET value = excluded.value"
_LOOKUP = 500
_HELD = ("SQLITE_BUSY", "SQLITE_LOCKED", "SQLITE_PROTOCOL")


@dataclass(frozen=True, slots=True)
class StoreInfo:
    """What ``assay cache info`` shows."""

    folder: Path
    entries: int
    bytes: int
    damaged: int
    """Number of damaged files set aside."""


class Store:
    """The store in a folder; made when first written. Safe to use from several threads and processes.

    Files are numbered, and a number is never used twice: SQLite finds a database's journal by name, so a file must not take
    the name of one that another process still has open.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        self.folder = Path(folder)
        self.notices: list[str] = []
        """What a person should know, one sentence each: storing is off and why, a damaged file was set aside."""
        self.readable = self.writable = True
        self._connection: sqlite3.Connection | None = None
        self._path = self.folder / "scores-1.sqlite"
        self._owner = 0
        self._inherited: list[object] = []
        self._mutex = threading.RLock()
        self._answers: Store | None = None

    @classmethod
    def for_metrics(cls, metrics: Mapping[str, Metric], wanted: bool = True) -> Store | None:
        """The store in the cache folder, where it is wanted and a metric's results are worth keeping."""
        return default_store() if wanted and any(m.card.stored or m.by_language for m in metrics.values()) else None

    @property
    def answers(self) -> Store:
        """The store of what language models answered: beside the scores, and not cleared with them, since it was paid for."""
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
        """The address of one request: BLAKE2b-128 of the signature and the texts.

        The lengths stand in front, so no two different requests can run together into the same bytes. Texts that the
        metric does not look at should be left out.
        """
        return _digest(_start(signature), (hypothesis, source, langpair, *references))

    @staticmethod
    def keys(signature: str, batch: Batch) -> list[bytes]:
        """`key` for every segment of a batch, with all the texts that the batch has."""
        nothing = (None,) * len(batch)
        columns = (batch.hypotheses, batch.sources or nothing, batch.langpairs or nothing, *(batch.references or ()))
        start = _start(signature)
        return [_digest(start, texts) for texts in zip(*columns, strict=True)]

    def get_many(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """The records that are there, by key."""
        if not self.readable:
            return {}
        with self._mutex:
            return self._attempt(lambda connection: _select(connection, keys), {})

    def put_many(self, items: Iterable[tuple[bytes, bytes]]) -> bool:
        """Keep records, all or none, in one transaction; True when they are safe from now on."""
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
        """Number of entries and size on disk."""
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
        """Forget everything, damaged files included. A run that is writing goes on with a fresh file."""
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
        """Let go of the file; the next call opens it again."""
        with self._mutex:
            if self._connection is not None and self._owner == os.getpid():
                self._connection.close()
            self._connection = None

    def _attempt(self, action: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """Do `action` with a connection; retry while others write, step round a damaged file, switch off when hopeless."""
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
                # A commit in WAL mode without a sync each time: safe against kills; a power cut may cost the last puts.
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
        """Opening, clearing and setting aside exclude each other; the system frees the lock of a dead process."""
        private_folder(self.folder)
        held = open_own(self.folder / "lock")
        try:
            lock(held)
            yield
        finally:
            os.close(held)

    def _number(self) -> int:
        """The highest number of a file in the folder."""
        return max((int(m[1]) for path in self.folder.iterdir() if (m := _NAME.fullmatch(path.name))), default=0)

    def _set_aside(self) -> None:
        """Rename a damaged file so that a fresh one takes over; another process may have done it already."""
        self.close()
        with self._folder_lock():
            if self._path.exists():
                aside = self._path.with_name(self._path.name.replace("scores-", "damaged-"))
                self._path.rename(aside)
                self.notices.append(
                    f"the score store was damaged and starts afresh; the old file is kept as {aside} (assay cache clear)."
                )

    def _switch_off(self, name: str, error: Exception) -> None:
        """No more writing, and no more reading unless only the space is lacking; said once."""
        full = name == "SQLITE_FULL" or getattr(error, "errno", None) in (errno.ENOSPC, errno.EDQUOT)
        failing = name.startswith("SQLITE_IOERR")
        if full:
            reason, remedy = "the disk is full", "Free some space, or set ASSAY_CACHE_DIR to another disk."
        elif name.startswith(_HELD):
            reason, remedy = "other processes hold the store", "Try again later."
        elif isinstance(error, Untrusted):
            reason, remedy = str(error.strerror), "Set ASSAY_CACHE_DIR to a folder of yours."
        elif name.startswith(("SQLITE_READONLY", "SQLITE_CANTOPEN")) or isinstance(error, OSError):
            reason, remedy = f"{self.folder} cannot be written", "Set ASSAY_CACHE_DIR to a folder of yours."
        else:
            reason, remedy = str(error), "Set ASSAY_CACHE_DIR to a folder on a local disk."
        self.writable = False
        self.readable = (full or failing) and self._connection is not None
        self.notices.append(f"scores are not stored: {reason}. The run goes on without. {remedy}")


def default_store() -> Store:
    """The store in the cache folder."""
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
    found: dict[bytes, bytes] = {}
    ordered = sorted(set(keys))
    for at in range(0, len(ordered), _LOOKUP):
        part = ordered[at : at + _LOOKUP]
        marks = ",".join("?" * len(part))
        for key, value in connection.execute(f"SELECT key, value FROM scores WHERE key IN ({marks})", part):
            if zlib.crc32(value[4:], zlib.crc32(key)) == int.from_bytes(value[:4], "little"):
                found[key] = value[4:]
    return found
