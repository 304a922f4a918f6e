"""Default metrics for score and compare, depending on the available texts and the number of rows."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING

from assay.core.context import cores
from assay.core.errors import InputError, MissingPart
from assay.engine.languages import lacking
from assay.metrics import build_metrics, metric

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.metric import Metric
    from assay.engine.inputs import Inputs

MOST_ROWS = 20_000
"""Largest input for which a neural metric runs by default."""
ROWS_A_SECOND = 60
"""Approximate speed of assay-mini in segments per second and core, for estimates of time."""
LEARNED = "assay-mini"


def with_defaults(inputs: Inputs, spans: bool) -> tuple[Mapping[str, Metric], list[str]]:
    """Return chrF and BLEU if there are references, and assay-mini if it is installed and there are few rows; and notes.

    With `spans`, assay-mini is the only metric, because the others do not mark spans.
    """
    first = list(islice(inputs.chunks, 2))
    rows = max(sum(map(len, first)), (inputs.rows or 0) if len(first) > 1 else 0)
    reference = any(_has_references(batch) for batch in first)
    if first and not reference and all(batch.sources is None for batch in first):
        raise InputError("scoring requires references or sources. Add --ref FILE, --src FILE, or both.")
    inputs.chunks = _again(first, inputs.chunks)
    wanted: list[str | Metric] = [] if spans or not reference else ["chrf", "bleu"]
    learned = with_learned([], rows)
    if not learned and not wanted:
        if rows > MOST_ROWS:
            raise InputError(_time(rows))
        without_reference("marks errors" if spans else "scores without a reference")
    notes = [] if rows <= MOST_ROWS or _learned() is None else [f"{LEARNED} was left out: {_time(rows)}"]
    built, left_out = able(build_metrics([*wanted, *learned]), {p for batch in first for p in batch.langpairs or ()})
    return built, [*left_out, *notes]


def able(metrics: Mapping[str, Metric], langpairs: Iterable[str]) -> tuple[dict[str, Metric], list[str]]:
    """Return the default metrics that work for these languages, and a note on each of the others (such as BLEU for Japanese
    without MeCab)."""
    supported, notes, pairs = {}, [], list(langpairs)
    for name, candidate in metrics.items():
        if reason := next(iter(lacking(candidate, pairs).values()), ""):
            notes.append(f"{candidate.card.label} was left out: {reason}")
        else:
            supported[name] = candidate
    return supported, notes


def _has_references(batch: Batch) -> bool:
    """Whether any row has a reference."""
    return any(text is not None for column in batch.references or () for text in column)


def with_learned(names: Sequence[str], rows: int) -> list[str | Metric]:
    """Return the metrics and, if it is installed and there are few rows, assay-mini."""
    learned = _learned() if rows <= MOST_ROWS else None
    return [*names, *([] if learned is None else [learned])]


def without_reference(what: str = "scores without a reference") -> list[str | Metric]:
    """Return the default metric without references; if it is not installed, raise an error with instructions.

    `what` completes the error message that begins with the metric's name.
    """
    learned = _learned()
    if learned is None:
        raise MissingPart(
            f"{LEARNED} {what}, but is not installed: pip install 'mt-assay[mini]' (or name a metric: -m)"
        )
    return [learned]


def _again(first: list[Batch], rest: Iterator[Batch]) -> Iterator[Batch]:
    """Yield the chunks that were read ahead, then the others; free each chunk afterwards."""
    while first:
        yield first.pop(0)
    yield from rest


def _learned() -> Metric | None:
    """Return assay-mini if its weights are installed."""
    try:
        return metric(LEARNED)
    except MissingPart:
        return None


def _time(rows: int) -> str:
    minutes = rows / (ROWS_A_SECOND * cores()) / 60
    time = "a minute" if minutes < 1.5 else f"{minutes:.0f} minutes" if minutes < 90 else f"{minutes / 60:.0f} hours"
    return f"{rows:,} segments would take {LEARNED} about {time} here. Ask for it with -m {LEARNED}."
