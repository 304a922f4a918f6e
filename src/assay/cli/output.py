"""Output of results: tables in the terminal or in files, run directories, and notes on stderr."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

from assay.core.columns import import_polars, plain
from assay.core.errors import InputError
from assay.core.table import Table
from assay.core.view_data import LIVE, PROGRESS
from assay.report import BINARY_FORMATS, DATA_FORMATS, render, terminal, write_binary
from assay.report.page import page
from assay.report.rows import write_rows
from assay.report.terminal import paragraph, width_of
from assay.report.writing import output_file, write, write_bytes, write_parts, write_stderr

if TYPE_CHECKING:
    from assay.core.columns import Columns
    from assay.verbs.result import Result

ON_REQUEST = ("segments",)
"""Tables with one row per translation, which documents show only if --table names them."""


@dataclass(frozen=True, slots=True)
class Output:
    """Format and destination of a verb's result, from --format, --out and --quiet."""

    title: str
    format: str = "table"
    out: str | None = None
    quiet: bool = False
    spreadsheet_safe: bool = False

    @classmethod
    def of(cls, args: argparse.Namespace) -> Output:
        """Return the output that the arguments of a verb describe."""
        format, safe = getattr(args, "format", "table"), getattr(args, "spreadsheet_safe", False)
        if safe and format not in ("csv", "tsv", "xlsx"):
            raise InputError(f"--spreadsheet-safe requires --format csv, tsv or xlsx, not {format}.")
        if format == "parquet":
            import_polars("--format parquet")
        return cls(f"assay {args.verb}", format, getattr(args, "out", None), args.quiet, safe)

    @property
    def on_screen(self) -> bool:
        """Whether tables are shown on a terminal, where the first one is enough."""
        return self.format == "table" and not self.out

    def emit(self, tables: Sequence[Table], *, head: Mapping[str, Any] | None = None, title: str = "") -> None:
        """Write tables in the requested format to the requested destination."""
        if self.format in BINARY_FORMATS:
            write_bytes(lambda stream: write_binary(tables, self.format, stream), self.out, self.format)
            return
        to_screen = not self.out
        text = render(
            tables,
            self.format,
            head=head,
            title=title or self.title,
            width=terminal.width_of() if to_screen else None,
            colour=to_screen and terminal.wants_colour(),
            spreadsheet_safe=self.spreadsheet_safe,
        )
        write(text, self.out)

    def emit_json(self, whole: Mapping[str, Any]) -> None:
        """Write a mapping as JSON; NaN and infinities become null."""
        import json

        write(json.dumps(plain(whole), ensure_ascii=False, indent=1, allow_nan=False) + "\n", self.out)

    def emit_rows(self, parts: Iterable[Columns], scores: Collection[str]) -> list[str]:
        """Write parts of rows, as columns by name; return warnings about the file. The columns `scores` are numeric."""
        if self.format not in BINARY_FORMATS:
            with self.stream() as stream:
                return write_rows(parts, self.format, stream, scores=scores, spreadsheet_safe=self.spreadsheet_safe)
        warnings: list[str] = []
        write_bytes(
            lambda stream: warnings.extend(write_rows(parts, self.format, stream, scores=scores)), self.out, self.format
        )
        return warnings

    @contextmanager
    def stream(self) -> Iterator[IO[str]]:
        """Open the output file, written atomically, or stdout."""
        with output_file(self.out) if self.out and self.out != "-" else nullcontext(sys.stdout) as stream:
            yield stream
            stream.flush()

    def note(self, text: str) -> None:
        """Print a note on stderr."""
        note(text, self.quiet)


def note(text: str, quiet: bool = False) -> None:
    """Print a note on stderr, unless quiet."""
    if not quiet:
        write_stderr("\n".join(paragraph(text, width_of(sys.stderr))) + "\n")


def show_tables(result: Result, args: argparse.Namespace, output: Output, started: float, name: str) -> None:
    """Write the tables that --table and --all select, then the notes and the run directory."""
    short, data = output.on_screen and not args.all, output.format in DATA_FORMATS
    tables = [result.table(name) for name in args.table or ()] or (
        [result.table()]
        if short
        else [table for table in result.tables.values() if data or table.name not in ON_REQUEST]
    )
    if output.format == "html":
        write(page([result.section(tables)], title=result.heading()), output.out)
    else:
        output.emit(tables, head=result.head(), title=result.heading())
    for text in result.notes:
        output.note(f"⚠ {text}")
    more = [other for other in result.tables if result.tables[other] not in tables]
    if short and not args.table and more:
        output.note(f"more tables: {', '.join(more)} (--table NAME, --all)")
    write_run(result.write, args.run_dir, output, name, started)


def run_folder(run_dir: str | None, output: Output, name: str) -> str | None:
    """Return the run directory: --run-dir, or a folder in runs/ if the tables are shown on a terminal."""
    if run_dir is None and output.on_screen and sys.stdout.isatty():
        return f"runs/{time.strftime('%Y-%m-%dT%H-%M-%S')}-{name}"
    return run_dir


def write_run(write_to: Callable[[str], Path], run_dir: str | None, output: Output, name: str, started: float) -> None:
    """Write the run directory, if any, and print its name."""
    folder = run_folder(run_dir, output, name)
    if folder is not None:
        output.note(save_run_dir(write_to, folder, time.monotonic() - started, required=run_dir is not None))


def save_run_dir(write_to: Callable[[str], Path], folder: str, seconds: float, *, required: bool) -> str:
    """Write a run directory and return a note about it; an error is part of the note unless the directory is `required`."""
    try:
        written = write_to(folder)
    except OSError as error:
        if required:
            raise
        return f"⚠ the run was not saved in {folder}: {error.strerror or error}. Use --run-dir DIR for another folder."
    names = sorted(path.name for path in written.iterdir() if path.is_file() and path.name not in (LIVE, PROGRESS))
    return f"wrote {written}/ ({', '.join(names)}) · {seconds:.1f} s"


__all__ = ["Output", "note", "write", "write_bytes", "write_parts"]
