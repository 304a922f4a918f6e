"""Readers of the texts to score (files, tables, test sets, memory) as one stream of chunks with a system for every row."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.core.batch import Batch, EmptyReference, apply_empty_reference, concat, regroup
from assay.core.errors import InputError, listing
from assay.io.files.text import file_name, read_lines, read_parallel
from assay.io.table.folder import shards_of
from assay.io.table.tables import read_table

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.io.table.open_table import Quoting
    from assay.io.table.vocabulary import ColumnChoice

PathName = str | os.PathLike[str]

PIECE = 64
"""Lines read at a time: few, because a line may be a megabyte long. Chunks are multiples of this: 20,032 rows of one system."""
_BINARY = (
    ".gz",
    ".xz",
    ".zst",
    ".parquet",
    ".arrow",
    ".feather",
    ".ipc",
    ".xlsx",
    ".xlsm",
    ".xml",
    ".tmx",
    ".xlf",
    ".xliff",
)
"""Suffixes of files whose size and lines do not indicate the number of rows."""
IN_MEMORY = 1 << 20
"""Rows in memory that are scored at a time: many, because equal texts and references among them are prepared once."""


@dataclass
class Inputs:
    """The texts to score as chunks, with their files and an estimate of the number of rows."""

    chunks: Iterator[Batch]
    paths: list[str] = field(default_factory=list)
    """The files. A run without files cannot be resumed, and need not be."""
    rows: int | None = None
    about: str = ""
    """Settings that distinguish this input from others with the same files, for resuming."""
    alerts: list[str] = field(default_factory=list)
    """Warnings that affect how scores must be read; complete when all chunks are read."""
    notes: list[str] = field(default_factory=list)
    """Messages about reading the files; complete when all chunks are read."""
    aligned: bool = True
    """Whether all systems share the same sources and references, so that rows with the same index are one segment."""

    @property
    def name(self) -> str:
        """The name of the input in messages."""
        return self.paths[0] if self.paths else "the input"


def from_files(
    mt: Sequence[PathName] | Mapping[str, PathName],
    ref: Sequence[PathName] = (),
    src: PathName | None = None,
    *,
    langpair: str | None = None,
    empty_reference: EmptyReference | None = None,
) -> Inputs:
    """Read text files with one segment per line in parallel. Each file in `mt` is a system, named explicitly or after the file.

    An empty line is an empty reference, as in sacrebleu, unless `empty_reference` overrides this.
    """
    systems, translations = named_files(mt)
    references = [os.fspath(path) for path in ref]
    paths = [*translations, *references, *([os.fspath(src)] if src is not None else [])]
    if paths.count("-") > 1:
        raise InputError("only one input can be standard input (-). Save the other inputs as files.")
    batches = _lines(paths, systems, len(references), src is not None, langpair)
    if empty_reference in ("skip", "error"):
        batches = _with_empty_references(batches, empty_reference, len(systems), references[0] if references else "")
    about = f"langpair:{langpair} systems:{systems}" + (f" empty:{empty_reference}" if empty_reference else "")
    return Inputs(regroup(batches), paths, _estimate(translations), about)


def _with_empty_references(batches: Iterator[Batch], choice: EmptyReference, many: int, path: str) -> Iterator[Batch]:
    """Yield batches of `many` systems, treating empty reference lines according to `choice`."""
    done = 0
    for batch in batches:
        n = len(batch) // many

        def where(row: int, n: int = n, done: int = done) -> str:
            return f"{path} line {done + row % n + 1}"

        done += n
        yield replace(batch, references=apply_empty_reference(batch.references or (), choice, where) or None)


@dataclass(frozen=True, slots=True)
class Known:
    """Sources and references of a known test set, for which users pass only translation files."""

    label: str
    langpair: str
    sources: Sequence[str]
    references: Sequence[Sequence[str]]
    documents: Sequence[str]
    files: Sequence[str]


def from_known(mt: Sequence[PathName] | Mapping[str, PathName], known: Known) -> Inputs:
    """Read translation files together with a test set's sources and references."""
    systems, translations = named_files(mt)
    if translations.count("-") > 1:
        raise InputError("only one input can be standard input (-). Save the other inputs as files.")
    batches = _with_known_texts(translations, systems, known)
    rows = len(known.sources) * len(systems)
    return Inputs(regroup(batches), [*translations, *known.files], rows, f"set:{known.label} systems:{systems}")


