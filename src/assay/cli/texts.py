"""Texts to score, from --mt, --ref, --src and --data, and the notes and signatures of their scores."""

from __future__ import annotations

import argparse
import time
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.options import column_map, natural
from assay.cli.output import Output, note, save_run_dir
from assay.cli.parser import Parser
from assay.cli.progress import Progress
from assay.core.errors import InputError
from assay.core.metric import short_signature

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.result import Result
    from assay.verbs.shared.request import TextRequest


def text_inputs(args: argparse.Namespace) -> dict[str, Any]:
    """Return the arguments about texts as keyword arguments of `assay.verbs.shared.request.request`."""
    mt = _translations(args)
    return {
        "mt": mt,
        "ref": args.ref or (),
        "src": args.src,
        "data": args.data or None,
        "columns": column_map(args.columns),
        "quoting": args.quoting,
        "langpair": args.langpair,
        "empty_reference": args.empty_reference,
        "testset": getattr(args, "testset", None),
        "data_dir": getattr(args, "data_dir", None),
    }


def _translations(args: argparse.Namespace) -> list[str]:
    """Return the translation files; raise InputError for a metric among the positional arguments."""
    bare = getattr(args, "files", None) or []
    for name in bare:
        if not Path(name).exists() and "=" not in name:
            from assay.core.spec import name_of
            from assay.verbs.shared.registries import names

            if name_of(name) in names("metrics"):
                together = ",".join([*(args.metrics or ()), name])
                raise InputError(f"{name} is a metric, not a file of translations. Use -m {together}")
    if bare and args.mt:
        raise InputError(f"specify the translations as arguments ({bare[0]} …) or with --mt, not both.")
    after = getattr(args, "after_ref", ())
    if after and not bare and not args.mt and not args.data:  # --ref REFERENCE TRANSLATION …: translations must follow
        args.ref = [path for path in args.ref if path not in after]
        return list(after)
    return bare or args.mt or []


def text_request(args: argparse.Namespace, *, rows: bool = False) -> TextRequest:
    """Return the request for the texts and metrics in the arguments; with `rows`, all columns of a table are read."""
    from assay.verbs.shared.request import request

    return request(
        metrics=args.metrics,
        spans=getattr(args, "spans", False),
        by=getattr(args, "by", None),
        rows=rows,
        **text_inputs(args),
    )


def print_estimate(request: TextRequest, output: Output) -> int:
    """Print the number of requests that LLM judges would send for these texts, and their cost."""
    from assay.verbs.estimate import estimate_batches

    output.emit([estimate_batches(request.metrics, request.inputs.chunks).table()])
    return 0


def rows_progress(request: TextRequest | None, quiet: bool) -> Progress:
    """Return the progress line for a request."""
    return Progress("scoring", request.rows if request is not None else None, quiet=quiet)


def add_appearance(parser: Parser) -> None:
    """Add --signatures, --short and --width."""
    group = parser.section("output")
    group.add_argument("--signatures", action="store_true", help="show the signature of every metric")
    group.add_argument("--short", action="store_true", help="show signatures in their short form")
    group.add_argument("-w", "--width", type=natural, metavar="N", help="decimal places (default: those of the metric)")


def with_signatures(table: Table, signatures: Mapping[str, str], args: argparse.Namespace, output: Output) -> Table:
    """Return the table with the signatures as notes and with --width decimal places."""
    from dataclasses import replace

    columns = table.columns
    if args.width is not None:
        columns = [replace(c, decimals=args.width) if c.kind == "number" else c for c in columns]
    notes = signature_notes(signatures, output, args.signatures, short=args.short)
    return replace(table, columns=columns, notes=(*table.notes, *notes))


def signature_notes(
    signatures: Mapping[str, str], output: Output, everything: bool, *, short: bool = False
) -> list[str]:
    """Return the signatures below a table: all of them in a document or with --signatures, else the first."""
    if output.quiet or not signatures:
        return []
    lines = [short_signature(line) if short else line for line in signatures.values()]
    if everything or output.format != "table" or len(lines) == 1:
        return lines
    return [f"{lines[0]}     (--signatures shows all)"]


def chosen_components(result: Result, args: argparse.Namespace) -> list[Table]:
    """Return the table for --components, if requested and if a metric has components."""
    return [table for name, table in result.tables.items() if name == "components" and args.components]


def add_run_dir(parser: Parser) -> None:
    """Add --run-dir."""
    parser.section("output").add_argument(
        "--run-dir",
        metavar="DIR",
        help="run directory for rows, tables and manifest (read by assay view and assay rerun)",
    )


def save_run(result: Result, args: argparse.Namespace, output: Output, started: float) -> None:
    """Write the run directory of --run-dir and print its name."""
    if args.run_dir:
        output.note(save_run_dir(result.write, args.run_dir, time.monotonic() - started, required=True))


def print_notes(result: Result, output: Output) -> None:
    """Print the notes of a result on stderr; with --quiet, only the alerts."""
    for notice in result.notes:
        note(f"⚠ {notice}", output.quiet and notice not in result.alerts)


def finish(result: Result, output: Output) -> None:
    """Print the notes of a result, and write the manifest next to the output file."""
    print_notes(result, output)
    if output.out and Path(output.out).is_file():
        result.manifest().write(f"{output.out}.manifest.json")
