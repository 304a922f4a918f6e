"""``assay score --spans``: translations with the errors that a metric found in them."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.report.spans import SpanRow

FORMATS = ("table", "json", "jsonl", "html")


def run(args: argparse.Namespace) -> int:
    """Score, and show every segment with its spans as soon as it is known."""
    from assay.api import scoring as api
    from assay.cli.output import note, write_pieces
    from assay.report import spans, terminal

    if args.format not in FORMATS:
        raise InputError(f"--spans goes with --format {', '.join(FORMATS)}, not {args.format}.")
    metrics = api.build_metrics(args.metrics or ())
    seen = _Seen()
    rows = seen.count(_rows(args, metrics, seen))

    def signatures() -> dict[str, str]:
        return {name: api.signature(metric, seen.nrefs) for name, metric in metrics.items()}

    if args.format == "table":
        colour = not args.out and terminal.wants_colour()
        pieces: Iterator[str] = (spans.as_terminal(row, colour=colour) for row in rows)
    elif args.format == "jsonl":
        pieces = spans.as_jsonl(rows)
    else:
        pieces = (spans.as_json if args.format == "json" else spans.as_html)(rows, signatures)
    write_pieces(pieces, args.out)
    if seen.cut:
        what = "scored in parts" if all(getattr(m, "long", "") == "window" for m in metrics.values()) else "cut off"
        how = "" if what == "scored in parts" else " (METRIC:long=window scores them in parts)"
        note(
            f"⚠ {seen.cut:,} of {seen.rows:,} segments were longer than the model reads and were {what}{how}",
            args.quiet,
        )
    for metric in metrics.values():
        for notice in metric.notices:
            note(f"⚠ {notice}", args.quiet)
    return 0


@dataclass
class _Seen:
    """What is known when all rows are through; the rows themselves are not kept."""

    rows: int = 0
    cut: int = 0
    nrefs: int = 0

    def count(self, rows: Iterator[SpanRow]) -> Iterator[SpanRow]:
        for row in rows:
            self.rows, self.cut = self.rows + 1, self.cut + row.truncated
            yield row


def _rows(args: argparse.Namespace, metrics: Mapping[str, Metric], seen: _Seen) -> Iterator[SpanRow]:
    """Every segment of every metric that marks spans, chunk by chunk."""
    from assay.api import scoring as api
    from assay.cli.inputs import open_inputs
    from assay.engine.scoring import score
    from assay.report.spans import SpanRow

    store = api.default_store()
    segments: dict[str, int] = {}
    inputs = open_inputs(args, metrics)
    for batch in inputs.chunks:
        seen.nrefs = max(seen.nrefs, batch.nrefs)
        systems = batch.systems or [""] * len(batch)
        numbers = []
        for system in systems:
            segments[system] = segments.get(system, 0) + 1
            numbers.append(segments[system])
        for name, metric in metrics.items():
            found = score(batch, metric, workers=args.workers, store=store)
            if found.spans is None:
                raise InputError(
                    f"{metric.card.name} marks no error spans. Use a model that does: xcomet-xl, or a checkpoint of its class."
                )
            truncated = found.flags.get("truncated")
            for i, text in enumerate(batch.hypotheses):
                yield SpanRow(
                    system=systems[i],
                    segment=numbers[i],
                    metric=name,
                    score=float(found.values[i]),
                    text=text,
                    spans=found.spans[i],
                    components={part: float(column[i]) for part, column in found.components.items()},
                    truncated=bool(truncated[i]) if truncated is not None else False,
                )
    if not segments:
        raise InputError(f"{inputs.paths[0]} is empty: there is nothing to score.")
