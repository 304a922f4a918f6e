"""Rows of score, compare and run for `assay view` (`assay.core.view_data`); all rows of a run have the same keys."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.rows import FLAGS, SCORES, SPANS, renamed_inputs, span_fields
from assay.core.spans import ErrorSpan
from assay.core.suite import Measured
from assay.core.view_data import ViewData
from assay.data.demetr import REFERENCE

if TYPE_CHECKING:
    from assay.core.chunk import Chunk, Retained
    from assay.engine.scored_run import ScoredRun

_ITEM = {
    "id": "id", "phenomenon": "phenomenon", "category": "category", "severity": "severity", "langpair": "langpair",
    "src": "source", "ref": "reference", "good": "good", "incorrect": "incorrect",
}  # fmt: skip


def view_of_items(items: Sequence[Item], measured: Sequence[Measured]) -> ViewData:
    """Return the pairs of a challenge set, with two scores per metric.

    DEMETR's baseline contains the reference instead of an incorrect translation, and a metric passes by preferring it. The
    two sides are swapped there to match the tables.
    """

    def rows() -> Iterator[Mapping[str, Any]]:
        scores = {
            f"{metric.name} {side}": values.tolist()
            for metric in measured
            for side, values in (("good", metric.good), ("incorrect", metric.incorrect))
            if values is not None
        }
        for i, item in enumerate(items):
            row = {shown: getattr(item, name) for shown, name in _ITEM.items()}
            row |= {name: values[i] for name, values in scores.items()}
            yield _exchanged(row) if item.meta.get("perturbation") == REFERENCE else row

    return ViewData("items", {metric.name: metric.card for metric in measured}, rows())


def _exchanged(row: Mapping[str, Any]) -> dict[str, Any]:
    """Swap the two sides of a row, keeping the order of keys."""
    sides = {"good": "incorrect", "incorrect": "good"}
    other = {
        name: (head + space + sides[side])
        for name in row
        for head, space, side in [name.rpartition(" ")]
        if side in sides
    }
    return {name: row[other.get(name, name)] for name in row}


def view_of_judged(judged: Judged, measured: Sequence[Measured]) -> ViewData:
    """Return the translations of a judged set, with every metric's score and the human judgements."""
    batch = judged.batch
    n = len(batch)
    columns: dict[str, Sequence[Any]] = {
        "system": batch.systems or (),
        "segment": _segments(batch.systems, n),
        "id": batch.ids or (),
        "doc": batch.documents or (),
        "langpair": batch.langpairs or (),
        "src": batch.sources or (),
        "mt": batch.hypotheses,
    }
    for number, column in enumerate(batch.references or (), 1):
        columns[f"ref{number if number > 1 else ''}"] = column
    for metric in measured:
        if metric.values is not None:
            columns[metric.name] = metric.values.tolist()
    columns |= {name: values.tolist() for name, values in judged.scores.items() if name not in columns}
    if judged.spans is not None:
        columns["spans"] = [marked({"people": spans}) for spans in judged.spans]
    kept = {name: column for name, column in columns.items() if len(column) == n}
    rows = (dict(zip(kept, row, strict=True)) for row in zip(*kept.values(), strict=True))
    return ViewData("segments", {metric.name: metric.card for metric in measured}, rows)


def view_of_run(run: ScoredRun) -> ViewData:
    """Return the translations of a run over texts, with the retained columns."""
    metrics = {name: metric.card for name, metric in run.metrics.items()}
    return ViewData("segments", metrics, _run_rows(run))


def _run_rows(run: ScoredRun) -> Iterator[Mapping[str, Any]]:
    met: dict[int, int] = {}
    for chunk in run.chunks():
        yield from chunk_rows(chunk, run.retained, met)


def chunk_rows(chunk: Chunk, keeps: Retained, met: dict[int, int]) -> Iterator[Mapping[str, Any]]:
    """Return the rows of a chunk, with role names for columns with a role. `met` counts the segments of each system so far."""
    numbered = dict(met)
    columns = chunk.rows(met).by_role()
    columns = {name: c for name, c in chunk.row_numbers(numbered).items() if name not in columns} | columns
    added: dict[str, Sequence[Any]] = {name: scores.values.tolist() for name, scores in chunk.scores.items()}
    if keeps.flags != "none":
        added[FLAGS] = chunk.flag_lists()
    if keeps.spans and (spans := chunk.span_objects()) is not None:
        added[SPANS] = spans
    renamed = renamed_inputs(columns, {*added, SCORES})
    columns = {renamed.get(name, name): column for name, column in columns.items()} | added
    for row in zip(*columns.values(), strict=True):
        yield dict(zip(columns, row, strict=True))


def _segments(systems: Sequence[str] | None, n: int) -> list[int]:
    """Return the number of each row within its system."""
    met: dict[str, int] = {}
    numbers = []
    for system in systems or [""] * n:
        met[system] = met.get(system, 0) + 1
        numbers.append(met[system])
    return numbers


def marked(spans: Mapping[str, Sequence[ErrorSpan]]) -> dict[str, list[dict[str, Any]]]:
    """Return every metric's error spans in one translation and its source."""
    return {metric: list(map(span_fields, marks)) for metric, marks in spans.items()}
