"""Which format a result is written in: the one asked for, or the one that the name of the file speaks of; never two at once."""

from __future__ import annotations

import argparse
from pathlib import PurePath
from types import ModuleType

from assay.core.errors import InputError

SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".tsv": "tsv",
    ".csv": "csv",
    ".md": "md",
    ".markdown": "md",
    ".tex": "latex",
    ".html": "html",
    ".htm": "html",
    ".parquet": "parquet",
    ".xlsx": "xlsx",
    ".bib": "bibtex",
}
"""Suffix to format. Any other name says nothing: a table for people goes there unless --format says otherwise."""
OTHERS = {
    **dict.fromkeys((".gz", ".xz", ".zst", ".bz2", ".zip"), "nothing is compressed: pipe it (--format FORMAT | gzip)"),
    **dict.fromkeys((".xls", ".ods"), "spreadsheets are written as .xlsx"),
    **dict.fromkeys((".feather", ".arrow"), "columns are written as .parquet"),
    ".yaml": "documents are written as .json",
    ".pdf": "pages are written as .html",
    ".docx": "pages are written as .html",
}
"""Suffixes of files that assay does not write, with what comes near."""


def format_of(path: str) -> str:
    """Return the format that the suffix of a file names; a table for people goes into any other file."""
    suffix = PurePath(path).suffix.lower()
    if suffix in OTHERS:
        raise InputError(f"{path}: {OTHERS[suffix]}.")
    return SUFFIXES.get(suffix, "table")


def settle_format(args: argparse.Namespace, module: ModuleType) -> None:
    """Fill in ``args.format`` from the suffix of --out; refuse a suffix that says another thing than --format.

    Where --out is no rendering of the result (a rule, a set of items) the verb's ``names_result(args)`` says no, and the suffix
    counts for nothing.
    """
    if not hasattr(args, "formats"):
        return
    if not getattr(module, "names_result", lambda _: True)(args):
        args.format = args.format or "table"
        return
    suffix = PurePath(args.out or "").suffix.lower()
    if suffix in OTHERS:
        raise InputError(f"--out {args.out}: {OTHERS[suffix]}.")
    meant = SUFFIXES.get(suffix)
    if args.format is None:
        if meant is not None and meant not in args.formats:
            raise InputError(
                f"--out {args.out}: assay {args.verb} does not write {meant}, but {_either(args.formats)}."
            )
        args.format = meant or "table"
    elif meant is not None and meant != args.format:
        raise InputError(
            f"--out {args.out} is a name for {meant}, and --format says {args.format}: leave one of them out, or give another name."
        )


def _either(formats: tuple[str, ...]) -> str:
    return f"{', '.join(formats[:-1])} or {formats[-1]}"
