"""Every reader of files, each with a small valid file to start from."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars

Read = Callable[[Path], object]


@dataclass(frozen=True)
class Target:
    """A reader: how its file is called, a valid one, and what reads it. Files `beside` it stay whole."""

    name: str
    file: str
    seed: bytes
    read: Read
    beside: tuple[tuple[str, bytes], ...] = ()
    kind: str = ""
    """How its content may be taken apart, as an ending; by default the file's own."""
    weight: float = 1.0
    """How often it is drawn, beside others: the slow ones less."""

    @property
    def suffix(self) -> str:
        """The ending that says how a file is mutated."""
        return self.kind or Path(self.file).suffix


def drain(rows: Iterable[object]) -> None:
    """Read to the end."""
    for _ in rows:
        pass


TEXTS = [
    ["id", "src", "mt", "ref", "lp", "system"],
    ["1", "Der Hund.", 'The "dog".', "A dog.", "de-en", "A"],
    ["2", "Es regnet, 2.", "It rains, 2.", "It is raining.", "de-en", "A"],
    ["3", '"Ja."', '"Yes."', "Yes.", "de-en", "B"],
]
PAIRS = [
    ["source", "good-translation", "incorrect-translation", "reference", "phenomena", "langpair"],
    ["Der Hund.", "The dog.", "The cat.", "A dog.", "addition", "de-en"],
    ["Es regnet.", "It rains.", "It snows.", "It is raining.", "omission", "de-en"],
]


def tsv(rows: Sequence[Sequence[Any]]) -> bytes:
    """Rows as TSV."""
    return "".join("\t".join(map(str, row)) + "\n" for row in rows).encode()


def comma(rows: Sequence[Sequence[Any]]) -> bytes:
    """Rows as CSV."""
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    return out.getvalue().encode()


def jsonl(rows: Iterable[Any]) -> bytes:
    """Objects as JSON lines."""
    return "".join(json.dumps(row) + "\n" for row in rows).encode()


def keyed(rows: Sequence[Sequence[Any]]) -> list[dict[str, Any]]:
    """Rows under a header as objects."""
    return [dict(zip(rows[0], row, strict=True)) for row in rows[1:]]


def parquet(columns: dict[str, Any], **options: Any) -> bytes:
    """Columns as Parquet."""
    out = io.BytesIO()
    polars.DataFrame(columns).write_parquet(out, **options)
    return out.getvalue()


def columns(rows: Sequence[Sequence[Any]]) -> dict[str, list[Any]]:
    """Rows under a header as columns."""
    return {str(name): [row[i] for row in rows[1:]] for i, name in enumerate(rows[0])}
