"""Run directories and tables for the page. Damaged or missing files are reported, and the rest is shown."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from threading import Lock, Thread
from typing import Any, TypeVar

from assay._version import __version__
from assay.core.errors import AssayError, InputError
from assay.core.schema import Place, typed
from assay.core.screens import Deciding, People
from assay.core.view_data import ABOUT, FORMAT, PROGRESS, ROWS
from assay.io.documents import read_document
from assay.io.files.paths import is_own_file
from assay.viewer.file_schemas import ManifestFile, TablesFile, ViewFile
from assay.viewer.judgements import has_people
from assay.viewer.live import LiveRows, interruption_message, progress
from assay.viewer.reader import first_rows, read_rows
from assay.viewer.row_format import LABELS
from assay.viewer.rows import Query, Rows

Kept = TypeVar("Kept", People, Deciding)
MANIFEST, TABLES = "manifest.json", "tables.json"
FORMS: Mapping[str, type] = {ABOUT: ViewFile, MANIFEST: ManifestFile, TABLES: TablesFile}
FIRST = 200
"""Number of rows that can be shown before all rows are read."""
STORED = (ROWS, "scores.parquet", "scores.csv")
"""Files that may contain the rows of a run, in order of preference; older runs have scores only."""


@dataclass
class Run:
    """One run, or one table of rows."""

    key: str
    path: Path
    about: Mapping[str, Any] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    written: Mapping[str, Any] = field(default_factory=dict)
    """Content of tables.json."""
    stored: Path | None = None
    """The file with its rows."""
    problems: list[str] = field(default_factory=list)
    progress: Mapping[str, Any] | None = None
    """Its progress, if it is unfinished."""
    chosen: Mapping[str, Any] | None = None
    """The user's choice of columns by role, for a table."""
    stamp: tuple[Any, ...] = ()
    """Modification times of its files; if they change, the run must be opened again."""
    _live_rows: LiveRows | None = None
    _lock: Lock = field(default_factory=Lock, repr=False)
    _rows: Rows | None = None

    @property
    def name(self) -> str:
        """The name of the folder or file."""
        return self.path.name or str(self.path)

    @property
    def verb(self) -> str:
        """The verb that wrote it; `table` for a user's own table."""
        if self.progress and not self.manifest:
            return str(self.progress["verb"])
        words = str(self.manifest.get("command", "")).replace("(", " ").replace(".", " ").split()
        return words[1] if len(words) > 1 else "table" if self.path.is_file() else ""

    @property
    def rows(self) -> Rows:
        """Its rows, read on first use; empty if they cannot be read."""
        with self._lock:
            if self._live_rows is not None:
                return self._live_rows.rows()
            if self._rows is None:
                self._rows = self._load()
            return self._rows

    def window(self, query: Query, start: int, count: int) -> dict[str, Any]:
        """Return some rows of a query and their total number. The first rows are available before all rows are read."""
        rows = self.about.get("rows")
        if self._rows is None and query == Query() and isinstance(rows, int) and start + count <= FIRST:
            try:
                first = self._first(start + count)
            except (AssayError, OSError, EOFError, ValueError):
                first = []
            if first:
                Thread(target=lambda: self.rows, name="assay view rows", daemon=True).start()
                return {"total": rows, "rows": first[start:]}
        order = self.rows.order(query)
        return {"total": len(order), "rows": self.rows.window(order, start, count)}

    def _first(self, count: int) -> list[dict[str, Any]]:
        if self.stored is None or self.stored.name != ROWS:
            return []
        return first_rows(self.stored, [str(name) for name in self.about.get("columns") or ()], count)

    def _load(self) -> Rows:
        if self.stored is None:
            return Rows({})
        try:
            if self.path.is_file():
                return read_rows(self.stored, None, self.chosen)
            return read_rows(self.stored, self.about if self.stored.name == ROWS else {})
        except AssayError as error:
            self.problems.append(str(error))
        except (OSError, EOFError, ValueError) as error:
            self.problems.append(f"{self.stored} cannot be read: {error}.")
        return Rows({})

    @cached_property
    def kind(self) -> str:
        """``items``, ``segments``, or empty if there are no rows."""
        if "kind" in self.about:
            return str(self.about["kind"])
        names = self.rows.names
        if not names:
            return ""
        return "items" if "phenomenon" in names and any(name.endswith(" incorrect") for name in names) else "segments"

    @cached_property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Label, decimals and direction of each metric; guessed from the columns if there is no description."""
        if isinstance(described := self.about.get("metrics"), Mapping):
            return {str(name): dict(facts) for name, facts in described.items()}
        names = self.rows.names
        if self.kind == "items":
            metrics = [name.removesuffix(" good") for name in names if name.endswith(" good")]
        else:
            metrics = [n for n in names if n not in LABELS and self.rows.numbers(n) is not None]
            metrics = [n for n in metrics if n in self.rows.scores] or metrics
        return {name: {"label": name, "decimals": 2, "higher_is_better": True} for name in metrics}

    def tables(self) -> list[dict[str, Any]]:
        """Return its tables with captions, notes and formats."""
        described = {table["name"]: table for table in self.about.get("tables", ())}
        tables = []
        for name, rows in dict(self.written.get("tables") or {}).items():
            keys = dict.fromkeys(key for row in rows for key in row)
            plain = {"name": name, "caption": "", "reading": "", "notes": [], "pivot": None}
            columns = [{"key": key, "label": key, "kind": _kind(rows, key), "decimals": 3} for key in keys]
            tables.append({**(described.get(name) or {**plain, "columns": columns}), "rows": rows})
        return tables

    @cached_property
    def people(self) -> People | None:
        """Data of the screen *Human judgements*, if any."""
        return self._kept("people", People)

    @cached_property
    def deciding(self) -> Deciding | None:
        """Data of the screen *Decisions*, if any."""
        return self._kept("deciding", Deciding)

    def _kept(self, name: str, kind: type[Kept]) -> Kept | None:
        if name not in self.about:
            return None
        try:
            return typed(kind, self.about[name], Place(str(self.path / ABOUT), name), strict=False)
        except AssayError as error:
            self.problems.append(f"{error} It is not shown.")
            return None

    @property
    def screens(self) -> list[str]:
        """The screens that need more than rows."""
        names = dict(self.written.get("tables") or {})
        screens = ["people"] if has_people(names, self.verb) else []
        decided = self.verb in ("breakdown", "decide", "run_task", "fit_rule", "apply_rule")
        return [*screens, *(["decisions"] if "deciding" in self.about or (decided and names) else [])]

    def head(self) -> dict[str, Any]:
        """Return the description of the run for the list of runs."""
        complete = all(name in self.about for name in ("rows", "columns", "systems"))
        about = self.about if complete else {
            "rows": len(self.rows), "columns": self.rows.names, "systems": systems(self.rows)
        }  # fmt: skip
        return {
            "key": self.key,
            "name": self.name,
            "title": self.about.get("title") or "",
            "lead": self.about.get("lead") or "",
            "verb": self.verb,
            "kind": self.kind,
            "screens": self.screens,
            "rows": about["rows"],
            "columns": about["columns"],
            "systems": about["systems"],
            "metrics": self.metrics,
            "started": self.manifest.get("started"),
            "finished": self.manifest.get("finished"),
            "version": self.manifest.get("version"),
            "signatures": self.manifest.get("signatures") or {},
            "problems": self.problems,
            "live": self.live(),
        }

    def live(self) -> dict[str, Any] | None:
        """Return the progress of a running run for the page; None if it is not running."""
        state = progress(self.path) if self.progress else None
        if state is None or state["state"] != "running":
            return None
        return {name: state[name] for name in ("done", "total", "rate", "left", "slow")} | {"rows": len(self.rows)}


def systems(rows: Rows) -> list[str]:
    """Return the names of the systems in order of appearance."""
    return [str(name) for name in dict.fromkeys(rows.columns.get("system", ())) if name not in (None, "")]


class RunList(list[Run]):
    """The runs in some folders and files: running ones first, then the newest."""

    def __init__(
        self, runs: Iterable[Run], paths: Sequence[str | os.PathLike[str]], chosen: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(sorted(runs, key=_newest, reverse=True))
        self.paths, self.chosen = paths, chosen

    def refreshed(self) -> RunList:
        """Return the current runs: new ones are added, changed ones are opened again under their keys, deleted ones are removed."""
        opened = {run.path: run for run in self}
        paths: dict[Path, None] = {}
        for path in self.paths:
            with suppress(InputError):
                paths |= dict.fromkeys(_run_paths(Path(path)))
        runs = []
        number = max((int(run.key[1:]) for run in self), default=-1)
        for run_path in paths:
            run = opened.get(run_path)
            if run is None or run.stamp != _stamp(run_path):
                number += run is None
                try:
                    run = _open(run.key if run else f"r{number}", run_path, self.chosen)
                except InputError:  # a table that is being written
                    continue
            runs.append(run)
        return RunList(runs, self.paths, self.chosen)


def find_runs(paths: Sequence[str | os.PathLike[str]], columns: Mapping[str, Any] | None = None) -> RunList:
    """Return the runs in run directories, folders of these, and tables; `columns` maps roles to columns of a table."""
    run_paths = [run_path for path in paths for run_path in _run_paths(Path(path))]
    runs = [_open(f"r{number}", path, columns) for number, path in enumerate(dict.fromkeys(run_paths))]
    return RunList(runs, paths, columns)


def _newest(run: Run) -> tuple[bool, str]:
    return run.live() is not None, str(run.manifest.get("started") or "")


def _stamp(path: Path) -> tuple[Any, ...]:
    """Return the modification times of a run's files and the state of an unfinished run."""
    named = [path] if path.is_file() else [path / name for name in (MANIFEST, TABLES, ABOUT)]
    times = []
    for file in named:
        try:
            times.append(file.stat().st_mtime_ns)
        except OSError:
            times.append(0)
    state = None if path.is_file() else progress(path)
    return (*times, None if state is None else state["state"])