def _with_known_texts(paths: Sequence[str], systems: Sequence[str], known: Known) -> Iterator[Batch]:
    many, start, all_of_them = len(systems), 0, len(known.sources)
    for columns in read_parallel(paths, PIECE):
        n = len(columns[0])
        part = slice(start, start + n)
        start += n
        if start > all_of_them:
            break
        yield Batch(
            hypotheses=[line for column in columns for line in column],
            references=tuple(list(column[part]) * many for column in known.references),
            sources=list(known.sources[part]) * many,
            documents=list(known.documents[part]) * many if known.documents else None,
            systems=[system for system in systems for _ in range(n)],
            langpairs=[known.langpair] * (n * many),
        )
    if start != all_of_them:
        more = "more than " if start > all_of_them else ""
        lines = f"{more}{all_of_them if more else start:,} lines"
        raise InputError(f"{file_name(paths[0])} has {lines}, but {known.label} has {all_of_them:,}; they must match.")


def from_table(
    data: Any,
    columns: ColumnChoice | None = None,
    *,
    quoting: Quoting = "auto",
    langpair: str | None = None,
    metrics: Iterable[Metric] = (),
    by: str | None = None,
    empty_reference: EmptyReference | None = None,
    whole: bool = False,
) -> Inputs:
    """Read a table (a file, a polars, pandas or Arrow frame, or an iterable of rows) with one row per segment.

    The table must have the columns that `metrics` need. The column `by` determines the rows' groups. With `whole`, batches
    include every column. An empty cell is a missing reference, unless `empty_reference` overrides this.
    """
    needs: dict[str, str] = {}
    for metric in metrics:
        if metric.card.needs_reference:
            needs.setdefault("reference", metric.card.name)
        if metric.card.needs_source:
            needs.setdefault("source", metric.card.name)
    path = os.fspath(data) if isinstance(data, (str, os.PathLike)) else None
    name = "" if path is None else "stdin" if path == "-" else Path(path).name
    choice = empty_reference or "skip"
    rows = read_table(data, columns, PIECE, quoting=quoting, needs=needs, by=by, empty_reference=choice, whole=whole)

    alerts: list[str] = []

    def batches() -> Iterator[Batch]:
        for batch in rows:
            if batch.systems is None:
                batch = replace(batch, systems=[name] * len(batch))
            yield with_pair(batch, langpair, name, alerts)

    about = f"langpair:{langpair} columns:{sorted((columns or {}).items())} quoting:{quoting} empty:{choice}"
    paths = [] if path is None else shards_of(path) or [path]
    return Inputs(
        regroup(batches()), paths, _estimate(paths) if paths else None, about, alerts, rows.notes, aligned=False
    )


def with_pair(batch: Batch, langpair: str | None, name: str, alerts: list[str]) -> Batch:
    """Return the batch with a language pair for rows that have none; a contradiction is added to `alerts`."""
    if not langpair:
        return batch
    if batch.langpairs is None:
        pairs = [langpair] * len(batch)
        return replace(batch, langpairs=pairs, rows=batch.rows and batch.rows.with_column("langpair", pairs))
    others = sorted({pair for pair in batch.langpairs if pair and pair != langpair})
    if others and not alerts:
        alerts.append(
            f"{name} has a column of language pairs with {listing(others, 3)}. {langpair} (-l) is used only for rows without one."
        )
    if "" in batch.langpairs:
        return replace(batch, langpairs=[pair or langpair for pair in batch.langpairs])
    return batch


