"""Run directories and tables as the page sees them. What is damaged or missing is said, and the rest is shown."""

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
from assay.viewer.live import Growing, progress, said
from assay.viewer.reader import first_rows, read_rows
from assay.viewer.row_format import LABELS
from assay.viewer.rows import Asked, Rows

Kept = TypeVar("Kept", People, Deciding)
MANIFEST, TABLES = "manifest.json", "tables.json"
FORMS: Mapping[str, type] = {ABOUT: ViewFile, MANIFEST: ManifestFile, TABLES: TablesFile}
FIRST = 200
"""Rows that are read by themselves while nobody has asked for more."""
STORED = (ROWS, "scores.parquet", "scores.csv")
"""Where the rows of a run may be, the best first: older runs have scores alone."""


@dataclass
class Run:
    """One run, or one table of rows."""

    key: str
    path: Path
    about: Mapping[str, Any] = field(default_factory=dict)
    manifest: Mapping[str, Any] = field(default_factory=dict)
    written: Mapping[str, Any] = field(default_factory=dict)
    """tables.json."""
    stored: Path | None = None
    """The file that its rows are in."""
    problems: list[str] = field(default_factory=list)
    progress: Mapping[str, Any] | None = None
    """How far it is, where it is still being written."""
    chosen: Mapping[str, Any] | None = None
    """Which columns of a table play which role, where the user says so."""
    stamp: tuple[Any, ...] = ()
    """When its files were written: another one means that it must be opened again."""
    _growing: Growing | None = None
    _lock: Lock = field(default_factory=Lock, repr=False)
    _rows: Rows | None = None

    @property
    def name(self) -> str:
        """What people call it: the folder's or the file's name."""
        return self.path.name or str(self.path)

    @property
    def verb(self) -> str:
        """The verb that wrote it; `table` for a file of somebody's own."""
        if self.progress and not self.manifest:
            return str(self.progress["verb"])
        words = str(self.manifest.get("command", "")).replace("(", " ").replace(".", " ").split()
        return words[1] if len(words) > 1 else "table" if self.path.is_file() else ""

    @property
    def rows(self) -> Rows:
        """Its rows, read when they are first asked for; none where they cannot be."""
        with self._lock:
            if self._growing is not None:
                return self._growing.rows()
            if self._rows is None:
                self._rows = self._load()
            return self._rows

    def window(self, asked: Asked, start: int, count: int) -> dict[str, Any]:
        """Some of the rows that are asked for, and how many those are. The first ones do not wait until all are read."""
        rows = self.about.get("rows")
        if self._rows is None and asked == Asked() and isinstance(rows, int) and start + count <= FIRST:
            try:
                found = self._first(start + count)
            except (AssayError, OSError, EOFError, ValueError):
                found = []
            if found:
                Thread(target=lambda: self.rows, name="assay view rows", daemon=True).start()
                return {"total": rows, "rows": found[start:]}
        order = self.rows.order(asked)
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
        """``items``, ``segments``, or nothing where there are no rows."""
        if "kind" in self.about:
            return str(self.about["kind"])
        names = self.rows.names
        if not names:
            return ""
        return "items" if "phenomenon" in names and any(name.endswith(" incorrect") for name in names) else "segments"

    @cached_property
    def metrics(self) -> dict[str, dict[str, Any]]:
        """Metric to its label, decimals and direction; guessed from the columns where nobody wrote it down."""
        if isinstance(known := self.about.get("metrics"), Mapping):
            return {str(name): dict(facts) for name, facts in known.items()}
        names = self.rows.names
        if self.kind == "items":
            found = [name.removesuffix(" good") for name in names if name.endswith(" good")]
        else:
            found = [n for n in names if n not in LABELS and self.rows.numbers(n) is not None]
            found = [n for n in found if n in self.rows.scores] or found
        return {name: {"label": name, "decimals": 2, "higher_is_better": True} for name in found}

    def tables(self) -> list[dict[str, Any]]:
        """Its tables with how people read them."""
        described = {table["name"]: table for table in self.about.get("tables", ())}
        made = []
        for name, rows in dict(self.written.get("tables") or {}).items():
            keys = dict.fromkeys(key for row in rows for key in row)
            plain = {"name": name, "caption": "", "reading": "", "notes": [], "pivot": None}
            columns = [{"key": key, "label": key, "kind": _kind(rows, key), "decimals": 3} for key in keys]
            made.append({**(described.get(name) or {**plain, "columns": columns}), "rows": rows})
        return made

    @cached_property
    def people(self) -> People | None:
        """What was kept for the screen of that name; what is damaged is said."""
        return self._kept("people", People)

    @cached_property
    def deciding(self) -> Deciding | None:
        """What was kept of limits to choose among."""
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
        """The screens that go by more than the rows."""
        names = dict(self.written.get("tables") or {})
        found = ["people"] if has_people(names, self.verb) else []
        decided = self.verb in ("breakdown", "decide", "run_task", "fit_rule", "apply_rule")
        return [*found, *(["decisions"] if "deciding" in self.about or (decided and names) else [])]

    def head(self) -> dict[str, Any]:
        known = all(name in self.about for name in ("rows", "columns", "systems"))
        about = self.about if known else {
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
            "live": self.said(),
        }

    def said(self) -> dict[str, Any] | None:
        """How far a run under way is, as the page shows it; None for one that is through, or never will be."""
        found = progress(self.path) if self.progress else None
        if found is None or found["state"] != "running":
            return None
        return {name: found[name] for name in ("done", "total", "rate", "left", "slow")} | {"rows": len(self.rows)}


