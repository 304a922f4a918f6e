"""From --mt, --ref, --src and --data to a stream of batches with a system's name on every row."""

from __future__ import annotations

import argparse
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from assay.core.batch import Batch
from assay.core.errors import InputError
from assay.core.metric import Metric
from assay.engine.chunks import regroup

ROWS, CHARACTERS = 20_000, 16_000_000
"""Rows, and characters, scored and kept in the spool at a time."""
PIECE = 64
"""Lines read at a time: few, since a line may be a megabyte long."""


@dataclass
class Inputs:
    """What to score: the files behind it, and roughly how many rows there will be."""

    chunks: Iterator[Batch]
    paths: list[str]
    rows: int | None


def open_inputs(args: argparse.Namespace, metrics: Mapping[str, Metric]) -> Inputs:
    """The rows that the arguments ask for, as a stream; wrong combinations are refused before anything is read."""
    if args.data:
        if args.mt or args.ref or args.src:
            raise InputError("--data brings its own columns: leave out --mt, --ref and --src.")
        return _from_table(args, metrics)
    if not args.mt:
        raise InputError("nothing to score: give the translations with --mt FILE, or a table with --data FILE.")
    if args.columns:
        raise InputError("--columns goes with --data.")
    paths = [*args.mt, *(args.ref or ()), *([args.src] if args.src else ())]
    if paths.count("-") > 1:
        raise InputError("only one input can be standard input (-).")
    systems = system_names(args.mt)
    return Inputs(regroup(_from_lines(args, systems), ROWS, CHARACTERS), paths, _estimate(args.mt))


def system_names(paths: Sequence[str]) -> list[str]:
    """Each file's name; the whole path where two names are equal."""
    names = ["stdin" if path == "-" else Path(path).name for path in paths]
    names = [path if names.count(name) > 1 else name for path, name in zip(paths, names, strict=True)]
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"--mt {name} was given twice.")
    return names


def _from_lines(args: argparse.Namespace, systems: list[str]) -> Iterator[Batch]:
    from assay.io.files.text import read_parallel

    references, many = args.ref or [], len(systems)
    paths = [*args.mt, *references, *([args.src] if args.src else [])]
    for columns in read_parallel(paths, PIECE):
        n = len(columns[0])
        rest = columns[many:]
        yield Batch(
            hypotheses=columns[0] if many == 1 else [line for column in columns[:many] for line in column],
            references=tuple(column * many for column in rest[: len(references)]) or None,
            sources=rest[len(references)] * many if args.src else None,
            systems=[system for system in systems for _ in range(n)],
            langpairs=[args.langpair] * (n * many) if args.langpair else None,
        )


def _from_table(args: argparse.Namespace, metrics: Mapping[str, Metric]) -> Inputs:
    from assay.cli.options import column_map
    from assay.io.table.tables import read_table

    name = "stdin" if args.data == "-" else Path(args.data).name
    needs: dict[str, str] = {}
    for metric in metrics.values():
        if metric.card.needs_reference:
            needs.setdefault("reference", metric.card.name)
        if metric.card.needs_source:
            needs.setdefault("source", metric.card.name)

    def chunks() -> Iterator[Batch]:
        for batch in read_table(args.data, column_map(args.columns), PIECE, needs=needs):
            if batch.systems is None:
                batch = replace(batch, systems=[name] * len(batch))
            if args.langpair and batch.langpairs is None:
                batch = replace(batch, langpairs=[args.langpair] * len(batch))
            yield batch

    return Inputs(regroup(chunks(), ROWS, CHARACTERS), [args.data], _estimate([args.data]))


def _estimate(paths: Sequence[str]) -> int | None:
    """Rows to expect, from the size of plain files and samples of their lines; None where it cannot be told."""
    total, places = 0, 16
    for path in paths:
        if path == "-" or Path(path).suffix in (".gz", ".xz", ".zst", ".parquet"):
            return None
        try:
            size, samples = os.path.getsize(path), []
            with open(path, "rb") as file:
                for place in range(places):
                    file.seek(size * place // places)
                    samples.append(file.read(1 << 14))
        except OSError:
            return None
        total += size * max(sum(sample.count(b"\n") for sample in samples), 1) // max(sum(map(len, samples)), 1)
    return total
