"""``assay rerun``: a run done again from its manifest, and whether the numbers are equal.

The manifest may come from somebody else: what it names is registered (or the user says `trust`), its arguments are checked against
the verb's own, and nothing is written.
"""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from assay.core.errors import InputError, count, listing
from assay.core.registry import load
from assay.core.table import Table, TableColumn
from assay.engine.manifest import InputFile, Manifest, versions
from assay.verbs.rerun_arguments import admitted, fitting, inside
from assay.verbs.rerun_compare import compare_results
from assay.verbs.result import Result
from assay.verbs.shared.input_files import several
from assay.verbs.shared.manifests import manifest_of

if TYPE_CHECKING:
    from assay.verbs.rerun_compare import ThenAndNow

VERBS = {
    "score": "assay.verbs.score:score",
    "compare": "assay.verbs.compare:compare",
    "run": "assay.verbs.run:run",
    "meta": "assay.verbs.meta:meta",
    "spans": "assay.verbs.spans:spans",
    "campaign": "assay.verbs.campaign:campaign",
    "breakdown": "assay.verbs.breakdown:breakdown",
}
"""Verbs that can be done again, and their functions."""
TEXTS = ("mt", "ref", "src", "data")
WHERE = ("out", "engine", "address", "gpus_per_worker")
"""Where the shards of a set went, and who scored them: done again they are scored here, and go when they have been looked at."""


@dataclass(repr=False)
class Rerun(Result):
    """A run beside the same run done again."""

    manifest_path: Path
    then: Manifest
    now: Result
    """What the run gave this time."""
    compared: list[ThenAndNow] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """Inputs that are not what they were."""

    verb: ClassVar[str] = "rerun"

    @property
    def equal(self) -> bool:
        """Whether every table has the numbers that it had."""
        return all(one.equal for one in self.compared)

    def head(self) -> Mapping[str, Any]:
        """The verdict, and what differs beside the numbers."""
        return {
            "run": str(self.manifest_path),
            "command": self.then.command,
            "equal": self.equal,
            "changed_inputs": self.changed,
            "versions": differing_versions(self.then, self.now),
        }


def rerun(
    run: str | os.PathLike[str],
    *,
    folder: str | os.PathLike[str] | None = None,
    trust: bool = False,
    workers: int | None = None,
    store: bool = False,
) -> Rerun:
    """Do a run again and compare the numbers.

    Args:
        run: A run directory, a manifest, or a file that ``--out`` wrote (its manifest lies beside it).
        folder: Where relative paths of the run start; by default the folder in which it was made. The process works there while
            the run is done again.
        trust: The manifest is my own: run the ``module:name``, ask the language models, and read the checkpoint folders and files
            that it names.
        workers: Threads to use; by default one a core.
        store: Take scores of slow metrics from the store where they are kept, instead of scoring anew.
    """
    path = manifest_of(Path(run))
    then = Manifest.read(path)
    place = Path(folder) if folder is not None else Path(then.folder)
    if not place.is_dir():
        raise InputError(f"{path} was made in {place}, which is not here: say where its files are now (--folder DIR).")
    kept = path.parent.absolute() if path.name == "manifest.json" else None
    roots = [root.resolve() for root in (path.parent, Path.cwd(), *([] if folder is None else [place]))]
    with contextlib.chdir(place):
        call, arguments = _checked(then, str(path), trust)
        changed = _changed(then, str(path))
        if not trust:
            inside(arguments, {file.path for file in then.inputs} - set(changed), roots, str(path))
        with _again(then, arguments, store) as given:
            result: Result = call(**{**given, "workers": workers})
        compared = compare_results(then, result, kept)
    table = _table(compared)
    made = Rerun({table.name: table}, path, then, result, compared, changed, signatures=result.signatures)
    made.tables[table.name] = replace(table, notes=_notes(made))
    return made


@contextlib.contextmanager
def _again(then: Manifest, arguments: Mapping[str, Any], store: bool) -> Iterator[dict[str, Any]]:
    """The arguments for this time; the shards of a set in many files go into a folder that is gone afterwards."""
    if "out" not in arguments:
        yield {**arguments, "store": store}
        return
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        yield {**{name: value for name, value in arguments.items() if name not in WHERE}, "out": folder, "store": store}


def _checked(then: Manifest, where: str, trust: bool) -> tuple[Any, dict[str, Any]]:
    """The verb's function and its arguments, refused where they are not such as the function takes."""
    asked = then.call
    if asked is None:
        raise InputError(
            f"{where} does not say what was asked: assay {then.version} kept no arguments for {then.command}."
        )
    if asked.unkept:
        raise InputError(
            f"{where}: {listing(asked.unkept)} lay in the memory of a program, and no file has them: run that program again."
        )
    if asked.verb not in VERBS:
        raise InputError(f"{where}: runs of {asked.verb!r} are not done again, only those of {listing(VERBS)}.")
    function = load(VERBS[asked.verb], f"verb {asked.verb}")
    arguments = dict(asked.arguments)
    fitting(function, arguments, where)
    admitted(arguments, where, trust=trust)
    if any(given == "-" for name in TEXTS for given in several(arguments.get(name))):
        raise InputError(f"{where}: a text came through standard input, and was not kept: {then.command}")
    return function, arguments


def _changed(then: Manifest, where: str) -> list[str]:
    """Inputs that have another content now; one that is missing ends it."""
    changed = []
    for file in then.inputs:
        if not os.path.isfile(file.path):
            raise InputError(
                f"{where}: the input {file.path} is not here: say where the run's files are now (--folder DIR)."
            )
        if InputFile.of(file.path) != file:
            changed.append(file.path)
    return changed


def differing_versions(then: Manifest, result: Result) -> dict[str, dict[str, str | None]]:
    """What had another version then: ``{"numpy": {"then": "2.1.0", "now": "2.3.0"}}``."""
    here = versions(result.modules())
    names = [name for name in {**then.versions, **here} if then.versions.get(name) != here.get(name)]
    both = [name for name in names if name in then.versions and name in here]
    return {name: {"then": then.versions[name], "now": here[name]} for name in both}


def _table(compared: Sequence[ThenAndNow]) -> Table:
    columns = [
        TableColumn("table"),
        TableColumn("equal"),
        TableColumn("cells", kind="count"),
        TableColumn("differing", kind="count"),
        TableColumn("largest", "largest difference", "number", decimals=6),
        TableColumn("where"),
    ]
    rows = [
        {"table": one.name, "equal": "yes" if one.equal else "no", "cells": one.cells, "differing": one.differing,
         "largest": one.largest, "where": one.where or None}
        for one in compared
    ]  # fmt: skip
    return Table("rerun", columns, rows)


def _notes(made: Rerun) -> list[str]:
    notes = [made.then.command]
    cells = sum(one.cells or 0 for one in made.compared)
    by = count(cells, "cell") if cells else "by the hash of its rows"
    notes.append(f"equal: {count(len(made.compared), 'table')}, {by}" if made.equal else "the numbers are not equal")
    if made.changed:
        notes.append(f"⚠ changed since: {listing(made.changed)}")
    for name, found in differing_versions(made.then, made.now).items():
        notes.append(f"{name} {found['then']} then, {found['now']} now")
    for metric, signature in made.then.signatures.items():
        if (here := made.now.signatures.get(metric)) != signature:
            notes.append(f"⚠ another signature: {signature} then, {here} now")
    return notes
