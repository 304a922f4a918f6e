"""Shard discovery in folders, patterns, files and object stores, for tables and parallel text."""

from __future__ import annotations

import glob
import os
import re
import stat
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path, PurePosixPath

from assay.core.errors import InputError, count, listing
from assay.corpus.job import WORK, Shard, Source
from assay.io.files.compression import SUFFIXES
from assay.io.files.folders import is_remote

FORMS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".tsv": "tsv", ".csv": "csv", ".parquet": "parquet"}
"""Format by suffix, without a suffix of compression (.gz, .xz, .zst)."""
_PATTERN = re.compile(r"[*?\[]")
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def is_corpus(path: str) -> bool:
    """Whether a path names several files: a folder, a pattern, or a location in an object store."""
    return is_remote(path) or os.path.isdir(path) or (_PATTERN.search(path) is not None and not os.path.exists(path))


def table_shards(data: Paths) -> tuple[list[Shard], list[str]]:
    """Return the shards in a corpus of tables by name, and notes on files that were left out."""
    shards: dict[str, Shard] = {}
    others: list[str] = []
    for name, source in _found(_listed(data)):
        form = form_of(name)
        if form is None:
            others.append(source.path)
        elif name in shards:
            raise InputError(
                f"{source.path} and {shards[name].title} would both be written as {name}. Score them separately, or "
                "specify their common folder."
            )
        else:
            shards[name] = Shard(name, form, (source,))
    where = listing(_listed(data), 3)
    if not shards and others:
        raise InputError(
            f"{where} contains no tables ({listing(others, 3)}). Supported suffixes are {', '.join(FORMS)} (also with .gz, .xz or "
            ".zst). For parallel text, use --mt, --src and --ref."
        )
    if not shards:
        raise InputError(f"{where} contains no shards. Check the folder or the pattern.")
    notes = [f"left out {count(len(others), 'file')} without a table: {listing(others, 3)}"] if others else []
    notes += [
        f"{path} is incomplete: the run that writes it is in progress, or was stopped. The same command resumes it."
        for path in _listed(data)
        if os.path.isfile(os.path.join(path, WORK, "job.json"))
    ]
    return [shards[name] for name in sorted(shards)], notes


def as_item_shards(shards: Sequence[Shard]) -> list[Shard]:
    """Rename shards to the names of their item files: JSON Lines, compressed if the shard is."""
    renamed: dict[str, Shard] = {}
    for shard in shards:
        inner, packed = _key(shard.name), shard.name[len(_key(shard.name)) :]
        name = shard.name if inner.endswith(".jsonl") else f"{inner}.jsonl{packed}"
        if name in renamed:
            raise InputError(
                f"{shard.title} and {renamed[name].title} would both be written as {name}. Rename one of them."
            )
        renamed[name] = replace(shard, name=name)
    return [renamed[name] for name in sorted(renamed)]


def text_shards(mt: Paths, src: Paths | None, refs: Sequence[Paths]) -> list[Shard]:
    """Return the parallel-text shards: translation files, and source and reference files with the same names.

    Files are matched by name. If the names differ in their last suffix (``a.en``, ``a.de``), they are matched without it.
    """
    columns = ["mt", *(["src"] if src else []), *(f"ref{i if i > 1 else ''}" for i in range(1, len(refs) + 1))]
    sides = [
        dict(_unique(_found(_listed(side)), f"--{column[:3]}"))
        for column, side in zip(columns, [mt, *([src] if src else []), *refs], strict=True)
    ]
    if not sides[0]:
        raise InputError(f"{listing(_listed(mt), 3)} matches no files. Check the folder or the pattern.")
    by_key = [{_key(name): source for name, source in side.items()} for side in sides]
    if any(by.keys() != by_key[0].keys() for by in by_key[1:]):
        by_key = [_by_stem(side, column) for side, column in zip(sides, columns, strict=True)]
    for column, by in zip(columns[1:], by_key[1:], strict=True):
        if lonely := sorted(by_key[0].keys() ^ by.keys()):
            here, there = (by_key[0], column) if lonely[0] in by_key[0] else (by, "mt")
            raise InputError(
                f"{here[lonely[0]].path} has no matching file in --{there[:3]} ({count(len(lonely), 'file')} without). Every file "
                "must have a counterpart with the same name; only the last suffix may differ."
            )
    named = {key: name for name, key in ((name, _key(name)) for name in sides[0])}
    stems = {_stem(name): name for name in sides[0]}
    shards = []
    for key in sorted(by_key[0]):
        name = _key(named.get(key) or stems[key])
        packed = Path(by_key[0][key].path).suffix.lower()
        files = tuple(by[key] for by in by_key)
        shards.append(Shard(f"{name}.tsv{packed if packed in SUFFIXES else ''}", "text", files, tuple(columns)))
    return shards


