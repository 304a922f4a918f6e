"""Dataset folders that hold one table in several files, as stored by Hugging Face's ``datasets`` and its hub."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from assay.core.errors import InputError, count, listing
from assay.io.table.open_table import OpenTable, Piece

_SHARD = re.compile(
    r"(?P<split>.+?)(?:-(?P<number>[0-9]{5})-of-(?P<of>[0-9]{5})(?:-[0-9a-f]+)?)?"
    r"\.(?P<form>parquet|arrow|feather|jsonl|ndjson|csv|tsv)(?:\.(?:gz|xz|zst))?",
    re.IGNORECASE,
)
_MARKS = ("dataset_info.json", "dataset_dict.json", "dataset_infos.json", "README.md")
"""Files that identify a folder as a dataset."""
MOST_FILES = 100_000


def shards_of(path: str) -> list[str] | None:
    """Return the files of a sharded table in order; None if the path is not a sharded table.

    `path` is a dataset folder with one split, or a dataset folder followed by the name of a split: ``FOLDER/test``.
    """
    folder = Path(path)
    if folder.is_dir():
        splits = _splits(folder)
        if len(splits) == 1:
            return _complete(path, next(iter(splits.values())))
        inner = [name.name for name in sorted(folder.iterdir()) if name.is_dir() and _splits(name)]
        if names := list(splits) or inner:
            tested = next((name for name in names if "test" in name), names[-1])
            raise InputError(
                f"{path} contains several tables: {listing(names)}. Specify one, such as {folder / tested}."
            )
        return None
    if path != "-" and not folder.exists() and folder.parent.is_dir():
        files = _splits(folder.parent).get(folder.name)
        return _complete(path, files) if files else None
    return None


def _splits(folder: Path) -> dict[str, list[str]]:
    """Return the files in a dataset folder by split. Such a folder contains a marker file or numbered shards."""
    splits: dict[str, list[str]] = {}
    marked = any((folder / name).is_file() for name in _MARKS)
    for inner in (folder, folder / "data"):
        names = sorted(os.listdir(inner))[:MOST_FILES] if inner.is_dir() else []
        for name in names:
            shard = _SHARD.fullmatch(name)
            if shard and not name.startswith((".", "cache-")) and (marked or "-of-" in name):
                splits.setdefault(shard["split"], []).append(str(inner / name))
    for split, files in splits.items():
        if len({_SHARD.fullmatch(Path(file).name)["form"].lower() for file in files}) > 1:  # type: ignore[index]
            raise InputError(f"{folder} has {split!r} in several formats ({listing(files, 4)}). Specify one file.")
    return splits


def _complete(path: str, files: Sequence[str]) -> list[str]:
    """Return the files of a split after checking that every numbered shard exists exactly once."""
    shards = [_SHARD.fullmatch(Path(file).name) for file in files]
    numbers = [(int(shard["of"] or 0), int(shard["number"] or 0)) for shard in shards if shard]
    if len({of for of, _ in numbers}) > 1 or len(set(numbers)) < len(numbers):
        raise InputError(f"{path} contains the same rows more than once ({listing(files, 4)}). Remove the duplicates.")
    of = numbers[0][0]
    if missing := sorted(set(range(of)) - {number for _, number in numbers}):
        names = [f"{number:05}-of-{of:05}" for number in missing]
        raise InputError(
            f"{path} lacks {count(len(missing), 'shard')} of {of:,}: {listing(names, 4)}. Download it again."
        )
    return list(files)


class ShardedTable(OpenTable):
    """Table in several files, read one after the other."""

    def __init__(self, path: str, files: Sequence[str], opener: Callable[[str], OpenTable]) -> None:
        self.name, self._files, self._open = path, list(files), opener
        self._inner: dict[str, Sequence[str]] = {}
        self._current = opener(self._files[0])
        self.names = list(self._current.names)

    @property
    def notes(self) -> list[str]:
        return self._current.notes

    def look_inside(self, column: str, keys: Sequence[str] = ()) -> None:
        self._inner[column] = keys
        self.names.append(column)
        self._current.look_inside(column, keys)

    def pieces(self, wanted: Sequence[int], chunk: int) -> Iterator[Piece]:
        """Yield the columns at the `wanted` positions; rows are numbered across all files."""
        done = 0
        for at, file in enumerate(self._files):
            if at:
                self._current.close()
                self._current = self._open(file)
                for column, keys in self._inner.items():
                    self._current.look_inside(column, keys)
            places = self._places(wanted, file)
            for piece in self._current.pieces(places, chunk):
                yield Piece(piece.columns, range(done + 1, done + len(piece.numbers) + 1), "row")
                done += len(piece.numbers)

    def _places(self, wanted: Sequence[int], file: str) -> list[int]:
        names = self._current.names
        for index in wanted:
            if names and self.names[index] not in names:
                raise InputError(
                    f"{file} has no column {self.names[index]!r}, unlike {self._files[0]}. All shards must have the same columns."
                )
        return [names.index(self.names[index]) for index in wanted] if names else []

    def close(self) -> None:
        self._current.close()
