"""Reader for a shard or part of a shard: batches of texts for the metrics, with all columns of their rows.

A part of a text file consists of the lines that begin in a range of bytes, a part of Parquet of a range of rows. Rows are read
in blocks of bounded size, and all columns are kept for the output.
"""

from __future__ import annotations

import io
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from itertools import compress
from typing import IO, Any

from assay.core.batch import Batch, apply_empty_reference
from assay.core.errors import InputError
from assay.core.rows import renaming_notes
from assay.corpus.job import Job, Shard, ShardPart, ShardTask
from assay.corpus.shard_columns import check_columns, layout_of, reader_for, renamed_columns
from assay.io.files.folders import is_remote
from assay.io.files.text import open_bytes, read_blocks, read_parallel, regroup, split_lines
from assay.io.table.bad_rows import BadRows
from assay.io.table.cells import cells, is_plain
from assay.io.table.formats import open_table, table_in
from assay.io.table.open_table import Opened, OpenTable, inside
from assay.io.table.open_table import Piece as TablePiece
from assay.io.table.whole_rows import MOST_CHARACTERS, RowPart, WholeRows

LINE = 1 << 16
"""Number of bytes read at a time when searching for the end of a line."""


@dataclass(frozen=True, slots=True)
class ShardRows:
    """Block of rows: their texts, and all their columns as lists (`listed`) or as a polars frame."""

    batch: Any
    """A `Batch`, `assay.corpus.minimal_pairs.PairBatch` or `assay.corpus.precomputed.PrecomputedBatch`."""
    numbers: Sequence[int]
    noun: str
    names: Sequence[str]
    listed: RowPart | None = None
    frame: Any = None

    def __len__(self) -> int:
        return len(self.numbers)

    def column(self, name: str) -> Sequence[Any]:
        """Return a column by name."""
        if self.listed is None:
            return cells(self.frame[name])
        return self.listed.columns[self.names.index(name)]

    def row(self, i: int) -> dict[str, Any]:
        """Return one row by column."""
        if self.listed is None:
            if all(is_plain(kind) for kind in self.frame.dtypes):
                return dict(self.frame.row(i, named=True))
            return {column.name: cells(column.slice(i, 1))[0] for column in self.frame}
        if self.listed.objects is not None:
            return dict(self.listed.objects[i])
        return {name: column[i] for name, column in zip(self.names, self.listed.columns, strict=True)}

    def where(self, keep: Sequence[bool]) -> ShardRows:
        """Return the rows where `keep` is true."""
        rows = list(compress(range(len(self)), keep))
        batch, numbers = self.batch.select(rows), [self.numbers[i] for i in rows]
        if self.listed is None:
            return replace(self, batch=batch, numbers=numbers, frame=self.frame[rows])
        part = self.listed
        objects = None if part.objects is None else [part.objects[i] for i in rows]
        columns = [[column[i] for i in rows] for column in part.columns]
        kept = part._replace(columns=columns, numbers=numbers, objects=objects)
        return replace(self, batch=batch, numbers=numbers, listed=kept)

    def renamed(self, renamed: Mapping[str, str]) -> ShardRows:
        """Return the same rows with some columns renamed."""
        names = [renamed.get(name, name) for name in self.names]
        if self.listed is None:
            return replace(self, names=names, frame=self.frame.rename(dict(renamed), strict=False))
        objects = self.listed.objects
        if objects is not None:
            objects = [{renamed.get(name, name): value for name, value in row.items()} for row in objects]
        return replace(self, names=names, listed=self.listed._replace(objects=objects))


class PartReader:
    """Open part of a shard. `lines` returns the number of lines read so far."""

    def __init__(
        self, names: Sequence[str], parts: Iterator[ShardRows], kinds: Mapping[str, Any] | None = None
    ) -> None:
        self.names, self.parts, self.kinds = list(names), parts, kinds
        self.notes: list[str] = []
        self.lines: Callable[[], int] = lambda: 0

    def renamed(self, renamed: Mapping[str, str]) -> PartReader:
        """Return the same part with some columns renamed."""
        if not renamed:
            return self
        kinds = self.kinds and {renamed.get(name, name): kind for name, kind in self.kinds.items()}
        names = [renamed.get(name, name) for name in self.names]
        reader = PartReader(names, (rows.renamed(renamed) for rows in self.parts), kinds)
        reader.lines, reader.notes = self.lines, [*self.notes, *renaming_notes(renamed)]
        return reader


