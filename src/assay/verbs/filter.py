"""``assay filter``: selection of table rows that satisfy an expression over scores, columns and flags."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.columns import Columns
from assay.core.errors import InputError, listing, unknown
from assay.core.errors import count as counted
from assay.core.expression import parse
from assay.core.table import Table, TableColumn
from assay.io.table.formats import open_table
from assay.io.table.vocabulary import spelled
from assay.io.table.whole_rows import WholeRows
from assay.report.binary_rows import write_parts
from assay.report.rows import WRITERS, JsonLines, json_document
from assay.report.writing import output_file, write_bytes
from assay.verbs.result import Result

if TYPE_CHECKING:
    from assay.core.expression import Condition
    from assay.io.table.open_table import OpenTable, Quoting
    from assay.io.table.whole_rows import RowPart


FORMATS = {
    "tsv": (".tsv",),
    "csv": (".csv",),
    "jsonl": (".jsonl", ".ndjson"),
    "json": (".json",),
    "parquet": (".parquet",),
    "xlsx": (".xlsx",),
}
"""Formats of rows with their suffixes."""


@dataclass(repr=False)
class Filtered(Result):
    """Number of selected rows by system, and the rows themselves unless they were written to a file."""

    expression: str = ""
    counts: dict[str, tuple[int, int]] = field(default_factory=dict)
    """By system: the number of selected rows, and of all rows. Without a column of systems, the only key is an empty string."""
    out: str = ""
    names: list[str] = field(default_factory=list)
    kept_columns: list[list[Any]] = field(default_factory=list)
    """Selected rows, one list per name in `names`; empty if they were written to a file."""

    verb: ClassVar[str] = "filter"
    headline: ClassVar[str] = "rows"

    @property
    def kept(self) -> int:
        """Number of selected rows."""
        return sum(kept for kept, _ in self.counts.values())

    @property
    def dropped(self) -> int:
        """Number of other rows."""
        return len(self) - self.kept

    def __len__(self) -> int:
        return sum(rows for _, rows in self.counts.values())

    def sentence(self) -> str:
        """Return the counts on one line: ``kept 120 of 400 rows: online 80 of 200, ours 40 of 200``."""
        whole = f"kept {self.kept:,} of {counted(len(self), 'row')}"
        if len(self.counts) < 2:
            return whole
        return f"{whole}: {listing(f'{system} {kept:,} of {rows:,}' for system, (kept, rows) in self.counts.items())}"

    def head(self) -> Mapping[str, Any]:
        return {"expression": self.expression, "kept": self.kept, "dropped": self.dropped}

    def columns(self) -> Columns:
        """Return the selected rows as columns by name."""
        if self.out:
            raise InputError(f"the rows are in {self.out}. Read them there, or filter without out=.")
        return dict(zip(self.names, self.kept_columns, strict=True))

    def sizes(self) -> Mapping[str, int]:
        return {"kept": self.kept, "dropped": self.dropped}


def filter_rows(
    expression: str,
    data: Any,
    *,
    out: str | os.PathLike[str] | None = None,
    format: str | None = None,
    invert: bool = False,
    count: bool = False,
    quoting: Quoting = "auto",
    spreadsheet_safe: bool = False,
    progress: Callable[[int, bool], None] | None = None,
) -> Filtered:
    """Keep the rows for which an expression holds, with all their columns.

    Memory use does not depend on the size of the table.

    Args:
        expression: The condition, such as ``chrf < 30 and lang == "de"`` (docs/filter.md).
        data: A table: the path of a file written by `score` or `decide`, any other table (``-`` is standard input), or a frame.
        out: Output file (``-`` is standard output); without it, the rows are kept in the result (`Filtered.to_polars`).
        format: tsv, csv, jsonl, json, parquet or xlsx; by default the suffix of `out` or the format of `data`.
        invert: Keep the rows for which the expression does not hold.
        count: Only count the rows.
        quoting: How quotation marks in a TSV are read: ``auto``, ``csv`` or ``none``.
        spreadsheet_safe: Quote texts that a spreadsheet would evaluate as a formula (csv, tsv).
        progress: Called after every block with its number of rows and False.

    Returns:
        The counts by system, and the rows unless `out` is specified.

    Raises:
        InputError: The expression or the table is invalid, or a row lacks a number that the expression compares. Nothing is
        written in this case.

    Example:
        >>> import assay
        >>> rows = [{"mt": "a", "chrf": 20.0}, {"mt": "b", "chrf": 60.0}]
        >>> assay.filter_rows("chrf > 30", rows).columns()["mt"]
        ['b']
    """
    parsed = parse(expression)
    path = os.fspath(data) if isinstance(data, (str, os.PathLike)) else ""
    target = None if out is None else os.fspath(out)
    written = _format(target, format)
    with _opened(data, path, quoting) as table:
        rows = WholeRows(table)
        if not rows.names:
            raise InputError(f"{table.name} contains no rows to filter.")
        checked = parsed.over(rows.names, table.name)
        for name in checked.names:
            if rows.names.count(name) > 1:
                raise InputError(f"{table.name} has two columns named {name!r}. Rename one.")
        result = Filtered({}, expression=expression, out=target or "", files=[path] if path else [], names=rows.names)
        chosen = _chosen(rows, checked, invert, result, progress)
        if count:
            for _ in chosen:
                pass
        elif target is None:
            result.kept_columns = [[] for _ in rows.names]
            for part in chosen:
                for column, values in zip(result.kept_columns, part.columns, strict=True):
                    column.extend(values)
        else:
            result.notes += _write(chosen, rows, target, written or _like(table.form), spreadsheet_safe)
        result.notes += table.notes
    result.tables["rows"] = _table(result)
    return result


def _opened(data: Any, path: str, quoting: Quoting) -> OpenTable:
    try:
        return open_table(data, quoting=quoting)
    except InputError as error:
        if not path.lower().endswith(".json") or "not JSON" not in str(error):
            raise
        raise InputError(
            f"{path} is not a table. filter reads one row per segment, as written by --format jsonl, tsv or parquet of assay score."
        ) from error


def _format(target: str | None, asked: str | None) -> str | None:
    """Return the output format that was `asked` for or that the suffix selects; None for the input's format."""
    if asked is not None and asked not in FORMATS:
        raise unknown("format", asked, FORMATS)
    if target in (None, "-"):
        return asked
    ending = PurePath(str(target)).suffix.lower()
    named = next((format for format, endings in FORMATS.items() if ending in endings), None)
    if asked and named and asked != named:
        raise InputError(
            f"the suffix of {target} means {named}, but the format is {asked}. Omit one of them, or make them match."
        )
    if not asked and named is None:
        endings = ", ".join(endings[0] for endings in FORMATS.values())
        raise InputError(f"{target} has no suffix of a known format. Use {endings}, or --format tsv.")
    return asked or named


