"""Splitting of large shards into parts.

The positions depend only on the file, never on the number of workers, so the same rows are always scored together. Text is
split every 64 MiB, Parquet every million rows. A file that is compressed or contains line breaks within cells is one part.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

from assay.core.errors import InputError
from assay.corpus.job import Shard, ShardPart, Source
from assay.io.files.compression import SUFFIXES, detect
from assay.io.files.folders import is_remote
from assay.io.files.text import UTF16, open_utf8, read_blocks
from assay.io.table.formats import open_table
from assay.io.table.quoting import Quotes

PART_BYTES, PART_ROWS = 64 << 20, 1_000_000


def split(shard: Shard, quoting: str = "auto", size: int = PART_BYTES, rows: int = PART_ROWS) -> list[ShardPart]:
    """Return the parts of a shard: one, unless it is large and can be split."""
    first = shard.files[0]
    if any(Path(file.path).suffix.lower() in SUFFIXES or is_remote(file.path) for file in shard.files):
        return [ShardPart()]
    if shard.form == "parquet":
        return _row_parts(first, rows)
    if max(file.size for file in shard.files) <= size or shard.form == "csv" or not _plain(shard):
        return [ShardPart()]
    if shard.form == "text":
        return _parallel_parts(shard, size)
    resolved = ""
    if shard.form == "tsv" and (quoting == "csv" or (resolved := _quoting(first.path, quoting)) == "across"):
        return [ShardPart()]
    cuts = [*range(0, first.size, size), first.size]
    return [ShardPart(n, (a,), (b,), resolved) for n, (a, b) in enumerate(pairwise(cuts))]


def _plain(shard: Shard) -> bool:
    """Whether the files are uncompressed lines of UTF-8, and not a JSON array."""
    for file in shard.files:
        with open(file.path, "rb") as opened:
            head = opened.read(256)
        array = shard.form == "jsonl" and head.removeprefix(b"\xef\xbb\xbf").lstrip().startswith(b"[")
        if detect(head) or head[:2] in UTF16 or array:
            return False
    return True


def _row_parts(source: Source, rows: int) -> list[ShardPart]:
    if source.size <= PART_BYTES // 8 and rows == PART_ROWS:  # too small for a million rows
        return [ShardPart()]

    try:
        with open_table(source.path, form="parquet") as table:
            n = int(getattr(table, "rows_in_all", 0))
    except InputError:
        return [ShardPart()]  # its reader reports the error
    if n <= rows:
        return [ShardPart()]
    cuts = [*range(0, n, rows), n]
    return [ShardPart(i, (a,), (b,)) for i, (a, b) in enumerate(pairwise(cuts))]


def _parallel_parts(shard: Shard, size: int) -> list[ShardPart]:
    """Split at positions with the same number of lines in all files, about every `size` bytes of the largest file."""
    largest = max(shard.files, key=lambda file: file.size)
    marks: list[list[int]] = []
    lines, cuts = 0, [0]
    with open(largest.path, "rb") as file:
        passed, last = 0, 0
        while block := file.read(min(size, 1 << 20)):
            lines += block.count(b"\n")
            passed += len(block)
            if passed - last >= size:
                cuts.append(lines)
                last = passed
    for source in shard.files:
        marks.append(_offsets(source, cuts))
    return [
        ShardPart(n, tuple(mark[n] for mark in marks), tuple(mark[n + 1] for mark in marks)) for n in range(len(cuts))
    ]


def _offsets(source: Source, cuts: Sequence[int]) -> list[int]:
    """Return the positions of the lines with these numbers, and the end of the file."""
    offsets, lines, passed = [0], 0, 0
    waiting = list(cuts[1:])
    with open(source.path, "rb") as file:
        while waiting and (block := file.read(1 << 20)):
            here = block.count(b"\n")
            while waiting and lines + here >= waiting[0]:
                at = -1
                for _ in range(waiting[0] - lines):
                    at = block.find(b"\n", at + 1)
                offsets.append(passed + at + 1)
                waiting.pop(0)
            lines += here
            passed += len(block)
    return [*offsets, *[source.size] * (len(cuts) + 1 - len(offsets))]


def _quoting(path: str, quoting: str) -> str:
    """Return the meaning of quotation marks in a whole TSV: ``none``, ``csv``, or ``across`` if cells contain line breaks."""
    if quoting == "none":
        return "none"

    quotes = Quotes(path, "auto")
    with open_utf8(path) as file:
        for _ in quotes.watched(read_blocks(file, path, spoiled=lambda line, byte: None)):
            if quotes.notes:
                break
    return "across" if quotes.across else "csv" if quotes.on else "none"
