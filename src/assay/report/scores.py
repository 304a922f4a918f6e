"""Writers for a run's segment scores: rows as columns, chunk by chunk, or everything as one JSON document."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Protocol

from assay.core.chunk import LABELS, OUTWARD, Chunk, Retained
from assay.core.columns import Columns, plain
from assay.core.rows import FLAGS, SCORES, SPANS, renamed_inputs, renaming_notes
from assay.report.rows import json_cells


class Scored(Protocol):
    """Interface of a run for the writers."""

    @property
    def systems(self) -> list[str]: ...

    @property
    def retained(self) -> Retained: ...

    def own_values(self, system: str, metric: str) -> Iterator[Any]:
        """Yield the values of the segments that a metric covers, one chunk at a time."""

    def chunks(self) -> Iterator[Chunk]: ...


def as_json(
    run: Scored,
    scores: Mapping[str, Mapping[str, Mapping[str, Any]]],
    write: Any,
    groups: Sequence[Any] = (),
    flags: Mapping[str, Mapping[str, int]] | None = None,
    *,
    texts: bool = True,
) -> None:
    """Write a run as one JSON document.

    ``{"systems": {SYSTEM: {METRIC: {"score": x, "signature": "...", "segments": [..]}}}, "flags": {SYSTEM: {FLAG: n}},
    "rows": {SYSTEM: {"id": [..], "doc": [..], "flags": {"7": [FLAG, ..]}, "src": [..] ..}}}``; ``rows`` has the retained
    columns. The rows of `groups` precede them. Without `texts`, the texts are left out.
    """
    write('{"systems": {')
    for i, system in enumerate(run.systems):
        write((", " if i else "") + json.dumps(system) + ": {")
        for j, (metric, facts) in enumerate(scores[system].items()):
            fields = "".join(
                f"{json.dumps(key)}: {json.dumps(plain(value))}, " for key, value in facts.items() if value is not None
            )
            write(("," if j else "") + f'\n {json.dumps(metric)}: {{{fields}"segments": [')
            separator = ""
            for values in run.own_values(system, metric):
                if len(values):
                    write(separator + ", ".join(json_cells(values)))
                    separator = ", "
            write("]}")
        write("}")
    write("}")
    if groups:
        write(',\n"groups": ' + json.dumps(groups, ensure_ascii=False, allow_nan=False))
    write(f',\n"flags": {json.dumps(flags or {})},\n"rows": {{')
    for code, system in enumerate(run.systems):
        write((", " if code else "") + json.dumps(system) + ": {")
        _write_columns(run, code, write, texts)
        write("}")
    write("}}\n")


def _write_columns(run: Scored, code: int, write: Any, texts: bool) -> None:
    """Write the other columns of a system's rows, and all flags by row number."""

    def columns(chunk: Chunk) -> Mapping[str, Sequence[Any]]:
        if texts:
            return chunk.outward()
        return {OUTWARD[name]: chunk.columns[name] for name in LABELS if len(chunk.columns.get(name) or ())}

    first = next(iter(run.chunks()), None)
    for name in columns(first) if first is not None else ():
        write(f"{json.dumps(name)}: [")
        separator = ""
        for chunk in run.chunks():
            column = columns(chunk)[name]
            if own := [column[i] for i in (chunk.codes == code).nonzero()[0].tolist()]:
                write(separator + ", ".join(json_cells(own)))
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


class RowStream:
    """Rows of a run as columns by name, one chunk at a time: columns of the input, scores, flags and error spans."""

    def __init__(self, run: Scored, metrics: Iterable[str], *, spans: bool = False) -> None:
        self._run, self.scores, self._spans = run, list(metrics), spans
        self.notes: list[str] = []
        """Notes about the columns, known after the first chunk."""

    def __iter__(self) -> Iterator[Columns]:
        met: dict[int, int] = {}
        for chunk in self._run.chunks():
            added: dict[str, Sequence[Any]] = {name: chunk.scores[name].values.tolist() for name in self.scores}
            if self._run.retained.flags != "none":
                added[FLAGS] = chunk.flag_lists()
            if self._spans and (marked := chunk.span_objects()) is not None:
                added[SPANS] = marked
            yield add_columns(chunk.rows(met).columns, added, self.notes, nested=True)


def add_columns(columns: Columns, added: Columns, notes: list[str], *, nested: bool) -> dict[str, Any]:
    """Return the input columns and the added ones; rename conflicting input columns and report this in `notes`.

    With `nested`, JSON keeps some of them in an object ``scores``, so this name is reserved too.
    """
    renamed = renamed_inputs(columns, {*added, *((SCORES,) if nested else ())})
    notes[:] = renaming_notes(renamed)
    return {renamed.get(name, name): column for name, column in columns.items()} | dict(added)
