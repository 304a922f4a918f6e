"""Segment scores of a run as JSON, JSON lines, TSV, Parquet or a sheet, written chunk by chunk so that memory stays flat.

A row has its system, its number, the id and document that its table gave it, a score by every metric, its flags, and the texts
where they were kept.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from typing import IO, Any, Protocol

from assay.core.chunk import TEXTS, Chunk, Kept
from assay.core.columns import Columns
from assay.report.rows import TsvRows, cell_text
from assay.report.xlsx import Sheet

LABELS = ("id", "doc")


class Scored(Protocol):
    """What the writers need of a run."""

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""

    @property
    def kept(self) -> Kept:
        """What its chunks keep."""

    def own_values(self, system: str, metric: str) -> Iterator[Any]:
        """Values of the segments that a metric is about, a chunk at a time."""

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk, in order."""


@dataclass(frozen=True, slots=True)
class WithoutTexts:
    """A run whose rows go out without their texts, which it keeps for something else (a run directory)."""

    run: Scored

    @property
    def systems(self) -> list[str]:
        """See `Scored`."""
        return self.run.systems

    @property
    def kept(self) -> Kept:
        """See `Scored`."""
        return self.run.kept

    def own_values(self, system: str, metric: str) -> Iterator[Any]:
        """See `Scored`."""
        return self.run.own_values(system, metric)

    def chunks(self) -> Iterator[Chunk]:
        """See `Scored`."""
        for chunk in self.run.chunks():
            yield replace(chunk, columns={name: kept for name, kept in chunk.columns.items() if name not in TEXTS})


def as_json(
    run: Scored,
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    write: Any,
    groups: Sequence[Any] = (),
    flags: Mapping[str, Mapping[str, int]] | None = None,
) -> None:
    """``{"systems": {SYSTEM: {METRIC: {"score": x, "signature": "...", "segments": [..]}}}, "flags": {SYSTEM: {FLAG: n}}, "rows":
    {SYSTEM: {"id": [..], "doc": [..], "flags": {"7": [FLAG, ..]}, "src": [..] ..}}}``; ``rows`` has what there is.

    Rows of `groups` stand before them.
    """
    write('{"systems": {')
    for i, system in enumerate(run.systems):
        write((", " if i else "") + json.dumps(system) + ": {")
        for j, (metric, known) in enumerate(scores[system].items()):
            fields = "".join(
                f"{json.dumps(key)}: {_text(value)}, " for key, value in known.items() if value is not None
            )
            write(("," if j else "") + f'\n {json.dumps(metric)}: {{{fields}"segments": [')
            separator = ""
            for values in run.own_values(system, metric):
                if len(values):
                    write(separator + ", ".join(map(_text, values.tolist())))
                    separator = ", "
            write("]}")
        write("}")
    write("}")
    if groups:
        write(',\n"groups": ' + json.dumps(groups, ensure_ascii=False, allow_nan=False))
    write(f',\n"flags": {json.dumps(flags or {})},\n"rows": {{')
    for code, system in enumerate(run.systems):
        write((", " if code else "") + json.dumps(system) + ": {")
        _write_columns(run, code, write)
        write("}")
    write("}}\n")


def _write_columns(run: Scored, code: int, write: Any) -> None:
    """What is beside the scores of a system, column by column; of flags the rows that have any, by number."""
    first = next(iter(run.chunks()), None)
    for name in first.beside() if first is not None else ():
        write(f"{json.dumps(name)}: [")
        separator = ""
        for chunk in run.chunks():
            column = chunk.beside()[name]
            if mine := [_json(column[i]) for i in (chunk.codes == code).nonzero()[0].tolist()]:
                write(separator + ", ".join(mine))
                separator = ", "
        write("], ")
    flagged: dict[int, list[str]] = {}
    before = 0
    for chunk in run.chunks():
        rows = (chunk.codes == code).nonzero()[0].tolist()
        lists = chunk.flag_lists()
        flagged |= {before + k: lists[i] for k, i in enumerate(rows, 1) if lists[i]}
        before += len(rows)
    write(f'"flags": {json.dumps(flagged)}')


