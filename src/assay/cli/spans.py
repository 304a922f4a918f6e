"""``assay score --spans``: translations with the errors that a metric found in them."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from assay.core.errors import InputError

if TYPE_CHECKING:
    from assay.core.metric import Metric
    from assay.report.spans import SpanRow

FORMATS = ("table", "json", "jsonl", "html")


def run(args: argparse.Namespace) -> int:
    """Score, and show every segment with its spans as soon as it is known."""
    from assay.api import scoring as api
    from assay.cli.output import note, write
    from assay.report import spans, terminal

    if args.format not in FORMATS:
        raise InputError(f"--spans goes with --format {', '.join(FORMATS)}, not {args.format}.")
    metrics = api.build_metrics(args.metrics or ())
    seen = cut = 0
    rows: list[SpanRow] = []
    nrefs = [0]
    streamed = args.format in ("table", "jsonl") and not args.out
    colour = streamed and terminal.wants_colour()
    for row in _rows(args, metrics, nrefs):
        seen, cut = seen + 1, cut + row.truncated
        if not streamed:
            rows.append(row)
        elif args.format == "table":
            sys.stdout.write(spans.as_terminal(row, colour=colour))
        else:
            sys.stdout.write(json.dumps(spans.as_record(row), ensure_ascii=False) + "\n")
    sys.stdout.flush()
    signatures = {name: api.signature(metric, nrefs[0]) for name, metric in metrics.items()}
    if args.format == "json":
        write(spans.as_json(rows, signatures), args.out)
    elif args.format == "html":
        write(spans.as_html(rows, signatures), args.out)
    elif args.out:
        lines = [
            spans.as_terminal(row)
            if args.format == "table"
            else json.dumps(spans.as_record(row), ensure_ascii=False) + "\n"
            for row in rows
        ]
        write("".join(lines), args.out)
    if cut:
        what = "scored in parts" if all(getattr(m, "long", "") == "window" for m in metrics.values()) else "cut off"
        how = "" if what == "scored in parts" else " (METRIC:long=window scores them in parts)"
        note(f"⚠ {cut:,} of {seen:,} segments were longer than the model reads and were {what}{how}", args.quiet)
    for metric in metrics.values():
        for notice in metric.notices:
            note(f"⚠ {notice}", args.quiet)
    return 0


def _rows(args: argparse.Namespace, metrics: Mapping[str, Metric], nrefs: list[int]) -> Iterator[SpanRow]:
    """Every segment of every metric that marks spans, chunk by chunk."""
    from assay.api import scoring as api
    from assay.cli.inputs import open_inputs
    from assay.engine.scoring import score
    from assay.report.spans import SpanRow

    store = api.default_store()
    segments: dict[str, int] = {}
    for batch in open_inputs(args, metrics).chunks:
        nrefs[0] = max(nrefs[0], batch.nrefs)
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
