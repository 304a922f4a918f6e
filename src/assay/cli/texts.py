"""From --mt, --ref, --src and --data to a request, and from its result to what stands beside the numbers."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from assay.cli.output import Output
from assay.cli.progress import Progress

if TYPE_CHECKING:
    from assay.core.table import Table
    from assay.verbs.request import TextRequest
    from assay.verbs.result import Result


def texts_of(args: argparse.Namespace) -> dict[str, Any]:
    """What the arguments say about the texts, as `assay.verbs.request` wants it."""
    from assay.cli.options import column_map

    return {
        "mt": args.mt or (),
        "ref": args.ref or (),
        "src": args.src,
        "data": args.data or None,
        "columns": column_map(args.columns),
        "quoting": args.quoting,
        "langpair": args.langpair,
    }


def text_request(args: argparse.Namespace) -> TextRequest:
    """The texts that the arguments name, with the metrics they name."""
    from assay.verbs.request import request

    return request(
        metrics=args.metrics, spans=getattr(args, "spans", False), by=getattr(args, "by", None), **texts_of(args)
    )


@contextmanager
def rows_progress(asked: TextRequest | None, quiet: bool) -> Iterator[Progress]:
    """The line of progress while a request is scored."""
    progress = Progress("scoring", asked.rows if asked is not None else None, quiet=quiet)
    try:
        yield progress
    finally:
        progress.close()


def signature_notes(signatures: Mapping[str, str], output: Output, everything: bool) -> list[str]:
    """The signatures under a table: all of them when asked for or when the table goes into a document."""
    if output.quiet:
        return []
    lines = list(signatures.values())
    if everything or output.format != "table" or len(lines) == 1:
        return lines
    return [f"{lines[0]}     (--signatures shows all)"]


def chosen_components(result: Result, args: argparse.Namespace) -> list[Table]:
    """The table behind ``--components``, where it is asked for and a metric has any."""
    return [table for name, table in result.tables.items() if name == "components" and args.components]


def finish(result: Result, output: Output) -> None:
    """Say what people should hear, and lay the manifest beside a file that was written."""
    for notice in result.notes:
        output.note(f"⚠ {notice}")
    if output.out and Path(output.out).is_file():
        result.manifest().write(f"{output.out}.manifest.json")