def _unique(found: Iterable[tuple[str, Source]], option: str) -> Iterable[tuple[str, Source]]:
    seen: dict[str, str] = {}
    for name, source in found:
        if name in seen:
            raise InputError(
                f"{option}: {seen[name]} and {source.path} have the same name. Specify their common folder."
            )
        seen[name] = source.path
        yield name, source


def _by_stem(side: dict[str, Source], column: str) -> dict[str, Source]:
    sources: dict[str, Source] = {}
    for name, source in side.items():
        if _stem(name) in sources:
            raise InputError(
                f"--{column[:3]}: {sources[_stem(name)].path} and {source.path} differ only in their last suffix. Use a "
                "pattern that matches only one of them."
            )
        sources[_stem(name)] = source
    return sources


def _key(name: str) -> str:
    """Return the name without a compression suffix."""
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in SUFFIXES else name


def _stem(name: str) -> str:
    return str(PurePosixPath(_key(name)).with_suffix(""))


def form_of(name: str) -> str | None:
    """Return the table format that a file's suffix indicates; None for other files."""
    return FORMS.get(PurePosixPath(_key(name)).suffix.lower())


def searched_folders(several: Sequence[Paths]) -> list[str]:
    """Return the local folders that are searched recursively."""
    paths = [path for one in several for path in _listed(one) if not is_remote(path)]
    return [path if os.path.isdir(path) else _root(path) for path in paths if os.path.isdir(path) or "**" in path]


def _listed(paths: Paths) -> list[str]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return [os.fspath(path) for path in several]


def _found(paths: Sequence[str]) -> list[tuple[str, Source]]:
    """Return every file with its shard name: the path relative to the folder, or to the fixed part of a pattern."""
    files: list[tuple[str, Source]] = []
    for path in paths:
        if is_remote(path):
            from assay.io.files.remote import list_objects

            files += [(name, Source(*details)) for name, details in list_objects(path)]
        elif os.path.isdir(path):
            files += _below(path)
        elif os.path.exists(path):
            files.append((os.path.basename(path), _source(path)))
        elif _PATTERN.search(path):
            root = _root(path)
            hits = [hit for hit in sorted(glob.glob(path, recursive=True)) if os.path.isfile(hit)]
            if not hits:
                raise InputError(f"no file matches {path}. Check the folder and the pattern.")
            files += [(Path(hit).relative_to(root).as_posix(), _source(hit)) for hit in hits]
        else:
            raise InputError(f"{path} does not exist. Check the path and the working directory.")
    return [(name, source) for name, source in files if not _hidden(name)]


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in PurePosixPath(name).parts)


def _root(pattern: str) -> str:
    """Return the folder before the first wildcard of a pattern."""
    fixed = pattern[: _PATTERN.search(pattern).start()]  # type: ignore[union-attr]
    return os.path.dirname(fixed) or "."


def _below(folder: str) -> list[tuple[str, Source]]:
    sources = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _hidden(name))
        for name in sorted(files):
            path = os.path.join(root, name)
            sources.append((Path(path).relative_to(folder).as_posix(), _source(path)))
    return sources


def _source(path: str) -> Source:
    try:
        status = os.stat(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError(
            f"{path} is a pipe or a device, but shards must be files. Remove it, or select the shards with a pattern."
        )
    return Source(path, status.st_size, str(status.st_mtime_ns))
