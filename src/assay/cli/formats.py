"""Output format of a result, from --format or the suffix of --out."""

from __future__ import annotations

import argparse
from pathlib import PurePath
from types import ModuleType

from assay.core.errors import InputError

SUFFIXES = {
    ".json": "json",
    ".jsonl": "jsonl",
    ".ndjson": "jsonl",
    ".sarif": "sarif",
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
"""Formats by suffix. Any other suffix leaves the choice to --format; the default is a table as on the terminal."""
OTHERS = {
    **dict.fromkeys(
        (".gz", ".xz", ".zst", ".bz2", ".zip"), "assay does not compress its output; use --format FORMAT | gzip"
    ),
    **dict.fromkeys((".xls", ".ods"), "assay writes spreadsheets as .xlsx"),
    **dict.fromkeys((".feather", ".arrow"), "assay writes columns as .parquet"),
    ".yaml": "assay writes documents as .json",
    ".pdf": "assay writes pages as .html",
    ".docx": "assay writes pages as .html",
}
"""Suffixes that assay does not write, with the nearest alternative."""


def format_of(path: str) -> str:
    """Return the format of a file's suffix; ``table`` for other suffixes."""
    suffix = PurePath(path).suffix.lower()
    if suffix in OTHERS:
        raise InputError(f"{path}: {OTHERS[suffix]}.")
    return SUFFIXES.get(suffix, "table")


def set_format(args: argparse.Namespace, module: ModuleType) -> None:
    """Set ``args.format`` from the suffix of --out; raise InputError if the suffix contradicts --format.

    The suffix does not count if the verb's ``names_result(args)`` is false: --out is then a rule, a set of items or a folder.
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
                f"--out {args.out}: assay {args.verb} does not write {meant}. Use {_either(args.formats)}."
            )
        args.format = meant or "table"
    elif meant is not None and meant != args.format:
        raise InputError(
            f"--out {args.out} has the suffix for {meant}, but --format is {args.format}. Omit --format or change the suffix."
        )


def _either(formats: tuple[str, ...]) -> str:
    return f"{', '.join(formats[:-1])} or {formats[-1]}"
