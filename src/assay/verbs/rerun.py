"""``assay rerun``: repetition of a run from its manifest, and comparison of the numbers.

A manifest may come from a third party. Unless the user sets `trust`, it can refer only to registered names. Its arguments
are checked against the verb's signature, and nothing is written.
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
"""Verbs that can be repeated, with their functions."""
TEXTS = ("mt", "ref", "src", "data")
WHERE = ("out", "engine", "address", "gpus_per_worker")
"""Arguments about output folder and workers; a repeated run uses local workers and a temporary folder."""


@dataclass(repr=False)
class Rerun(Result):
    """Comparison of a run with its repetition."""

    manifest_path: Path
    then: Manifest
    now: Result
    """Result of the repetition."""
    compared: list[ThenAndNow] = field(default_factory=list)
    changed: list[str] = field(default_factory=list)
    """Inputs that have changed since the run."""

    verb: ClassVar[str] = "rerun"

    @property
    def equal(self) -> bool:
        """Whether all tables have the same numbers."""
        return all(one.equal for one in self.compared)

    def head(self) -> Mapping[str, Any]:
        """Return the verdict, changed inputs and differing versions."""
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
    """Repeat a run and compare the numbers.

    Args:
        run: A run directory, a manifest, or a file written by ``--out`` (its manifest is next to it).
        folder: Base for relative paths; by default, the directory in which the run was started. It is the working directory
        during the repetition.
        trust: Trust the manifest: run ``module:name``, call language models, and read the checkpoints and files that it names.
        workers: Number of threads, by default one per core.
        store: Read scores of slow metrics from the cache instead of recomputing them.

    Returns:
        The verdict, with one row per table.

    Raises:
        InputError: The manifest is invalid, an input is missing, or it names something that requires `trust`.

    Example:
        >>> import assay
        >>> assay.rerun("runs/my-run").equal  # doctest: +SKIP
        True
    """
    path = manifest_of(Path(run))
    then = Manifest.read(path)
    base = Path(folder) if folder is not None else Path(then.folder)
    if not base.is_dir():
        raise InputError(
            f"{path} was made in {base}, which does not exist. Specify the folder that contains its files: --folder DIR."
        )
    kept = path.parent.absolute() if path.name == "manifest.json" else None
    roots = [root.resolve() for root in (path.parent, Path.cwd(), *([] if folder is None else [base]))]
    with contextlib.chdir(base):
        call, arguments = _checked(then, str(path), trust)
        changed = _changed(then, str(path))
        if not trust:
            inside(arguments, {file.path for file in then.inputs} - set(changed), roots, str(path))
        with _again(then, arguments, store) as given:
            result: Result = call(**{**given, "workers": workers})
        compared = compare_results(then, result, kept)
    table = _table(compared)
    repetition = Rerun({table.name: table}, path, then, result, compared, changed, signatures=result.signatures)
    repetition.tables[table.name] = replace(table, notes=_notes(repetition))
    return repetition


@contextlib.contextmanager
def _again(then: Manifest, arguments: Mapping[str, Any], store: bool) -> Iterator[dict[str, Any]]:
    """Provide the arguments for the repetition; the shards of a set in many files are written to a temporary folder."""
    if "out" not in arguments:
        yield {**arguments, "store": store}
        return
    with tempfile.TemporaryDirectory(prefix="assay-") as folder:
        yield {**{name: value for name, value in arguments.items() if name not in WHERE}, "out": folder, "store": store}


def _checked(then: Manifest, where: str, trust: bool) -> tuple[Any, dict[str, Any]]:
    """Return the verb's function and its arguments; reject invalid arguments."""
    asked = then.call
    if asked is None:
        raise InputError(f"{where} has no arguments: assay {then.version} did not record them for {then.command}.")
    if asked.unkept:
        raise InputError(
            f"{where}: {listing(asked.unkept)} were passed from memory by a Python program. Run that program again."
        )
    if asked.verb not in VERBS:
        raise InputError(f"{where}: runs of {asked.verb!r} cannot be repeated, only those of {listing(VERBS)}.")
    function = load(VERBS[asked.verb], f"verb {asked.verb}")
    arguments = dict(asked.arguments)
    fitting(function, arguments, where)
    admitted(arguments, where, trust=trust)
    if any(given == "-" for name in TEXTS for given in several(arguments.get(name))):
        raise InputError(f"{where}: a text came from standard input and was not stored: {then.command}")
    return function, arguments


def _changed(then: Manifest, where: str) -> list[str]:
    """Return the inputs that have changed; reject a missing one."""
    changed = []
    for file in then.inputs:
        if not os.path.isfile(file.path):
            raise InputError(
                f"{where}: the input {file.path} does not exist. Specify the folder that contains the run's files: --folder DIR."
            )
        if InputFile.of(file.path) != file:
            changed.append(file.path)
    return changed


def differing_versions(then: Manifest, result: Result) -> dict[str, dict[str, str | None]]:
    """Return the versions that differ: ``{"numpy": {"then": "2.1.0", "now": "2.3.0"}}``."""
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
    notes.append(f"equal: {count(len(made.compared), 'table')}, {by}" if made.equal else "the numbers differ")
    if made.changed:
        notes.append(f"⚠ changed since: {listing(made.changed)}")
    for name, both in differing_versions(made.then, made.now).items():
        notes.append(f"{name} {both['then']} then, {both['now']} now")
    for metric, signature in made.then.signatures.items():
        if (here := made.now.signatures.get(metric)) != signature:
            notes.append(f"⚠ different signature: {signature} then, {here} now")
    return notes