def _like(form: str) -> str:
    """Return the format for standard output: the input's format if it is a text format, else TSV."""
    return form if form in ("tsv", "csv", "jsonl") else "tsv"


def _chosen(
    rows: WholeRows, checked: Condition, invert: bool, made: Filtered, progress: Callable[[int, bool], None] | None
) -> Iterator[RowPart]:
    """Return the selected rows block by block, and count them."""
    from itertools import compress

    named = spelled(rows.names, "system")
    system = rows.names.index(named[0]) if named else None
    places = {name: rows.names.index(name) for name in checked.names}
    for part in rows.parts():
        size, numbers, noun = len(part.numbers), part.numbers, part.noun

        def where(row: int, numbers: Sequence[int] = numbers, noun: str = noun) -> str:
            return f"{rows.table.name} {noun} {numbers[row]}"

        columns = {name: part.columns[position] for name, position in places.items()} or {"": part.columns[0]}
        held = checked.rows(columns, where) != invert
        keep = held.tolist()
        _tally(made, [""] * size if system is None else part.columns[system], keep)
        objects = None if part.objects is None else list(compress(part.objects, keep))
        kept = [list(compress(column, keep)) for column in part.columns]
        yield part._replace(columns=kept, numbers=list(compress(numbers, keep)), objects=objects)
        if progress is not None:
            progress(size, False)


def _tally(made: Filtered, systems: Sequence[Any], keep: Sequence[bool]) -> None:
    from collections import Counter
    from itertools import compress

    try:
        rows = Counter(systems)
    except TypeError:  # a list, or an object
        systems = list(map(str, systems))
        rows = Counter(systems)
    kept = Counter(compress(systems, keep))
    for name, n in rows.items():
        system = "" if name is None else str(name)
        before = made.counts.get(system, (0, 0))
        made.counts[system] = (before[0] + kept[name], before[1] + n)


def _write(chosen: Iterator[RowPart], rows: WholeRows, target: str, format: str, spreadsheet_safe: bool) -> list[str]:
    """Write the rows, and return notes on the file."""
    if format not in ("json", "jsonl"):
        chosen = _headed(chosen, rows)
    if format in ("parquet", "xlsx"):
        parts = _by_name(chosen, rows)
        write_bytes(
            lambda stream: write_parts(parts, format, stream, rows.table.kinds, numbers=rows.scores), target, format
        )
        return []
    with nullcontext(sys.stdout) if target == "-" else output_file(target) as stream:
        writer = (JsonLines if format == "json" else WRITERS[format])(rows.names, spreadsheet_safe=spreadsheet_safe)
        lines = (writer.lines(part.columns, part.objects) for part in chosen)
        if format == "json":
            stream.writelines(json_document(lines))
        else:
            stream.write(writer.head)
            stream.writelines(map("".join, lines))
        stream.flush()
        return writer.notes


def _headed(chosen: Iterator[RowPart], rows: WholeRows) -> Iterator[RowPart]:
    """Return the blocks unchanged; reject keys that are not in the header."""
    for part in chosen:
        rows.check_keys(part)
        yield part


def _by_name(chosen: Iterator[RowPart], rows: WholeRows) -> Iterator[dict[str, Sequence[Any]]]:
    """Return the blocks as columns by name; one empty block if there are no rows."""
    twice = [name for i, name in enumerate(rows.names) if name in rows.names[:i]]
    if twice:
        raise InputError(f"two columns are named {twice[0]!r}. Rename one, or write .tsv or .csv.")
    empty = True
    for part in chosen:
        yield dict(zip(rows.names, part.columns, strict=True))
        empty = False
    if empty:
        yield {name: [] for name in rows.names}


def _table(made: Filtered) -> Table:
    rows = [
        {"system": system, "rows": n, "kept": kept, "dropped": n - kept, "share": kept / n if n else None}
        for system, (kept, n) in made.counts.items()
    ]
    if len(rows) != 1:
        n = len(made)
        share = made.kept / n if n else None
        rows.append({"system": "all", "rows": n, "kept": made.kept, "dropped": made.dropped, "share": share})
    columns = (
        TableColumn("system", hidden=list(made.counts) in ([""], [])),
        TableColumn("rows", kind="count"),
        TableColumn("kept", kind="count"),
        TableColumn("dropped", kind="count"),
        TableColumn("share", "kept, %", "percent"),
    )
    return Table("rows", columns, rows, f"Rows for which {made.expression}")