@contextmanager
def reading(job: Job, shard: Shard, part: ShardPart, paths: Sequence[str]) -> Iterator[PartReader]:
    """Open a part for reading; `paths` are its files on this machine."""
    if shard.form == "text":
        reader = _text(job, shard, part, paths)
        yield reader.renamed(renamed_columns(reader.names, job))
        return
    with _table(job, shard, part, paths[0]) as table:
        own = list(table.names)
        reader = _frames(job, table, shard, part) if shard.form == "parquet" else _listed(job, table, shard)
        reader = reader.renamed(renamed_columns(own, job))
        if isinstance(file := getattr(table, "ranged", None), _Ranged):
            reader.lines = lambda: file.lines
        yield reader
        reader.notes += [with_user_paths(note, shard, paths) for note in table.notes]


def with_user_paths(message: str, shard: Shard, paths: Sequence[str]) -> str:
    """Replace local paths in a message with the names that the user specified."""
    for path, source in zip(paths, shard.files, strict=True):
        message = message.replace(path, source.path)
    return message


def _table(job: Job, shard: Shard, part: ShardPart, path: str) -> OpenTable:
    quoting: Any = part.quoting or job.quoting
    if shard.form == "parquet" or not part.stops:
        return open_table(path, quoting=quoting, form=shard.form)
    file = _Ranged(path, part.starts[0], part.stops[0])
    head = b""
    if shard.form == "tsv" and part.number:
        with open(path, "rb") as whole:
            head = whole.readline()
    table = table_in(Opened(io.BufferedReader(file), path, head, BadRows(remedy=""), quoting), shard.form)
    table.ranged = file  # type: ignore[attr-defined]
    return table


class _Ranged(io.RawIOBase):
    """Lines of a file that begin within a byte range."""

    def __init__(self, path: str, start: int, stop: int) -> None:
        self._file = open(path, "rb")  # noqa: SIM115
        self._left = 0
        self.lines = 0
        begin, end = self._line_at(start), self._line_at(stop)
        self._file.seek(begin)
        self._left = max(end - begin, 0)

    def _line_at(self, place: int) -> int:
        """Return the start of the first line that begins at or after a position."""
        if place == 0:
            return 0
        self._file.seek(place - 1)
        while block := self._file.read(LINE):
            if (at := block.find(b"\n")) >= 0:
                return self._file.tell() - len(block) + at + 1
        return self._file.tell()

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: Any) -> int:
        target = memoryview(buffer).cast("B")
        data = self._file.read(min(len(target), self._left))
        self._left -= len(data)
        self.lines += data.count(b"\n")
        target[: len(data)] = data
        return len(data)

    def close(self) -> None:
        self._file.close()
        super().close()


def lines_before(path: str, start: int) -> int:
    """Return the number of lines that begin before a position of a file."""
    with _Ranged(path, 0, start) as file:
        while file.read(1 << 20):
            pass
        return file.lines


def _settled(batch: Any, job: Job) -> Any:
    if not isinstance(batch, Batch):
        return batch
    if batch.systems is None:
        batch = replace(batch, systems=[""] * len(batch))
    if job.langpair and batch.langpairs is None:
        batch = replace(batch, langpairs=[job.langpair] * len(batch))
    return batch


def _listed(job: Job, table: OpenTable, shard: Shard) -> PartReader:
    rows = WholeRows(table, job.batch)
    names = list(table.names)
    if not names:
        return PartReader([], iter(()))
    layout = layout_of(table, job)
    check_columns(job, table, names, layout, shard)
    columns = reader_for(table, layout, job)

    def value(part: RowPart, name: str) -> Sequence[Any]:
        if part.objects is not None:
            keys = [name] if name in names else table.inner.get(name) or name.split(".")
            return [inside(row, keys) for row in part.objects]
        return part.columns[rows.names.index(name)]

    def parts() -> Iterator[ShardRows]:
        for part in rows.parts():
            if shard.form != "jsonl":
                rows.check_keys(part)
            wanted = [value(part, table.names[position]) for position in columns.wanted]
            batch = columns.batch(TablePiece(wanted, part.numbers, part.noun))
            yield ShardRows(_settled(batch, job), part.numbers, part.noun, rows.names, listed=part)

    return PartReader(rows.names, parts())


