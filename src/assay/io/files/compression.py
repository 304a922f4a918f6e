"""Decompression of .gz, .xz and .zst streams, with errors that name the file."""

from __future__ import annotations

import io
from abc import abstractmethod
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, BinaryIO, Protocol

from assay.core.errors import InputError

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

MAGIC = {"gzip": b"\x1f\x8b", "xz": b"\xfd7zXZ\x00", "zstd": b"\x28\xb5\x2f\xfd"}
SUFFIXES = {".gz": "gzip", ".xz": "xz", ".zst": "zstd"}
SHOW = {"gzip": "zcat", "xz": "xzcat", "zstd": "zstdcat"}
"""The command that unpacks to standard output, for messages."""


def detect(head: bytes) -> str | None:
    """Return the compression that the first bytes indicate. No UTF-8 text begins with any of these signatures."""
    return next((kind for kind, magic in MAGIC.items() if head.startswith(magic)), None)


def unpack(file: BinaryIO, kind: str, name: str) -> io.BufferedReader:
    """Return a reader of the unpacked bytes; `name` is the file's name in messages."""
    return io.BufferedReader(_Guarded(_OPEN[kind](file), file, kind, name), 1 << 18)


class _Reader(Protocol):
    def read(self, size: int, /) -> bytes: ...


def _gzip(file: BinaryIO) -> _Reader:
    import zlib

    return _Frames(file, lambda: zlib.decompressobj(16 + zlib.MAX_WBITS), padding=b"\0")


def _xz(file: BinaryIO) -> _Reader:
    import lzma

    return lzma.LZMAFile(file)


class ByteSource(io.RawIOBase):
    """Raw stream over another file; a subclass implements `take`."""

    _file: BinaryIO

    @abstractmethod
    def take(self, size: int) -> bytes:
        """Return at most `size` bytes, or none at the end of the file."""

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        target = memoryview(buffer).cast("B")
        data = self.take(len(target))
        target[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


class _Guarded(ByteSource):
    """Raw stream over a decoder that turns every decoder error into an InputError."""

    def __init__(self, stream: _Reader, file: BinaryIO, kind: str, name: str) -> None:
        self._stream, self._file, self._kind, self._file_name = stream, file, kind, name

    def take(self, size: int) -> bytes:
        try:
            return self._stream.read(size)
        except EOFError:
            raise InputError(
                f"{self._file_name} is incomplete: its {self._kind} data ends prematurely. Copy or download it again."
            ) from None
        except MemoryError:
            raise
        except Exception as error:
            raise InputError(
                f"{self._file_name} is damaged: its {self._kind} data cannot be decompressed ({error}). "
                "Copy or download it again."
            ) from error


def _zstd(file: BinaryIO) -> _Reader:
    try:
        import zstandard
    except ModuleNotFoundError:  # Python 3.14 has its own
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]

        return zstd.ZstdFile(file)  # type: ignore[no-any-return,unused-ignore]
    return _Frames(file, zstandard.ZstdDecompressor().decompressobj)


_OPEN: Mapping[str, Callable[[BinaryIO], _Reader]] = {"gzip": _gzip, "xz": _xz, "zstd": _zstd}


class _Frames:
    """Reader of consecutive frames of a zstd file, or of members of a gzip file, each of which may be followed by zeros.

    Unlike zstandard's stream reader it reports an incomplete last frame. It takes a third of the time of the `gzip` module,
    which uses the same zlib but feeds it 8 KB at a time.
    """

    _most = 1 << 16

    def __init__(self, file: BinaryIO, new_frame: Callable[[], Any], padding: bytes = b"") -> None:
        self._file, self._new_frame, self._padding = file, new_frame, padding
        self._frame: Any = None
        self._begun = False
        self._packed = b""
        self._plain = memoryview(b"")
        self._piece = 256

    def read(self, size: int) -> bytes:
        while not self._plain:
            if not self._packed:
                self._packed = self._file.read(self._most)
                if not self._packed:
                    if self._frame is not None:
                        raise EOFError
                    return b""
            self._advance()
        data = bytes(self._plain[:size])
        self._plain = self._plain[size:]
        return data

    def _advance(self) -> None:
        if self._frame is None and self._begun and self._padding:
            self._packed = self._packed.lstrip(self._padding)
            if not self._packed:
                return
        self._begun = True
        frame = self._frame or self._new_frame()
        piece, self._packed = self._packed[: self._piece], self._packed[self._piece :]
        plain = frame.decompress(piece)
        if frame.eof:
            self._packed = frame.unused_data + self._packed
            self._frame = None
        else:
            self._frame = frame
        # A few compressed bytes may expand to megabytes: read highly compressed data in small blocks.
        if len(plain) > 1 << 20:
            self._piece = max(64, self._piece // 4)
        elif len(plain) < 1 << 18:
            self._piece = min(self._most, self._piece * 2)
        self._plain = memoryview(plain)
