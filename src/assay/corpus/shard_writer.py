"""Writer for output parts, and joining of parts into a shard.

A part has no header or frame, so concatenating a shard's parts gives its rows. The bytes of a shard do not depend on how it
was split: lines are concatenated, and Parquet is rewritten in row groups of a fixed size.
"""

from __future__ import annotations

import hashlib
import io
import json
import shutil
import tempfile
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path, PurePosixPath
from typing import IO, Any

from assay.core.columns import Columns, import_polars
from assay.core.rows import FLAGS, SPANS, row_objects
from assay.corpus.job import Job, Shard
from assay.corpus.shard_reader import ShardRows
from assay.io.files.atomic import scratch_errors
from assay.io.files.compression import SUFFIXES
from assay.io.files.folders import Folder
from assay.report.binary_rows import span_kind
from assay.report.rows import WRITERS, JsonLines

ROW_GROUP = 65_536
"""Number of rows in a row group of Parquet."""


def output_format(shard: Shard) -> str:
    """Return the format of an output shard: the same as the input, or TSV for parallel text."""
    return "tsv" if shard.form == "text" else shard.form


class PartWriter(ABC):
    """Writer for the rows of a part. `sizes` holds the size of every row in bytes, if single rows must be selected later."""

    @abstractmethod
    def write(self, rows: ShardRows, added: Columns) -> None:
        """Write some rows with the added columns."""

    @abstractmethod
    def close(self) -> None:
        """Finish the part."""


class TextPartWriter(PartWriter):
    """Writer for TSV, CSV or JSON Lines without a header."""

    def __init__(
        self, form: str, names: Sequence[str], stream: IO[bytes], apart: bool, scores: Sequence[str] = ()
    ) -> None:
        self._stream, self._apart, self.sizes = stream, apart, list[int]()
        self._writer = WRITERS[form](names, scores=scores)

    def header(self) -> bytes:
        """Return the content that precedes the shard's rows."""
        return self._writer.head.encode("utf-8", "backslashreplace")

    def write(self, rows: ShardRows, added: Columns) -> None:
        objects: list[Mapping[str, Any]] | None = None
        if isinstance(self._writer, JsonLines):
            new = row_objects(added, self._writer.scores)
            objects = [{**rows.row(i), **new[i]} for i in range(len(rows))]
        lines = self._writer.lines([*(rows.column(name) for name in rows.names), *added.values()], objects)
        encoded = [line.encode("utf-8", "backslashreplace") for line in lines] if self._apart else []
        self.sizes += map(len, encoded)
        self._stream.write(b"".join(encoded) or "".join(lines).encode("utf-8", "backslashreplace"))

    def close(self) -> None:
        """Do nothing."""


class ParquetPartWriter(PartWriter):
    """Parquet writer that collects temporary frames until the part is finished."""

    def __init__(self, job: Job, kinds: Mapping[str, Any], stream: IO[bytes]) -> None:
        self._polars = import_polars("Parquet")
        self._stream = stream
        self._added = self._kinds(job)
        with scratch_errors():
            self._folder = tempfile.TemporaryDirectory(prefix="assay-")
        self._files: list[Path] = []
        self._keep(self._polars.DataFrame(schema={**kinds, **self._added}))

    def _kinds(self, job: Job) -> dict[str, Any]:
        polars = self._polars
        others = {FLAGS: polars.List(polars.String), SPANS: span_kind(job.scores)}
        if job.purpose == "label":
            others |= dict.fromkeys(("label", "language", "reason"), polars.String)
        return {name: others.get(name, polars.Float64) for name in job.added}

    def _keep(self, frame: Any) -> None:
        self._files.append(Path(self._folder.name) / f"{len(self._files):06}.parquet")
        with scratch_errors():
            frame.write_parquet(self._files[-1])

    def write(self, rows: ShardRows, added: Columns) -> None:
        polars = self._polars
        new = [
            self._flags(added[name]) if name == FLAGS else polars.Series(name, added[name], dtype=kind, strict=False)
            for name, kind in self._added.items()
        ]
        self._keep(rows.frame.with_columns(new))

    def _flags(self, flags: Sequence[Sequence[str]]) -> Any:
        """Return a column of lists from strings, because polars is ten times slower with mostly empty Python lists."""
        polars = self._polars
        texts = polars.Series("flags", ["\t".join(names) or None for names in flags], dtype=polars.String)
        empty = polars.lit([], dtype=polars.List(polars.String))
        return polars.select(
            polars.when(texts.is_null()).then(empty).otherwise(texts.str.split("\t")).alias("flags")
        ).to_series()

    def close(self) -> None:
        with self._folder:
            join_parquet(self._files, self._stream)


