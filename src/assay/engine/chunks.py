"""Chunks: a stream of batches regrouped to a bounded size, and what was scored of one as arrays for the spool.

Memory depends on neither lines nor their length.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from assay.core.batch import Batch
from assay.core.chunk import Chunk
from assay.core.metric import Scores
from assay.core.rows import InputRows, joined_rows
from assay.core.spans import ErrorSpan

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Arrays = Mapping[str, NDArray[Any]]

ROWS, CHARACTERS = 20_000, 16_000_000
"""Rows, and characters, from which on a chunk is scored and kept in the spool; what a kill costs is one chunk."""


def regroup(batches: Iterable[Batch], rows: int = ROWS, characters: int = CHARACTERS) -> Iterator[Batch]:
    """Consecutive batches joined until a chunk has `rows` rows or `characters` characters; the data alone decide."""
    waiting: list[Batch] = []
    n = size = 0
    for batch in batches:
        waiting.append(batch)
        n += len(batch)
        size += sum(map(len, batch.hypotheses))
        size += sum(len(text) for column in batch.references or () for text in column if text is not None)
        if n >= rows or size >= characters:
            yield concat(waiting)
            waiting, n, size = [], 0, 0
    if waiting:
        yield concat(waiting)


def concat(batches: list[Batch]) -> Batch:
    """One batch out of consecutive ones that have the same columns."""
    if len(batches) == 1:
        return batches[0]
    joined: dict[str, Any] = {}
    for field in fields(Batch):
        columns = [getattr(batch, field.name) for batch in batches]
        if columns[0] is None:
            continue
        if field.name == "references":
            joined[field.name] = tuple(_flat(parts) for parts in zip(*columns, strict=True))
        elif isinstance(columns[0], InputRows):
            joined[field.name] = joined_rows(columns)
        else:
            joined[field.name] = _flat(columns)
    return Batch(**joined)


def _flat(columns: Iterable[Any]) -> list[Any]:
    flat: list[Any] = []
    for column in columns:
        flat.extend(column)
    return flat


def to_arrays(chunk: Chunk) -> dict[str, NDArray[Any]]:
    """A chunk as named arrays; a name is a JSON list that says what the array is."""
    arrays: dict[str, NDArray[Any]] = {}

    def put(array: Any, *name: object) -> None:
        arrays[json.dumps(name)] = np.asarray(array)

    put(_text([list(chunk.systems), dict(chunk.columns), list(chunk.languages)]), "about")
    put(chunk.codes, "codes")
    if chunk.spoken is not None:
        put(chunk.spoken, "spoken")
    for flag, rows in chunk.raised.items():
        put(rows, "raised", flag)
    for metric, scores in chunk.scores.items():
        put(scores.values, "values", metric)
        if scores.stats is not None:
            put(scores.stats, "stats", metric)
        if scores.spans is not None:
            put(_text([[span.fields() for span in row] for row in scores.spans]), "spans", metric)
        for part, column in scores.components.items():
            put(column, "component", metric, part)
        for flag, raised in scores.flags.items():
            put(raised, "flag", metric, flag)
        for place, parts in chunk.sums[metric].items():
            put(parts, "sum", metric, place)
    return arrays


def from_arrays(arrays: Arrays) -> Chunk:
    """The chunk that `to_arrays` made these from."""
    by_kind: dict[str, dict[str, dict[Any, NDArray[Any]]]] = {}
    for name, array in arrays.items():
        kind, metric, part = (*json.loads(name), "", "")[:3]
        by_kind.setdefault(kind, {}).setdefault(metric, {})[tuple(part) if kind == "sum" else part] = array

    def of(kind: str, metric: str) -> dict[Any, NDArray[Any]]:
        return by_kind.get(kind, {}).get(metric, {})

    systems, columns, languages = json.loads(of("about", "")[""].tobytes())
    scores = {}
    for metric, values in by_kind.get("values", {}).items():
        spans = of("spans", metric).get("")
        scores[metric] = Scores(
            values[""],
            of("stats", metric).get(""),
            of("component", metric),
            None if spans is None else [tuple(ErrorSpan(*f) for f in row) for row in json.loads(spans.tobytes())],
            of("flag", metric),
        )
    sums = {metric: of("sum", metric) for metric in scores}
    raised = {flag: column[""] for flag, column in by_kind.get("raised", {}).items()}
    spoken = of("spoken", "").get("")
    return Chunk(systems, of("codes", "")[""], scores, sums, raised, columns, languages, spoken)


def _text(value: object) -> NDArray[np.uint8]:
    """A document as bytes; lone surrogates are escaped, as JSON does by itself."""
    return np.frombuffer(json.dumps(value, separators=(",", ":")).encode(), np.uint8)