def _frames(job: Job, table: Any, shard: Shard, part: ShardPart) -> PartReader:
    names = list(table.names)
    layout = layout_of(table, job)
    check_columns(job, table, names, layout, shard)
    columns = reader_for(table, layout, job)
    first, last = (part.starts[0], part.stops[0]) if part.stops else (0, table.rows_in_all)
    texts = {name: str for name, kind in (table.kinds or {}).items() if str(kind) == "String"}

    def value(frame: Any, name: str) -> Sequence[Any]:
        if name in names:
            column = frame[name]
            return cells(column.cast(table.kinds[name]) if name in texts else column, table.name)
        outer, *keys = table.inner.get(name) or name.split(".")
        return [inside(cell, keys) for cell in cells(frame[outer], table.name)]

    def parts() -> Iterator[ShardRows]:
        at = first
        for frame in table.frames(first, last, job.batch):
            numbers = range(at + 1, at + len(frame) + 1)
            at += len(frame)
            wanted = [value(frame, table.names[position]) for position in columns.wanted]
            batch = columns.batch(TablePiece(wanted, numbers, "row"))
            yield ShardRows(_settled(batch, job), numbers, "row", names, frame=frame)

    return PartReader(names, parts(), table.schema)


def _text(job: Job, shard: Shard, part: ShardPart, paths: Sequence[str]) -> PartReader:
    names = list(shard.columns)
    ranges = dict(zip(paths, zip(part.starts, part.stops, strict=True), strict=True)) if part.stops else {}
    done = 0

    def lines_of(path: Any, chunk: int) -> Iterator[list[str]]:
        file: IO[bytes] = io.BufferedReader(_Ranged(path, *ranges[path])) if ranges else open_bytes(path)
        with file:
            yield from regroup(split_lines(read_blocks(file, path)), chunk)

    def parts() -> Iterator[ShardRows]:
        nonlocal done
        for part in _joined_blocks(read_parallel(paths, min(64, job.batch), lines_of), job.batch):
            n = len(part[0])
            numbers = range(done + 1, done + n + 1)
            done += n
            by_name = dict(zip(names, part, strict=True))
            batch = Batch(
                hypotheses=by_name["mt"],
                sources=by_name.get("src"),
                references=tuple(by_name[name] for name in names if name.startswith("ref")) or None,
            )
            if job.empty_reference in ("skip", "error") and batch.references:

                def where(row: int, numbers: Sequence[int] = numbers) -> str:
                    return f"{shard.title} line {numbers[row]}"

                batch = replace(batch, references=apply_empty_reference(batch.references, job.empty_reference, where))
            yield ShardRows(_settled(batch, job), numbers, "line", names, listed=RowPart(list(part), numbers, "line"))

    reader = PartReader(names, parts())
    reader.lines = lambda: done
    return reader


def _joined_blocks(blocks: Iterator[tuple[list[str], ...]], rows: int) -> Iterator[tuple[list[str], ...]]:
    """Join consecutive blocks into blocks of bounded size."""
    held: list[tuple[list[str], ...]] = []
    n = size = 0
    for block in blocks:
        held.append(block)
        n += len(block[0])
        size += sum(len(text) for column in block for text in column)
        if n >= rows or size >= MOST_CHARACTERS:
            yield tuple([text for part in held for text in part[k]] for k in range(len(block)))
            held, n, size = [], 0, 0
    if held:
        yield tuple([text for part in held for text in part[k]] for k in range(len(held[0])))


@contextmanager
def local_files(task: ShardTask) -> Iterator[list[str]]:
    """Provide local copies of the shard's files; errors name them as the user does."""
    with ExitStack() as held:
        paths = []
        for source in task.shard.files:
            if is_remote(source.path):
                from assay.io.files.remote import local_copy

                paths.append(held.enter_context(local_copy(source.path)))
            else:
                paths.append(source.path)
        try:
            yield paths
        except InputError as error:
            message = with_user_paths(str(error), task.shard, paths)
            raise InputError(_renumbered(message, task, paths[0])) from error


def _renumbered(said: str, task: ShardTask, path: str) -> str:
    """Replace the line number in a message about a part with the number in the whole file."""
    if task.part.number == 0 or task.shard.form == "parquet":
        return said
    before = lines_before(path, task.part.starts[0]) - (task.shard.form == "tsv")  # the header is read before each part
    return re.sub(r"(?<= line )[0-9]+", lambda found: str(int(found[0]) + before), said, count=1)
