"""Which metrics score and compare take where none is named: what the texts allow, and what does not take long."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain, islice
from typing import TYPE_CHECKING

from assay.core.errors import InputError, MissingPart
from assay.verbs.request import TextRequest

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.metric import Metric
    from assay.engine.inputs import Inputs

MOST_ROWS = 20_000
"""Rows up to which a network is asked unasked."""
ROWS_A_SECOND = 60
"""Segments a second and core that assay-mini scores, roughly: what a note about time rests on."""
LEARNED = "assay-mini"


def with_defaults(inputs: Inputs, spans: bool) -> TextRequest:
    """chrF and BLEU where there is a reference; assay-mini where it is installed and the rows are few.

    With `spans`, assay-mini alone: the others mark none.
    """
    first = list(islice(inputs.chunks, 2))
    inputs.chunks = _again(first, inputs.chunks)
    reference = any(batch.references for batch in first)
    source = any(batch.sources is not None for batch in first)
    learned = _learned()
    if first and not reference and not source:
        raise InputError("there is nothing to hold the translations against: give --ref FILE, --src FILE, or both.")
    if learned is None and (spans or not reference):
        what = "marks errors" if spans else "scores without a reference"
        raise MissingPart(
            f"{LEARNED} {what}, and is not installed: pip install 'mt-assay[mini]' (or name a metric: -m)"
        )
    rows = max(inputs.rows or 0, sum(map(len, first))) if len(first) > 1 else sum(map(len, first))
    few = rows <= MOST_ROWS
    names = [] if spans or not reference else ["chrf", "bleu"]
    if learned is not None and (few or not names):
        names.append(LEARNED)
    from assay.metrics import metric

    metrics = {name: learned if name == LEARNED and learned is not None else metric(name) for name in names}
    notes = [] if few or learned is None or LEARNED in names else [_left_out(rows)]
    return TextRequest(inputs, metrics, notes)


def _again(first: list[Batch], rest: Iterator[Batch]) -> Iterator[Batch]:
    """The chunks that were looked at, then the others; a chunk is let go when it has been given."""
    while first:
        yield first.pop(0)
    yield from chain(rest)


def _learned() -> Metric | None:
    """assay-mini, where its weights are installed."""
    from assay.metrics import metric

    try:
        return metric(LEARNED)
    except MissingPart:
        return None


def _left_out(rows: int) -> str:
    from assay.core.workers import cores

    minutes = rows / (ROWS_A_SECOND * cores()) / 60
    time = f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.1f} hours"
    return f"{LEARNED} was left out: about {rows:,} segments would take some {time} here. Ask for it with -m {LEARNED}."
