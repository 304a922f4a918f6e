"""Streaming reader of UTF-8 lines, with strict rules for encoding and line endings.

A line ends only at ``
``: U+0085, U+2028 and vertical tabs stay inside it, so a file has the same number of lines as in ``wc -l`` and in the tool
that wrote it. One ``\\r`` before the end (Windows) and a byte-order mark at the start are dropped. Everything else, NUL
included, is text.
"""

from __future__ import annotations

import io
import os
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, islice
from pathlib import Path
from typing import BinaryIO, Protocol

from assay.core.errors import InputError, count
from assay.io.files import compression

BLOCK = 1 << 18
"""Bytes decoded at once: larger blocks exceed the processor's cache and are slower."""
LONGEST_LINE = 1 << 24
"""Bytes of a line. No real text has longer lines, and a few bytes of compressed data may expand to gigabytes of one."""
MOST_TEXT = 1 << 30
"""Bytes of a file that is read as a whole."""
UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BOM = b"\xef\xbb\xbf"


def file_name(path: str | os.PathLike[str]) -> str:
    """Return the name of a file in messages: the path as typed, or ``standard input`` for ``-``."""
    return "standard input" if os.fspath(path) == "-" else os.fspath(path)


def open_bytes(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file, or standard input for ``-``; unpack gzip, xz and zstd, which the first bytes indicate."""
    name = file_name(path)
    file = _standard_input() if os.fspath(path) == "-" else _open(os.fspath(path))
    try:
        head, file = _peek(file, 6)
        kind = compression.detect(head)
        promised = compression.SUFFIXES.get(Path(name).suffix.lower())
        if promised and not kind:
            what = "it is empty" if not head else "its first bytes are something else"
            raise InputError(f"{name} is not {promised} data, despite its name: {what}. Export it again, or rename it.")
    except BaseException:
        file.close()
        raise
    return compression.unpack(file, kind, name) if kind else file


def open_utf8(path: str | os.PathLike[str]) -> io.BufferedReader:
    """Open a file like `open_bytes`; read UTF-16 with a byte-order mark, as spreadsheets write it, as UTF-8."""
    file = open_bytes(path)
    if file.peek(2)[:2] in UTF16:
        return io.BufferedReader(_Utf16(file, file_name(path)), BLOCK)
    return file


class _Utf16(compression.ByteSource):
    """Raw stream that converts UTF-16 to UTF-8."""

    def __init__(self, file: BinaryIO, name: str) -> None:
        import codecs

        self._file, self._file_name, self._read = file, name, 0
        self._decoder, self._waiting = codecs.getincrementaldecoder("utf-16")(), b""

    def take(self, size: int) -> bytes:
        while not self._waiting:
            data = self._file.read(size)
            try:
                self._waiting = self._decoder.decode(data, final=not data).encode()
            except UnicodeError:
                where = f"in its first {self._read + len(data):,} bytes"
                raise InputError(
                    f"{self._file_name} begins like UTF-16 but is not valid {where}. Save it again as UTF-8."
                ) from None
            self._read += len(data)
            if not data:
                break
        taken, self._waiting = self._waiting[:size], self._waiting[size:]
        return taken


def _open(path: str) -> io.BufferedReader:
    try:
        return Path(path).open("rb")
    except FileNotFoundError:
        raise InputError(_missing_message(path)) from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder, not a file. Specify a file inside it.") from None
    except NotADirectoryError:
        raise InputError(f"{path} does not exist: part of the path is a file, not a folder.") from None
    except PermissionError:
        raise InputError(f"{path} cannot be read: permission denied. Try: chmod u+r {_shell_quote(path)}") from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be opened: {error}.") from error


def _shell_quote(path: str) -> str:
    import shlex

    return shlex.quote(path)


def _missing_message(path: str) -> str:
    import difflib

    folder, wanted = Path(path).parent, Path(path).name
    try:
        with os.scandir(folder) as entries:
            names = [entry.name for entry in islice(entries, 20_000)]
    except OSError:
        return f"{path or repr(path)} does not exist, because there is no folder {folder}."
    plain = {name.lower(): name for name in names}
    near = difflib.get_close_matches(wanted.lower(), plain, n=3, cutoff=0.6)
    hint = f" Did you mean {', '.join(str(folder / plain[name]) for name in near)}?" if near else ""
    return f"{path or repr(path)} does not exist.{hint or ' Check the name and the current folder.'}"


def _standard_input() -> io.BufferedReader:
    """Return standard input under its own descriptor, so that closing it leaves the process's open."""
    try:
        return os.fdopen(os.dup(0), "rb")
    except OSError:
        raise InputError("standard input is closed. Pipe a file into the command, or specify one.") from None


def _peek(file: io.BufferedReader, size: int) -> tuple[bytes, io.BufferedReader]:
    """Return the first bytes, and a file that still starts with them even if it is a pipe, which cannot seek."""
    if file.seekable():
        start = file.tell()
        head = file.read(size)
        file.seek(start)
        return head, file
    head = file.read(size)
    return head, io.BufferedReader(_PutBack(head, file))


class _PutBack(compression.ByteSource):
    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head, self._file = head, rest

    def take(self, size: int) -> bytes:
        data = self._head[:size] or self._file.read(size)
        self._head = self._head[size:]
        return data


class Readable(Protocol):
    """Object from which bytes can be read."""

    def read(self, size: int, /) -> bytes:
        """Return at most `size` bytes, or none at the end of the file."""


def read_blocks(
    file: Readable,
    path: str | os.PathLike[str],
    head: bytes = b"",
    spoiled: Callable[[int, int], None] | None = None,
    longest: int = LONGEST_LINE,
) -> Iterator[str]:
    """Yield the decoded text of an open file in blocks of whole lines (the last one may lack its ``
    ``).

    Args:
        file: The open file.
        path: Its name in messages.
        head: Bytes already taken from the file.
        spoiled: Called with the line number and the byte offset of text that is not UTF-8; the line is then read as empty.
        Without it, an InputError names the line and the byte, counted from 0 as in iconv and Python.
        longest: The maximum number of bytes in a line; a longer one is rejected before more of it is read.
    """
    offset = lines = waiting = 0
    parts = [head] if head else []
    first = True
    while True:
        block = file.read(BLOCK)
        cut = block.rfind(b"\n") + 1
        if block and not cut:
            parts.append(block)
            waiting += len(block)
            if waiting > longest:
                before = sum(part.count(b"\n") for part in parts)
                raise InputError(_too_long_message(path, lines + before + 1, longest))
            continue
        waiting = 0
        data = b"".join([*parts, block[:cut]]) if parts else block[:cut]
        parts = [block[cut:]] if cut < len(block) else []
        if first:
            first = False
            if data.startswith(_BOM):
                data, offset = data[3:], 3
            elif data[:2] in UTF16:
                raise InputError(_encoding_message(path, "is UTF-16, not UTF-8", "utf16"))
        try:
            text = data.decode()
        except UnicodeDecodeError as error:
            if spoiled is None:
                line = lines + data.count(b"\n", 0, error.start) + 1
                what = f"is not valid UTF-8 (byte {offset + error.start:,}, line {line})"
                windows = 0x80 <= data[error.start] <= 0x9F  # bytes without characters in Latin-1
                raise InputError(_encoding_message(path, what, "cp1252" if windows else "latin1")) from None
            text = _with_empty_lines(data, lines, spoiled)
        if text:
            yield text
        if not block:
            return
        offset += len(data)
        lines += data.count(b"\n")


def _too_long_message(path: str | os.PathLike[str], line: int, longest: int) -> str:
    return (
        f"{file_name(path)} line {line} is longer than {longest >> 20} MiB, the maximum. Check that it is text with "
        "one segment per line."
    )


def _with_empty_lines(data: bytes, before: int, spoiled: Callable[[int, int], None]) -> str:
    """Return the lines, replacing each that is not UTF-8 with an empty one."""
    lines = []
    for number, line in enumerate(data.split(b"\n"), before + 1):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError as error:
            spoiled(number, error.start + 1)
            lines.append("")
    return "\n".join(lines)


def _encoding_message(path: str | os.PathLike[str], what: str, encoding: str) -> str:
    name = file_name(path)
    kind = compression.SUFFIXES.get(Path(name).suffix.lower())
    quoted = _shell_quote(name)
    if name == "standard input":
        remedy = f"iconv -f {encoding} -t utf8"
    elif kind:
        remedy = f"{compression.SHOW[kind]} {quoted} | iconv -f {encoding} -t utf8"
    else:
        remedy = f"iconv -f {encoding} -t utf8 {quoted}"
    return f"{name} {what}. Try: {remedy}"


def split_lines(blocks: Iterator[str]) -> Iterator[list[str]]:
    """Yield the lines of each block without line endings."""
    for text in blocks:
        if "\r" in text:
            text = text.replace("\r\n", "\n")
        lines = text.split("\n")
        if not lines[-1]:
            lines.pop()
        elif lines[-1].endswith("\r"):
            lines[-1] = lines[-1][:-1]
        yield lines


def regroup(pieces: Iterator[list[str]], chunk: int) -> Iterator[list[str]]:
    """Yield the same rows in lists of `chunk`; only the last one may be shorter."""
    if chunk < 1:
        raise InputError(f"a chunk must hold at least one line, not {chunk}.")
    waiting: list[str] = []
    for piece in pieces:
        start = 0
        if waiting:
            start = chunk - len(waiting)
            waiting += piece[:start]
            if len(waiting) < chunk:
                continue
            yield waiting
        whole = start + (len(piece) - start) // chunk * chunk
        for at in range(start, whole, chunk):
            yield piece[at : at + chunk]
        waiting = piece[whole:]
    if waiting:
        yield waiting


def read_lines(path: str | os.PathLike[str], chunk: int) -> Iterator[list[str]]:
    """Yield lists of `chunk` lines (the last may be shorter), read on demand; an empty file has none."""
    with open_bytes(path) as file:
        yield from regroup(split_lines(read_blocks(file, path)), chunk)


def read_text(path: str | os.PathLike[str], most: int = MOST_TEXT) -> str:
    """Return a whole file as text; reject one that unpacks to more than `most` bytes."""
    with open_bytes(path) as file:
        return "".join(read_blocks(BoundedFile(file, path, most), path, longest=most))


def read_bytes(path: str | os.PathLike[str], most: int = MOST_TEXT) -> bytes:
    """Return a whole file, unpacked; reject one that unpacks to more than `most` bytes."""
    with open_bytes(path) as file:
        bounded = BoundedFile(file, path, most)
        return b"".join(iter(lambda: bounded.read(1 << 20), b""))


class BoundedFile(compression.ByteSource):
    """Raw stream that raises an error after more than `most` bytes of a file."""

    def __init__(self, file: BinaryIO, path: str | os.PathLike[str], most: int) -> None:
        self._file, self._path, self._most, self._read = file, path, most, 0

    def take(self, size: int) -> bytes:
        data = self._file.read(size)
        self._read += len(data)
        if self._read > self._most:
            raise InputError(
                f"{file_name(self._path)} has more than {self._most >> 20} MiB, the maximum for this kind of file."
            )
        return data

    def seekable(self) -> bool:
        """Return whether the file is seekable, which workbooks require."""
        return self._file.seekable()

    def seek(self, offset: int, whence: int = io.SEEK_SET, /) -> int:
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        return self._file.tell()


def read_parallel(
    paths: Sequence[str | os.PathLike[str]],
    chunk: int,
    lines_of: Callable[[str | os.PathLike[str], int], Iterator[list[str]]] = read_lines,
) -> Iterator[tuple[list[str], ...]]:
    """Yield tuples with `chunk` lines from each of several files, read by `lines_of`.

    Files of different lengths are rejected with their names and line counts, never truncated to the shortest. The error is
    raised when the shortest ends.
    """
    if sum(os.fspath(path) == "-" for path in paths) > 1:
        raise InputError("only one file can be standard input (-). Specify the others by name.")
    readers = [lines_of(path, chunk) for path in paths]
    done = 0
    try:
        while True:
            pieces = [next(reader, []) for reader in readers]
            sizes = {len(piece) for piece in pieces}
            if len(sizes) > 1:
                totals = [
                    done + sum(map(len, chain([piece], reader))) for piece, reader in zip(pieces, readers, strict=True)
                ]
                raise InputError(_unequal_message(paths, totals))
            if not sizes or sizes == {0}:
                return
            yield tuple(pieces)
            done += sizes.pop()
    finally:
        for reader in readers:
            reader.close()  # type: ignore[attr-defined]


def _unequal_message(paths: Sequence[str | os.PathLike[str]], totals: Sequence[int]) -> str:
    """Return the message for files of different lengths: the shortest first, then the others."""
    ordered = sorted(zip(totals, map(file_name, paths), strict=True), key=lambda entry: entry[0])
    (fewest, first), *others = ordered
    rest = " and ".join(f"{name} has {total:,}" for total, name in others)
    return f"{first} has {count(fewest, 'line')} but {rest}; they must match. First unmatched line: {fewest + 1}."
