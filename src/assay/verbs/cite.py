"""``assay cite``: publications to cite for a metric, a suite, an analysis, or everything that a run used."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar

from assay.core.errors import AssayError, InputError, unknown
from assay.core.spec import name_of
from assay.core.table import Table, TableColumn
from assay.data.citations import KINDS, names, works
from assay.verbs.result import Result
from assay.verbs.shared.registries import REGISTRIES, card_citation
from assay.verbs.shared.registries import names as registered

if TYPE_CHECKING:
    from assay.data.citations import Work


@dataclass(repr=False)
class Citations(Result):
    """Publications, and the reasons to cite them."""

    works: list[Work] = field(default_factory=list)

    verb: ClassVar[str] = "cite"
    headline: ClassVar[str] = "citations"

    @property
    def bibtex(self) -> str:
        """Return all entries in BibTeX."""
        return "\n".join(work.bibtex for work in self.works)

    @property
    def text(self) -> str:
        """Return one line per publication."""
        return "".join(f"{work.text}\n" for work in self.works)


def cite(*names: str | os.PathLike[str]) -> Citations:
    """Return the publications for metrics (with or without options), suites, analyses, methods or runs; by default, for assay.

    A run (its directory, its manifest, or a file written by ``--out``) stands for its metrics, suite, comparison method and
    assay.

    Args:
        names: What to cite.

    Returns:
        The publications, each with the names that it is cited for.

    Raises:
        InputError: A name is unknown.

    Example:
        >>> import assay
        >>> "popovic" in assay.cite("chrf").bibtex.lower()
        True
    """
    behind: dict[str, list[str]] = {}
    found: dict[str, Work] = {}
    notes = []
    for name in _names(names or ("assay",)):
        cited = works(name)
        if not cited:
            notes.append(_uncited(name))
        for work in cited:
            found[work.key] = work
            behind.setdefault(work.key, []).append(name)
    rows = [
        {"for": ", ".join(dict.fromkeys(behind[key])), "citation": work.text, "key": key, "bibtex": work.bibtex}
        for key, work in found.items()
    ]
    columns = [TableColumn("for"), TableColumn("citation"), TableColumn("key", hidden=True)]
    table = Table("citations", [*columns, TableColumn("bibtex", hidden=True)], rows)
    return Citations({table.name: table}, list(found.values()), notes=notes)


def _names(given: Sequence[str | os.PathLike[str]]) -> list[str]:
    """Return the names used in the citation data: runs are expanded, options removed, and hub names replaced."""
    names: list[str] = []
    for one in (os.fspath(name) for name in given):
        if Path(one).exists() and (Path(one).is_dir() or Path(one).suffix):
            names += _of_run(Path(one))
        else:
            names.append(_registered(one))
    return list(dict.fromkeys(names))


def _registered(spec: str) -> str:
    from assay.models.files.published import published_name

    name = name_of(spec)
    name = published_name(name) or name
    all_names = [
        *(one for kind in KINDS for one in names(kind)),
        *(one for kind in REGISTRIES for one in registered(kind)),
    ]
    if name not in all_names:
        raise unknown("metric, suite or method", name, dict.fromkeys(all_names), "assay list")
    return name


def _of_run(path: Path) -> list[str]:
    from assay.engine.manifest import Manifest
    from assay.verbs.shared.manifests import manifest_of

    then = Manifest.read(manifest_of(path))
    asked = then.call
    wanted = asked.arguments.get("metrics") if asked is not None else None
    # BLEU for several target languages has one signature for each: "bleu zh", "bleu ja"
    used = [name_of(spec) for spec in wanted or [name.partition(" ")[0] for name in then.signatures]]
    if asked is not None:
        data = (asked.arguments.get(key) for key in ("suite", "name", "gold", "judgements", "testset"))
        used += [one for one in data if isinstance(one, str) and one in names("suites")]
        used += [asked.verb] if asked.verb in names("methods") else []
    if not used:
        raise InputError(f"{path} has no metrics or suites to cite.")
    return [*used, "assay"]


def _uncited(name: str) -> str:
    try:
        citation = card_citation(name)
    except AssayError:
        citation = ""
    return f"{name}: its card has {citation}" if citation else f"{name} has no publication to cite"
