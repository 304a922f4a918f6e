"""The manifest of a run: what was done, with which signatures, when, on which data."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from assay._version import __version__
from assay.core.errors import AssayError, InputError
from assay.core.schema import Place, typed
from assay.io.documents import read_document
from assay.io.files.atomic import atomic_write


def now() -> str:
    """The time in UTC, as ISO 8601 writes it, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@dataclass(frozen=True, slots=True)
class InputFile:
    """One input: its name as given, its size in bytes and the BLAKE2b-128 of its content."""

    path: str
    size: int
    hash: str

    @classmethod
    def of(cls, path: str | os.PathLike[str]) -> InputFile:
        """Size and hash of a file as it lies on the disk (compressed, if it is)."""
        try:
            with Path(path).open("rb") as file:
                digest = hashlib.file_digest(file, lambda: hashlib.blake2b(digest_size=16))
                return cls(os.fspath(path), file.tell(), digest.hexdigest())
        except OSError as error:
            raise InputError(f"{os.fspath(path)} cannot be read: {error.strerror}.") from error


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a run was. `signatures` maps a metric to its signature, `counts` says how many segments, systems and so on."""

    command: str
    signatures: Mapping[str, str]
    inputs: tuple[InputFile, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    seed: int | None = None
    data_hash: str = ""
    """BLAKE2b-128 over the texts as they were scored."""
    chunks_reused: int = 0
    chunks_scored: int = 0
    started: str = field(default_factory=now)
    finished: str | None = None
    version: str = __version__

    def finish(self, **changes: Any) -> Manifest:
        """The same manifest with what is known at the end, and the time of it."""
        return replace(self, finished=now(), **changes)

    def write(self, path: str | os.PathLike[str]) -> None:
        """As JSON, whole or not at all."""
        with atomic_write(path, "w") as out:
            json.dump(asdict(self), out, ensure_ascii=False, indent=1)
            out.write("\n")

    @classmethod
    def read(cls, path: str | os.PathLike[str]) -> Manifest:
        """The manifest in a file."""
        name, said = os.fspath(path), f"is not a manifest that assay {__version__} wrote"
        if not Path(path).exists():
            raise InputError(f"{name} cannot be read: No such file or directory.")
        read = read_document(path, said=said)
        try:
            return typed(cls, read, Place())
        except AssayError as error:
            raise InputError(f"{name} {said}: {error}") from error