def _run_paths(path: Path) -> Iterable[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path} is not a run or a table. Create a run with: assay run --run-dir {path}")
    if _is_run(path):
        return [path]
    inside = sorted(folder for folder in path.iterdir() if folder.is_dir() and _is_run(folder))
    if not inside:
        raise InputError(
            f"{path} does not contain a run. A run directory has {TABLES} or {MANIFEST}; assay run --run-dir creates one."
        )
    return inside


def _is_run(folder: Path) -> bool:
    return any(is_own_file(folder / name) for name in (MANIFEST, TABLES, ABOUT, PROGRESS))


def _open(key: str, path: Path, chosen: Mapping[str, Any] | None = None) -> Run:
    stamp = _stamp(path)
    if path.is_file():
        run = Run(key, path, stored=path, stamp=stamp, chosen=chosen)
        if not len(run.rows):
            raise InputError(run.problems[0] if run.problems else f"{path} is empty: it contains no rows to show.")
        return run
    run = Run(key, path, stored=next((path / name for name in STORED if is_own_file(path / name)), None))
    run.stamp = stamp
    run.about, run.manifest, run.written = (_document(run, name) for name in FORMS)
    if (state := progress(path)) is not None:
        run.progress = state
        if state["state"] != "running":
            run.problems.append(interruption_message(state))
        if not run.manifest:
            run.about = {"kind": "segments", "metrics": state["metrics"]}
            run._live_rows = LiveRows(path)
            return run
    version, format = run.manifest.get("version"), run.about.get("format", FORMAT)
    if version and version != __version__:
        run.problems.append(f"written by assay {version}; this is assay {__version__}.")
    if format > FORMAT:
        run.problems.append(
            f"{ABOUT} has format {format}, but this version of assay knows {FORMAT}; it may be incomplete."
        )
    if not run.manifest:
        run.problems.append(f"{MANIFEST} is missing: the run is unfinished, or files were deleted.")
    return run


def _document(run: Run, name: str) -> Mapping[str, Any]:
    """Read a JSON file of a run; a damaged file is reported and counts as empty."""
    path = run.path / name
    if not is_own_file(path):
        return {}
    try:
        document: Mapping[str, Any] = read_document(path, said="is damaged")
        typed(FORMS[name], document, Place(str(path)), strict=False)
    except AssayError as error:
        run.problems.append(f"{error} It is ignored.")
        return {}
    return document


def _kind(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    values = [row.get(key) for row in rows]
    if any(isinstance(value, (str, list, dict)) for value in values):
        return "text"
    return "count" if all(isinstance(value, int) for value in values if value is not None) else "number"