def from_columns(systems: Mapping[str, Batch]) -> Inputs:
    """Return texts in memory as inputs: one batch per system, each with the same segments."""
    (first, *_), many = systems.values(), len(systems)
    step = max(IN_MEMORY // many, 1)

    def chunks() -> Iterator[Batch]:
        for start in range(0, len(first), step):
            parts = [batch.slice(start, start + step) for batch in systems.values()]
            names = [name for name, part in zip(systems, parts, strict=True) for _ in range(len(part))]
            yield replace(concat(parts), systems=names)

    return Inputs(chunks(), rows=len(first) * many)


def named_files(mt: Sequence[PathName] | Mapping[str, PathName]) -> tuple[list[str], list[str]]:
    """Return the systems and their files from ``{"ours": "a.de"}``, ``ours=a.de`` or a file, whose name is the system's."""
    if isinstance(mt, Mapping):
        named = [(str(name), os.fspath(path)) for name, path in mt.items()]
    else:
        named = [split_name(os.fspath(path)) for path in mt]
    default = iter(system_names([path for name, path in named if not name]))
    names = [name or next(default) for name, _ in named]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two systems are named {name!r}. Give them different names: --mt NAME=FILE.")
    return names, [path for _, path in named]


def split_name(argument: str) -> tuple[str, str]:
    """Split ``NAME=FILE`` into name and file; an existing file with an equals sign in its name is not split."""
    name, equals, path = argument.partition("=")
    if not equals or os.path.exists(argument):
        return "", argument
    if not name.strip() or not path:
        raise InputError(f"--mt {argument}: write NAME=FILE, such as --mt ours=ours.de.")
    return name.strip(), path


def system_names(paths: Sequence[str]) -> list[str]:
    """Return each file's name, or its path if two files have the same name."""
    names = ["stdin" if path == "-" else Path(path).name for path in paths]
    names = [path if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--mt {name} is specified twice.")
    return names


def _lines(
    paths: Sequence[str], systems: Sequence[str], nrefs: int, with_source: bool, langpair: str | None
) -> Iterator[Batch]:
    """Read files line by line: systems, then references, then the source, if any."""
    segments: dict[str, list[str]] = {}
    if any(".sgm" in path.lower() for path in paths):
        from assay.io.table.wmt_sets import segment_lists

        segments = segment_lists(paths)

    def lines_of(path: PathName, chunk: int) -> Iterator[list[str]]:
        if (texts := segments.get(os.fspath(path))) is None:
            return read_lines(path, chunk)
        return (texts[i : i + chunk] for i in range(0, len(texts), chunk))

    many = len(systems)
    for number, columns in enumerate(read_parallel(paths, PIECE, lines_of)):
        if number == 0:
            _refuse_piped_tables(paths, columns)
        n, rest = len(columns[0]), columns[many:]
        yield Batch(
            hypotheses=columns[0] if many == 1 else [line for column in columns[:many] for line in column],
            references=tuple(column * many for column in rest[:nrefs]) or None,
            sources=rest[nrefs] * many if with_source else None,
            systems=[system for system in systems for _ in range(n)],
            langpairs=[langpair] * (n * many) if langpair else None,
        )


def _refuse_piped_tables(paths: Sequence[str], columns: Sequence[Sequence[str]]) -> None:
    """Reject a table that is piped as text; files were checked before (`assay.io.table.detection`)."""
    from assay.io.table.detection import has_header, refuse_missing_header

    for path, lines in zip(paths, columns, strict=True):
        if os.path.isfile(path):
            continue
        if lines and has_header(lines[0]):
            raise InputError(f"{file_name(path)} is a table. Specify it with --data {path}.")
        refuse_missing_header(path, lines)


def _estimate(paths: Sequence[str]) -> int | None:
    """Estimate the number of rows from the size of plain files and samples of their lines; None if impossible."""
    total, samples_per_file = 0, 16
    for path in paths:
        if path == "-" or Path(path).suffix.lower() in _BINARY:
            return None
        try:
            size, samples = os.path.getsize(path), []
            with open(path, "rb") as file:
                for number in range(samples_per_file):
                    file.seek(size * number // samples_per_file)
                    samples.append(file.read(1 << 14))
        except OSError:
            return None
        total += size * max(sum(sample.count(b"\n") for sample in samples), 1) // max(sum(map(len, samples)), 1)
    return total
