"""Where results go: the screen, or a file that appears only when whole."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from assay.core.columns import import_polars, plain
from assay.core.errors import InputError
from assay.core.table import Table
from assay.report import BINARY_FORMATS, render, terminal, write_binary
from assay.report.terminal import paragraph, width_of
from assay.report.writing import say, write, write_bytes, write_pieces


@dataclass(frozen=True, slots=True)
class Output:
    """What --format, --out and --quiet ask for, under a title."""

    title: str
    format: str = "table"
    out: str | None = None
    quiet: bool = False
    spreadsheet_safe: bool = False

    @classmethod
    def of(cls, args: argparse.Namespace) -> Output:
        """From the arguments of a verb."""
        format, safe = getattr(args, "format", "table"), getattr(args, "spreadsheet_safe", False)
        if safe and format not in ("csv", "tsv", "xlsx"):
            raise InputError(f"--spreadsheet-safe goes with --format csv, tsv or xlsx, not {format}.")
        if format == "parquet":
            import_polars("--format parquet")
        return cls(f"assay {args.verb}", format, getattr(args, "out", None), args.quiet, safe)

    @property
    def on_screen(self) -> bool:
        """A table for a person who looks at the terminal, who gets the shortest answer."""
        return self.format == "table" and not self.out

    def emit(self, tables: Sequence[Table], *, head: Mapping[str, Any] | None = None, title: str = "") -> None:
        """Tables in the wanted format, where they are wanted."""
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
        """A document of the result's own as JSON; NaN and infinities become null."""
        import json

        write(json.dumps(plain(whole), ensure_ascii=False, indent=1, allow_nan=False) + "\n", self.out)

    def note(self, sentence: str) -> None:
        """A remark for people, on stderr."""
        note(sentence, self.quiet)


def note(sentence: str, quiet: bool = False) -> None:
    """A remark for people, on stderr."""
    if not quiet:
        say("\n".join(paragraph(sentence, width_of(sys.stderr))) + "\n")


__all__ = ["Output", "note", "write", "write_bytes", "write_pieces"]
