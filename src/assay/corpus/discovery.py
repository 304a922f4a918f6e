"""From what the user names to shards: folders, patterns, files, places in an object store; tables, or parallel text."""

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
"""Endings of tables in many files, a .gz, .xz or .zst set aside."""
_PATTERN = re.compile(r"[*?\[]")
Paths = str | os.PathLike[str] | Sequence[str | os.PathLike[str]]


def is_corpus(path: str) -> bool:
    """Whether a path names several files: a folder, a pattern, or a place in an object store."""
    return is_remote(path) or os.path.isdir(path) or (_PATTERN.search(path) is not None and not os.path.exists(path))


def table_shards(data: Paths) -> tuple[list[Shard], list[str]]:
    """The shards of a corpus of tables, by name; and what was left out, in sentences."""
    shards: dict[str, Shard] = {}
    others: list[str] = []
    for name, source in _found(_listed(data)):
        form = form_of(name)
        if form is None:
            others.append(source.path)
        elif name in shards:
            raise InputError(
                f"{source.path} and {shards[name].title} would both be written as {name}: score them apart, or give "
                "their common folder."
            )
        else:
            shards[name] = Shard(name, form, (source,))
    where = listing(_listed(data), 3)
    if not shards and others:
        raise InputError(
            f"{where} holds no tables ({listing(others, 3)}): shards end in {', '.join(FORMS)} (.gz, .xz and .zst too). Parallel "
            "text goes with --mt, --src and --ref."
        )
    if not shards:
        raise InputError(f"{where} holds no shards: nothing to do. Check the folder or the pattern.")
    said = [f"{count(len(others), 'file')} left out that are no tables: {listing(others, 3)}"] if others else []
    said += [
        f"{path} is not whole: the run that writes it is under way, or was stopped and goes on when its command is given again."
        for path in _listed(data)
        if os.path.isfile(os.path.join(path, WORK, "job.json"))
    ]
    return [shards[name] for name in sorted(shards)], said


def as_item_shards(shards: Sequence[Shard]) -> list[Shard]:
    """Shards under the names that their items go by: JSON lines, compressed where the shard is."""
    made: dict[str, Shard] = {}
    for shard in shards:
        inner, packed = _key(shard.name), shard.name[len(_key(shard.name)) :]
        name = shard.name if inner.endswith(".jsonl") else f"{inner}.jsonl{packed}"
        if name in made:
            raise InputError(
                f"{shard.title} and {made[name].title} would both be written as {name}: rename one of them."
            )
        made[name] = replace(shard, name=name)
    return [made[name] for name in sorted(made)]


def text_shards(mt: Paths, src: Paths | None, refs: Sequence[Paths]) -> list[Shard]:
    """Shards of parallel text: files of translations with the sources and references of the same names.

    Files go together that have the same name in different folders, or, where the names differ in their last ending (``a.en``,
    ``a.de``), the same name without it.
    """
    columns = ["mt", *(["src"] if src else []), *(f"ref{i if i > 1 else ''}" for i in range(1, len(refs) + 1))]
    sides = [
        dict(_unique(_found(_listed(side)), f"--{column[:3]}"))
        for column, side in zip(columns, [mt, *([src] if src else []), *refs], strict=True)
    ]
    if not sides[0]:
        raise InputError(f"{listing(_listed(mt), 3)} holds no files: nothing to do. Check the folder or the pattern.")
    by_key = [{_key(name): source for name, source in side.items()} for side in sides]
    if any(by.keys() != by_key[0].keys() for by in by_key[1:]):
        by_key = [_by_stem(side, column) for side, column in zip(sides, columns, strict=True)]
    for column, by in zip(columns[1:], by_key[1:], strict=True):
        if lonely := sorted(by_key[0].keys() ^ by.keys()):
            here, there = (by_key[0], column) if lonely[0] in by_key[0] else (by, "mt")
            raise InputError(
                f"{here[lonely[0]].path} has no partner in --{there[:3]}: every file of translations needs a file of the same name "
                f"there, up to its last ending ({count(len(lonely), 'file')} without)."
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
            raise InputError(f"{option}: {seen[name]} and {source.path} have the same name. Give their common folder.")
        seen[name] = source.path
        yield name, source


def _by_stem(side: dict[str, Source], column: str) -> dict[str, Source]:
    found: dict[str, Source] = {}
    for name, source in side.items():
        if _stem(name) in found:
            raise InputError(
                f"--{column[:3]}: {found[_stem(name)].path} and {source.path} differ in their last ending alone: nobody can "
                "tell which is meant. Give a pattern for one of them."
            )
        found[_stem(name)] = source
    return found


def _key(name: str) -> str:
    """The name without the ending of a compression."""
    path = PurePosixPath(name)
    return str(path.with_suffix("")) if path.suffix.lower() in SUFFIXES else name


def _stem(name: str) -> str:
    return str(PurePosixPath(_key(name)).with_suffix(""))


def form_of(name: str) -> str | None:
    """The form of table that a name says."""
    return FORMS.get(PurePosixPath(_key(name)).suffix.lower())


def searched_folders(several: Sequence[Paths]) -> list[str]:
    """The folders of this machine in which shards are looked for at any depth."""
    paths = [path for one in several for path in _listed(one) if not is_remote(path)]
    return [path if os.path.isdir(path) else _root(path) for path in paths if os.path.isdir(path) or "**" in path]


def _listed(paths: Paths) -> list[str]:
    several = [paths] if isinstance(paths, (str, os.PathLike)) else paths
    return [os.fspath(path) for path in several]


def _found(paths: Sequence[str]) -> list[tuple[str, Source]]:
    """Every file with the name that its shard gets: its path below the folder, or below the part of a pattern without stars."""
    found: list[tuple[str, Source]] = []
    for path in paths:
        if is_remote(path):
            from assay.io.files.remote import list_objects

            found += [(name, Source(*known)) for name, known in list_objects(path)]
        elif os.path.isdir(path):
            found += _below(path)
        elif os.path.exists(path):
            found.append((os.path.basename(path), _source(path)))
        elif _PATTERN.search(path):
            root = _root(path)
            hits = [hit for hit in sorted(glob.glob(path, recursive=True)) if os.path.isfile(hit)]
            if not hits:
                raise InputError(f"no file is called like {path}. Check the folder and the pattern.")
            found += [(Path(hit).relative_to(root).as_posix(), _source(hit)) for hit in hits]
        else:
            raise InputError(f"{path} does not exist. Check the name and the folder you are in.")
    return [(name, source) for name, source in found if not _hidden(name)]


def _hidden(name: str) -> bool:
    return any(part.startswith((".", "_")) for part in PurePosixPath(name).parts)


def _root(pattern: str) -> str:
    """The folder before the first star of a pattern."""
    fixed = pattern[: _PATTERN.search(pattern).start()]  # type: ignore[union-attr]
    return os.path.dirname(fixed) or "."


def _below(folder: str) -> list[tuple[str, Source]]:
    found = []
    for root, folders, files in os.walk(folder):
        folders[:] = sorted(name for name in folders if not _hidden(name))
        for name in sorted(files):
            path = os.path.join(root, name)
            found.append((Path(path).relative_to(folder).as_posix(), _source(path)))
    return found


def _source(path: str) -> Source:
    try:
        known = os.stat(path)
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    if not stat.S_ISREG(known.st_mode):
        raise InputError(
            f"{path} is a pipe or a device: a shard is a file. Remove it, or name the shards by a pattern."
        )
    return Source(path, known.st_size, str(known.st_mtime_ns))