def as_jsonl(run: Scored, metrics: Iterable[str], write: Any) -> None:
    """One line a segment: ``{"system": .., "segment": 1, "id": .., "doc": .., "scores": {METRIC: x}, "flags": [..], "src": ..}``.

    Segments count from 1 in each system.
    """
    names = [json.dumps(metric) for metric in metrics]
    systems = [json.dumps(system) for system in run.systems]
    for codes, segments, columns, beside in _rows(run, metrics):
        n = len(codes)
        before = _members({name: beside.pop(name) for name in LABELS if name in beside}, n)
        after = _members(beside, n)
        lines = []
        for code, segment, head, tail, *values in zip(codes, segments, before, after, *columns, strict=True):
            scores = ", ".join([f"{name}: {_text(value)}" for name, value in zip(names, values, strict=True)])
            lines.append(f'{{"system": {systems[code]}, "segment": {segment}{head}, "scores": {{{scores}}}{tail}}}\n')
        write("".join(lines))


def _members(columns: Mapping[str, Sequence[Any]], n: int) -> list[str]:
    """The columns as members of each row's object."""
    rows = [""] * n
    for name, column in columns.items():
        key = f", {json.dumps(name)}: "
        empty = key + "[]"
        rows = [a + (empty if b == [] else key + _json(b)) for a, b in zip(rows, column, strict=True)]
    return rows


def as_tsv(run: Scored, metrics: Iterable[str], stream: IO[str], *, spreadsheet_safe: bool = False) -> list[str]:
    """A heading, then one line a segment; a segment that could not be scored has an empty field. What people should hear about
    the file is given back."""
    writer = None
    for columns in _tables(run, list(metrics)):
        writer = writer or TsvRows(stream, list(columns), spreadsheet_safe=spreadsheet_safe)
        writer.part(list(columns.values()))
    if writer is None:
        return []
    writer.end()
    return writer.notes


def as_parquet(run: Scored, metrics: Iterable[str], stream: IO[bytes]) -> None:
    """The TSV's columns as Parquet; flags are lists."""
    from assay.report.frames import write_parts

    write_parts(_tables(run, list(metrics)), "parquet", stream)


def as_sheet(run: Scored, metrics: Iterable[str]) -> Sheet:
    """The TSV's columns as a sheet, which reads the run when it is written."""
    tables = _tables(run, list(metrics))
    first = next(tables, {})
    rows = (
        [cell_text(name, cell) if isinstance(cell, list) else cell for name, cell in zip(first, row, strict=True)]
        for columns in chain([first], tables)
        for row in zip(*columns.values(), strict=True)
    )
    return Sheet("segments", list(first), rows)


def _tables(run: Scored, metrics: Sequence[str]) -> Iterator[Columns]:
    """The rows of every chunk as columns by name."""
    for codes, segments, columns, beside in _rows(run, metrics):
        table: dict[str, Sequence[Any]] = {"system": [run.systems[code] for code in codes], "segment": segments}
        table |= {name: beside.pop(name) for name in LABELS if name in beside}
        table |= dict(zip(metrics, columns, strict=True))
        yield table | {name: column for name, column in beside.items() if name not in table}


def _rows(
    run: Scored, metrics: Iterable[str]
) -> Iterator[tuple[list[int], list[int], list[list[float]], dict[str, Sequence[Any]]]]:
    """For every chunk: system numbers, segment numbers (from 1 in each system), each metric's values, and what is beside them: id
    and doc, the flags, texts."""
    metrics = list(metrics)
    seen: dict[int, int] = {}
    for chunk in run.chunks():
        codes = chunk.codes.tolist()
        segments = []
        for code in codes:
            seen[code] = seen.get(code, 0) + 1
            segments.append(seen[code])
        columns = chunk.beside()
        beside = {name: columns.pop(name) for name in LABELS if name in columns}
        if run.kept.flags != "none":
            beside["flags"] = chunk.flag_lists()
        yield codes, segments, [chunk.scores[metric].values.tolist() for metric in metrics], beside | columns


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)


def _text(value: Any) -> str:
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "null"
    return json.dumps(value)
