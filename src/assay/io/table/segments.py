"""Segments one by one out of a table, with further columns of their rows where somebody asks for them."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from assay.core.batch import Segment
from assay.core.errors import InputError, listing
from assay.io.table.rows import BadRows, Rows
from assay.io.table.tables import NAMES, read_table

CHUNK = 1024


def columns_of(path: str | os.PathLike[str]) -> list[str]:
    """The names of a table's columns."""
    return Rows(Path(path), BadRows()).columns


def read_segments(
    path: str | os.PathLike[str], columns: Mapping[str, str] | None = None, further: Sequence[str] = ()
) -> Iterator[Segment]:
    """The rows of a table; the values of the `further` columns are in `Segment.meta`."""
    if not further:
        for batch in read_table(path, columns, CHUNK):
            for i in range(len(batch)):
                yield batch[i]
        return
    rows = Rows(Path(path), BadRows())
    where = _roles(rows.columns, columns or {}, Path(path))
    extra = {name: rows.columns.index(name) for name in further}

    for _, row in rows:
        values = {role: _text(row[at]) for role, at in where.items()}
        reference = values.get("reference")
        yield Segment(
            hypothesis=values.get("hypothesis") or "",
            source=values.get("source"),
            references=(reference,) if reference is not None else (),
            langpair=values.get("langpair"),
            system=values.get("system"),
            document=values.get("document"),
            id=values.get("id"),
            meta={name: text for name, at in extra.items() if (text := _text(row[at])) is not None},
        )


def _text(value: object) -> str | None:
    return None if value is None else str(value)


def _roles(names: Sequence[str], chosen: Mapping[str, str], path: Path) -> dict[str, int]:
    """Which column plays which role, as `read_table` has it."""
    lowered = [name.strip().lower() for name in names]
    where = {}
    for role, options in NAMES.items():
        named = next((column for wanted, column in chosen.items() if wanted.lower() in options), None)
        hits = [named.lower()] if named else [option for option in options if option in lowered]
        if hits and hits[0] in lowered:
            where[role] = lowered.index(hits[0])
    if "hypothesis" not in where:
        raise InputError(f"{path} has no column with the translations (mt). It has {listing(map(repr, names))}.")
    return where
