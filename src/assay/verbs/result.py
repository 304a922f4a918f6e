"""Base class for the results of all verbs: named tables for the terminal, programs and run directories.

A verb's result is a subclass of `Result` with additional content (`system` and `segments` for a score, the items of a suite).
The terminal, a notebook, a page and a run directory show the same tables.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.call import now
from assay.core.columns import Columns, plain, plain_list, polars_frame
from assay.core.errors import MissingPart, unknown
from assay.core.table import Table
from assay.report.terminal import show

if TYPE_CHECKING:
    import pandas
    import polars

    from assay.core.call import Call
    from assay.core.view_data import ViewData
    from assay.engine.manifest import Manifest
    from assay.report.page import Section


@dataclass(repr=False)
class Result:
    """Tables by name. The main one is called `headline`, or else is the first."""

    tables: dict[str, Table]
    signatures: dict[str, str] = field(default_factory=dict, kw_only=True)
    """Signatures by metric, with the number of references."""
    notes: list[str] = field(default_factory=list, kw_only=True)
    """Notes that are not below a table."""
    alerts: list[str] = field(default_factory=list, kw_only=True)
    """Notes that change how the numbers must be read. They are printed even with --quiet, and are warnings in Python."""
    files: list[str] = field(default_factory=list, kw_only=True)
    """Input files besides those that the arguments of the call name."""
    call: Call | None = field(default=None, kw_only=True)
    """Recorded call of the verb; see `assay.core.call`."""

    verb: ClassVar[str] = ""
    headline: ClassVar[str] = "summary"

    def table(self, name: str | None = None) -> Table:
        """Return the table called `name`; by default, the main one."""
        if name is None:
            return self.tables.get(self.headline) or next(iter(self.tables.values()))
        if name not in self.tables:
            raise unknown(f"table of {self.subject()}", name, self.tables)
        return self.tables[name]

    def subject(self) -> str:
        """Return the result's name for messages."""
        return f"assay {self.verb}"

    def columns(self) -> Columns:
        """Return the rows behind the tables (segments, items, outcomes …), or those of the first table, as columns by name."""
        return self.table().by_column()

    def to_polars(self) -> polars.DataFrame:
        """Return `columns` as a polars frame (requires the extra ``parquet``)."""
        return polars_frame(self.columns())

    def to_pandas(self) -> pandas.DataFrame:
        """Return `columns` as a pandas frame; pandas must be installed."""
        try:
            import pandas
        except ImportError as error:
            raise MissingPart("to_pandas requires pandas: pip install pandas") from error
        return pandas.DataFrame({name: plain_list(column) for name, column in self.columns().items()})

    def to_dict(self) -> dict[str, Any]:
        """Return the content of ``--format json``: ``{..., "tables": {NAME: rows}}``."""
        from assay.report.data import rows

        whole = {**self.head(), "tables": {name: rows(table) for name, table in self.tables.items()}}
        values: dict[str, Any] = plain(whole)
        return values

    def head(self) -> Mapping[str, Any]:
        """Return the values that precede the tables in JSON."""
        return {}

    def figures(self, format: str = "svg") -> dict[str, bytes]:
        """Render the tables' figures as files: content by name (requires the extra ``figures``)."""
        from assay.report.figures import render

        return render(self.tables, format)

    def section(self, tables: Sequence[Table] | None = None, *, figures: bool = True) -> Section:
        """Return this result as a section of an HTML page: tables, explanations, and figures if they can be drawn."""
        from assay.report.figures import available, inline
        from assay.report.page import Section

        shown = list(self.tables.values()) if tables is None else list(tables)
        return Section(self.heading(), shown, self.lead(), inline(shown) if figures and available() else {})

    def page(self) -> str:
        """Return this result as one HTML file with its rows (``--format html`` of run and compare)."""
        from assay.verbs.shared.pages import page_of

        return page_of([self])

    def heading(self) -> str:
        """Return the page heading for this result."""
        return f"assay {self.verb}"

    def lead(self) -> str:
        """Return the sentence below the heading."""
        return ""

    def manifest(self) -> Manifest:
        """Return the manifest for a run directory: the call, inputs, versions and hashes of the tables."""
        from assay.engine.manifest import InputFile, Manifest, shown_command, versions
        from assay.report.data import digest

        given = self.call.arguments if self.call is not None else {}
        return Manifest(
            shown_command(self.verb),
            self.signatures,
            inputs=tuple(InputFile.of(path) for path in self.inputs()),
            counts=self.sizes(),
            seed=given.get("seed"),
            started=self.call.started if self.call is not None else now(),
            call=self.call,
            versions=versions(self.modules()),
            results={name: digest(table) for name, table in self.tables.items()},
        ).finish()

    def sizes(self) -> Mapping[str, int]:
        """Return the numbers of segments, items or judgements, by name."""
        return {}

    def modules(self) -> Sequence[str]:
        """Return the modules of the metrics."""
        return ()

    def inputs(self) -> list[str]:
        """Return all regular files that were used for the result, each once."""
        from assay.verbs.shared.input_files import named_files

        named = named_files(self.call.arguments) if self.call is not None else []
        return [path for path in dict.fromkeys([*named, *self.files]) if Path(path).is_file()]

    def scores_columns(self) -> Columns | None:
        """Return the rows for ``scores.parquet``; None if the run directory does not contain this file."""
        return None

    def viewed(self) -> ViewData | None:
        """Return the rows for `assay view` with their texts; None if there are none."""
        return None

    def write(self, folder: str | os.PathLike[str], figures: Sequence[str] = ("svg",)) -> Path:
        """Write a run directory: tables.json, view.json, manifest.json and, if available, rows.jsonl.gz, scores and figures.

        Scores are written to scores.parquet; without the extra ``parquet``, to scores.csv.
        """
        from assay.io.files.atomic import atomic_write
        from assay.report.data import as_json
        from assay.report.figures import available
        from assay.report.view_files import write_view_files

        path = Path(folder)
        path.mkdir(parents=True, exist_ok=True)
        columns = self.scores_columns()
        if columns is not None:
            self._write_scores(path, columns)
        with atomic_write(path / "tables.json", "w") as stream:
            stream.write(as_json(list(self.tables.values()), self.head()))
        write_view_files(path, self.viewed(), list(self.tables.values()), title=self.heading(), lead=self.lead())
        for format in figures if available() else ():
            for name, content in self.figures(format).items():
                with atomic_write(path / name, "wb") as stream:
                    stream.write(content)
        self.manifest().write(path / "manifest.json")
        return path

    def _write_scores(self, folder: Path, columns: Columns) -> None:
        from assay.io.files.atomic import atomic_write
        from assay.report.rows import write_rows

        try:
            frame = polars_frame(columns)
        except MissingPart:
            with atomic_write(folder / "scores.csv", "w") as stream:
                write_rows([columns], "csv", stream)
            return
        with atomic_write(folder / "scores.parquet", "wb") as stream:
            frame.write_parquet(stream)

    def show(self, *names: str) -> None:
        """Print tables: the named ones, or the main one."""
        show([self.table(name) for name in names] or [self.table()])

    def __repr__(self) -> str:
        from assay.report import render

        return render([self.table()])

    def _repr_html_(self) -> str | None:
        return self.table()._repr_html_()
