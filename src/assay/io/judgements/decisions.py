"""Append-only file of annotators' decisions, one JSON object per line.

A line has ``key``, ``choice``, ``time`` (UTC) and ``who``. The last line for a key counts, and ``undo`` reverts a decision
by the same person. Several processes may append at the same time. A crash may leave an incomplete last line, which readers
skip and the next writer removes. A malformed line anywhere else is an error.
"""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

from assay.core.errors import InputError, OutputError
from assay.io.documents import decode
from assay.io.files.system import NO_LINK, PLAIN, lock

UNDO = "undo"
FIELDS = ("key", "choice", "time", "who")


@dataclass(frozen=True, slots=True)
class Decision:
    """One line of the file."""

    key: str
    choice: str
    time: str
    who: str


def fold(text: str) -> str:
    """Collapse whitespace to single spaces and strip both ends, to recognise texts that are otherwise identical."""
    return " ".join(text.split())


def decision_key(subject: str, text: str) -> str:
    """Return the key for a decision on `text` as an answer to `subject`: the subject and the BLAKE2b hash of the folded text."""
    import hashlib

    return f"{subject}:{hashlib.blake2b(fold(text).encode(), digest_size=16).hexdigest()}"


def read(path: Path) -> list[Decision]:
    """Return all decisions in the file, in order; a missing file has none."""
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return []
    except OSError as error:
        raise InputError(f"cannot read the decisions in {path}: {error.strerror}.") from error
    *lines, rest = data.split(b"\n")
    decisions = [_parse(line, path, number) for number, line in enumerate(lines, 1) if line.strip()]
    last = _try_parse(rest)
    return decisions if last is None else [*decisions, last]


def by_person(path: Path) -> dict[str, dict[str, str]]:
    """Return each key's current choice by person, the latest last, without keys whose decisions were all undone."""
    choices: dict[str, dict[str, str]] = {}
    for decision in read(path):
        apply_decision(choices, decision.key, decision.choice, decision.who)
    return choices


def apply_decision(choices: dict[str, dict[str, str]], key: str, choice: str, who: str) -> None:
    """Apply one decision to the choices by key and person."""
    people = choices.setdefault(key, {})
    people.pop(who, None)
    if choice != UNDO:
        people[who] = choice
    if not people:
        del choices[key]


def latest(path: Path) -> dict[str, str]:
    """Return each key's current choice: the last one that was not undone."""
    return {key: list(people.values())[-1] for key, people in by_person(path).items()}


def append(path: Path, decision: Decision) -> tuple[int, tuple[int, int]]:
    """Append one line and wait until it is on disk; if it cannot be written completely, write nothing.

    Returns:
        The file's previous length, and its current length and time (`stamp`). A caller that knew the old file need not read
        it again.
    """
    line = json.dumps(asdict(decision), ensure_ascii=False).encode() + b"\n"
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        with _locked(path) as file:
            end = _repair_end(file)
            if os.write(file, line) != len(line):
                os.ftruncate(file, end)
                raise OutputError(f"cannot write a decision to {path}: the disk is full. The decision was not saved.")
            os.fsync(file)
            now = os.fstat(file)
            return end, (now.st_size, now.st_mtime_ns)
    except OutputError:
        raise
    except OSError as error:
        why = "it is a link. Name the file that it leads to" if error.errno == errno.ELOOP else error.strerror
        raise OutputError(f"cannot write a decision to {path}: {why}. The decision was not saved.") from error


def stamp(path: Path) -> tuple[int, int]:
    """Return a file's length and modification time, which reveal a change; an impossible value if the file is not accessible."""
    try:
        status = path.stat()
    except OSError:  # the reader reports the problem
        return (-1, -1)
    return (status.st_size, status.st_mtime_ns)


@contextmanager
def _locked(path: Path) -> Iterator[int]:
    """Open the file for appending, and exclude every other writer until it is closed."""
    file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_APPEND | NO_LINK | PLAIN, 0o644)
    try:
        lock(file)
        yield file
    finally:
        os.close(file)


def _repair_end(file: int) -> int:
    """Remove an incomplete last line, or add the missing newline to a complete one; return the size of the file."""
    size = os.fstat(file).st_size
    if size == 0 or _piece(file, 1, size - 1) == b"\n":
        return size
    start, rest = size, b""
    while start > 0 and b"\n" not in rest:
        step = min(start, 4096)
        start -= step
        rest = _piece(file, step, start) + rest
    rest = rest.rpartition(b"\n")[2]
    if _try_parse(rest) is None:
        os.ftruncate(file, size - len(rest))
    else:
        os.write(file, b"\n")
    return os.fstat(file).st_size


def _piece(file: int, size: int, at: int) -> bytes:
    os.lseek(file, at, os.SEEK_SET)  # appended data goes to the end regardless
    return os.read(file, size)


def _try_parse(line: bytes) -> Decision | None:
    """Return the decision on a line, or None if the line is incomplete."""
    try:
        row = decode(line.decode())
    except ValueError:
        return None
    whole = isinstance(row, dict) and all(isinstance(row.get(name), str) for name in FIELDS)
    return Decision(*(row[name] for name in FIELDS)) if whole else None


def _parse(line: bytes, path: Path, number: int) -> Decision:
    decision = _try_parse(line)
    if decision is None:
        raise InputError(
            f"{path}, line {number}: not a decision (a JSON object with key, choice, time and who). Correct or "
            "delete the line."
        )
    return decision