def join_parquet(files: Sequence[Path], stream: IO[bytes], rows: Sequence[Sequence[int]] | None = None) -> None:
    """Join files with the same columns in row groups of a fixed size; `rows` are the rows to take from each file."""
    polars = import_polars("Parquet")
    if rows is None:
        frames = polars.scan_parquet(files, glob=False)
    else:
        frames = polars.concat([_taken_rows(file, taken) for file, taken in zip(files, rows, strict=True)])
    with scratch_errors(), tempfile.TemporaryDirectory(prefix="assay-") as folder:
        whole = Path(folder) / "whole.parquet"
        frames.sink_parquet(whole, row_group_size=ROW_GROUP, maintain_order=True)
        with whole.open("rb") as source:
            shutil.copyfileobj(source, stream)


def _taken_rows(file: Path, rows: Sequence[int]) -> Any:
    """Return some rows of a file lazily."""
    polars, number = import_polars("Parquet"), "assay row number"
    numbered = polars.scan_parquet(file, glob=False).with_row_index(number)
    wanted = polars.Series(rows, dtype=numbered.collect_schema()[number])
    return numbered.filter(polars.col(number).is_in(wanted.implode())).drop(number)


class HashedStream(io.RawIOBase):
    """Stream that counts and hashes the bytes written to it."""

    def __init__(self, stream: IO[bytes]) -> None:
        self._stream, self._digest, self.size = stream, hashlib.blake2b(digest_size=16), 0

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._stream.write(data)
        self._digest.update(data)
        self.size += len(data)
        return len(data)

    @property
    def hash(self) -> str:
        """BLAKE2b-128 of all bytes."""
        return self._digest.hexdigest()


@contextmanager
def compressed(stream: Any, name: str) -> Iterator[Any]:
    """Compress a stream as the suffix of the shard's name requires, reproducibly: the same content gives the same bytes."""
    kind = SUFFIXES.get(PurePosixPath(name).suffix.lower())
    if kind == "gzip":
        import gzip

        with gzip.GzipFile(filename="", mode="wb", fileobj=stream, mtime=0, compresslevel=6) as inner:
            yield inner
    elif kind == "xz":
        import lzma

        with lzma.LZMAFile(stream, "wb") as inner:
            yield inner
    elif kind == "zstd":
        with _zstd(stream) as inner:
            yield inner
    else:
        yield stream


def _zstd(stream: IO[bytes]) -> Any:
    try:
        import zstandard
    except ModuleNotFoundError:  # in the standard library since Python 3.14
        from compression import zstd  # type: ignore[import-not-found,unused-ignore]

        return zstd.ZstdFile(stream, "wb")
    return zstandard.ZstdCompressor().stream_writer(stream, closefd=False)


def join(
    job: Job,
    shard: Shard,
    folder: Folder,
    parts: Sequence[str],
    header: bytes,
    taken: Sequence[Sequence[int]] | None = None,
) -> tuple[int, str]:
    """Write a shard from its parts, and return its size and hash. `taken` are the rows to take from each part; None for all."""
    with folder.writing(shard.name) as target:
        counted = HashedStream(target)
        if shard.form == "parquet":
            _join_frames(folder, parts, counted, taken)
        else:
            with compressed(counted, shard.name) as stream:
                stream.write(header)
                for number, part in enumerate(parts):
                    _copy(folder, part, stream, None if taken is None else taken[number])
    return counted.size, counted.hash


def _join_frames(folder: Folder, parts: Sequence[str], stream: Any, taken: Sequence[Sequence[int]] | None) -> None:
    from contextlib import ExitStack

    with ExitStack() as held:
        files = [Path(held.enter_context(folder.local(part))) for part in parts]
        join_parquet(files, stream, taken)


def _copy(folder: Folder, part: str, stream: IO[bytes], rows: Sequence[int] | None) -> None:
    with folder.local(part) as path, open(path, "rb") as source:
        if rows is None:
            shutil.copyfileobj(source, stream, 1 << 20)
            return
        sizes = json.loads(folder.read(f"{part}.rows") or b"[]")
        wanted, at = set(rows), 0
        for number, size in enumerate(sizes):
            if number in wanted:
                source.seek(at)
                stream.write(source.read(size))
            at += size