def systems(rows: Rows) -> list[str]:
    """The systems, in their order."""
    return [str(name) for name in dict.fromkeys(rows.columns.get("system", ())) if name not in (None, "")]


class Found(list[Run]):
    """The runs in some places, those under way and then the newest first."""

    def __init__(
        self, runs: Iterable[Run], paths: Sequence[str | os.PathLike[str]], chosen: Mapping[str, Any] | None = None
    ) -> None:
        super().__init__(sorted(runs, key=_newest, reverse=True))
        self.paths, self.chosen = paths, chosen

    def again(self) -> Found:
        """The runs as they are by now: those that were begun since are added, those that changed are opened again under their
        keys, those that went are left out."""
        known = {run.path: run for run in self}
        places: dict[Path, None] = {}
        for path in self.paths:
            with suppress(InputError):
                places |= dict.fromkeys(_places(Path(path)))
        runs = []
        number = max((int(run.key[1:]) for run in self), default=-1)
        for place in places:
            run = known.get(place)
            if run is None or run.stamp != _stamp(place):
                number += run is None
                try:
                    run = _open(run.key if run else f"r{number}", place, self.chosen)
                except InputError:  # a table that is being written anew
                    continue
            runs.append(run)
        return Found(runs, self.paths, self.chosen)


def find_runs(paths: Sequence[str | os.PathLike[str]], columns: Mapping[str, Any] | None = None) -> Found:
    """The runs in these places: run directories, folders of them, and tables; `columns` says which column of a table plays which
    role where the names differ."""
    places = [place for path in paths for place in _places(Path(path))]
    runs = [_open(f"r{number}", place, columns) for number, place in enumerate(dict.fromkeys(places))]
    return Found(runs, paths, columns)


def _newest(run: Run) -> tuple[bool, str]:
    return run.said() is not None, str(run.manifest.get("started") or "")


def _stamp(path: Path) -> tuple[Any, ...]:
    """The times of a run's files; of a run under way, whether it is."""
    named = [path] if path.is_file() else [path / name for name in (MANIFEST, TABLES, ABOUT)]
    times = []
    for file in named:
        try:
            times.append(file.stat().st_mtime_ns)
        except OSError:
            times.append(0)
    found = None if path.is_file() else progress(path)
    return (*times, None if found is None else found["state"])


def _places(path: Path) -> Iterable[Path]:
    if path.is_file():
        return [path]
    if not path.is_dir():
        raise InputError(f"{path} is not a run or a table. Create a run with: assay run --run-dir {path}")
    if _is_run(path):
        return [path]
    inside = sorted(folder for folder in path.iterdir() if folder.is_dir() and _is_run(folder))
    if not inside:
        raise InputError(
            f"{path} holds no run: a run directory has {TABLES} or {MANIFEST} in it (assay run --run-dir)."
        )
    return inside


def _is_run(folder: Path) -> bool:
    return any(is_own_file(folder / name) for name in (MANIFEST, TABLES, ABOUT, PROGRESS))


def _open(key: str, path: Path, chosen: Mapping[str, Any] | None = None) -> Run:
    stamp = _stamp(path)
    if path.is_file():
        run = Run(key, path, stored=path, stamp=stamp, chosen=chosen)
        if not len(run.rows):
            raise InputError(run.problems[0] if run.problems else f"{path} is empty: there is nothing to look at.")
        return run
    run = Run(key, path, stored=next((path / name for name in STORED if is_own_file(path / name)), None))
    run.stamp = stamp
    run.about, run.manifest, run.written = (_document(run, name) for name in FORMS)
    if (found := progress(path)) is not None:
        run.progress = found
        if found["state"] != "running":
            run.problems.append(said(found))
        if not run.manifest:
            run.about = {"kind": "segments", "metrics": found["metrics"]}
            run._growing = Growing(path)
            return run
    version, format = run.manifest.get("version"), run.about.get("format", FORMAT)
    if version and version != __version__:
        run.problems.append(f"written by assay {version}; this is assay {__version__}.")
    if format > FORMAT:
        run.problems.append(f"{ABOUT} has form {format}, and this assay knows {FORMAT}: some of it may not be shown.")
    if not run.manifest:
        run.problems.append(f"there is no {MANIFEST}: the run has not finished, or was not kept whole.")
    return run


def _document(run: Run, name: str) -> Mapping[str, Any]:
    """A JSON file of a run; what is wrong with it is said, and it counts as empty."""
    path = run.path / name
    if not is_own_file(path):
        return {}
    try:
        found: Mapping[str, Any] = read_document(path, said="is damaged")
        typed(FORMS[name], found, Place(str(path)), strict=False)
    except AssayError as error:
        run.problems.append(f"{error} It is left out.")
        return {}
    return found


def _kind(rows: Sequence[Mapping[str, Any]], key: str) -> str:
    values = [row.get(key) for row in rows]
    if any(isinstance(value, (str, list, dict)) for value in values):
        return "text"
    return "count" if all(isinstance(value, int) for value in values if value is not None) else "number"
