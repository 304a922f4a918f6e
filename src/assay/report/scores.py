"""Segment scores of a run as JSON, JSON lines, TSV, Parquet or a sheet, written chunk by chunk so that memory stays flat."""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import IO, Any, Protocol

from assay.core.chunk import Chunk
from assay.report.data import inert
from assay.report.xlsx import Sheet


class Scored(Protocol):
    """What the writers need of a run."""

    @property
    def systems(self) -> list[str]:
        """Names of the systems."""

    def own_values(self, system: str, metric: str) -> Iterator[Any]:
        """Values of the segments that a metric is about, a chunk at a time."""

    def chunks(self) -> Iterator[Chunk]:
        """Every chunk, in order."""


def as_json(
    run: Scored, scores: Mapping[str, Mapping[str, Mapping[str, Any]]], write: Any, groups: Sequence[Any] = ()
) -> None:
    """``{"systems": {SYSTEM: {METRIC: {"score": x, "signature": "...", "segments": [..]}}}}``, and rows of `groups` behind."""
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
    write("}\n")


def as_jsonl(run: Scored, metrics: Iterable[str], write: Any) -> None:
    """One line a segment: ``{"system": ..., "segment": 1, "scores": {METRIC: x}}``; segments count from 1 in each system."""
    names = [json.dumps(metric) for metric in metrics]
    systems = [json.dumps(system) for system in run.systems]
    for codes, segments, columns in _rows(run, metrics):
        lines = []
        for code, segment, *values in zip(codes, segments, *columns, strict=True):
            scores = ", ".join([f"{name}: {_text(value)}" for name, value in zip(names, values, strict=True)])
            lines.append(f'{{"system": {systems[code]}, "segment": {segment}, "scores": {{{scores}}}}}\n')
        write("".join(lines))


def as_tsv(run: Scored, metrics: Iterable[str], write: Any, *, spreadsheet_safe: bool = False) -> None:
    """A heading, then one line a segment; a segment that could not be scored has an empty field."""
    metrics = list(metrics)
    write("\t".join(["system", "segment", *metrics]) + "\n")
    systems = [" ".join(system.split()) for system in run.systems]
    if spreadsheet_safe:
        systems = [inert(system) for system in systems]
    for codes, segments, columns in _rows(run, metrics):
        texts = [["" if math.isnan(value) else repr(value) for value in column] for column in columns]
        write(
            "".join(
                "\t".join([systems[code], str(segment), *values]) + "\n"
                for code, segment, *values in zip(codes, segments, *texts, strict=True)
            )
        )


def as_parquet(run: Scored, metrics: Iterable[str], stream: IO[bytes]) -> None:
    """The TSV's columns as Parquet."""
    from assay.report.frames import write_parts

    metrics = list(metrics)
    parts = (
        {
            "system": [run.systems[code] for code in codes],
            "segment": segments,
            **dict(zip(metrics, columns, strict=True)),
        }
        for codes, segments, columns in _rows(run, metrics)
    )
    write_parts(parts, "parquet", stream)


def as_sheet(run: Scored, metrics: Iterable[str]) -> Sheet:
    """The TSV's columns as a sheet, which reads the run when it is written."""
    metrics = list(metrics)
    rows = (
        (run.systems[code], segment, *values)
        for codes, segments, columns in _rows(run, metrics)
        for code, segment, *values in zip(codes, segments, *columns, strict=True)
    )
    return Sheet("segments", ["system", "segment", *metrics], rows)


def _rows(run: Scored, metrics: Iterable[str]) -> Iterator[tuple[list[int], list[int], list[list[float]]]]:
    """For every chunk: system numbers, segment numbers (from 1 in each system), and each metric's values."""
    metrics = list(metrics)
    seen: dict[int, int] = {}
    for chunk in run.chunks():
        codes = chunk.codes.tolist()
        segments = []
        for code in codes:
            seen[code] = seen.get(code, 0) + 1
            segments.append(seen[code])
        yield codes, segments, [chunk.scores[metric].values.tolist() for metric in metrics]


def _text(value: Any) -> str:
    if isinstance(value, float):
        return repr(value) if math.isfinite(value) else "null"
    return json.dumps(value)
