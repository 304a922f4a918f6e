"""``assay doctor``: report on the installation, the machine, caches and data, for bug reports."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

from assay._version import __version__
from assay.core.context import cores
from assay.core.errors import AssayError, MissingPart
from assay.core.table import Table, TableColumn
from assay.data import rows
from assay.data.checkpoints import of_family
from assay.io.files.paths import cache_dir
from assay.verbs.result import Result
from assay.verbs.shared.extras import requirements


@dataclass(repr=False)
class Doctor(Result):
    """State of the installation on this machine."""

    verb: ClassVar[str] = "doctor"
    headline: ClassVar[str] = "machine"


def doctor() -> Doctor:
    """Report on the machine, packages, extras, caches and data, without downloading or writing anything.

    Returns:
        Tables with the state of each part.

    Example:
        >>> import assay
        >>> "extras" in assay.doctor().tables
        True
    """
    tables = [_machine(), _extras(), _caches(), _data()]
    return Doctor({table.name: table for table in tables})


def _facts(name: str, facts: dict[str, str], caption: str) -> Table:
    rows = [{"what": what, "value": value} for what, value in facts.items()]
    return Table(name, [TableColumn("what", " "), TableColumn("value", " ")], rows, caption)


def _machine() -> Table:
    import platform

    from assay.core.memory import memory

    facts = {
        "assay": __version__,
        "python": f"{platform.python_version()} ({platform.python_implementation()})",
        "system": f"{platform.system()} {platform.release()} {platform.machine()}",
        "cores": str(cores()),
        "memory": f"{memory() / 2**30:,.1f} GiB",
        "kernels": _kernels(),
        "GPU": _gpu(),
        "working folder": _config(),
    }
    return _facts("machine", facts, "machine")


def _kernels() -> str:
    try:
        from assay.kernels import _native
    except ImportError as error:
        return f"⚠ not built: {error}"
    return f"compiled ({Path(str(_native.__file__)).name})"


def _gpu() -> str:
    from importlib.util import find_spec

    if find_spec("torch") is None:
        return "unknown, because torch is not installed (extra 'neural')"
    import torch

    if not torch.cuda.is_available():
        return f"none usable with torch {torch.__version__}"
    names = [torch.cuda.get_device_name(i) for i in range(torch.cuda.device_count())]
    return f"{', '.join(names)} (torch {torch.__version__})"


def _config() -> str:
    there = [name for name in ("assay.toml", "pyproject.toml") if Path(name).is_file()]
    return f"{Path.cwd()}{f' (has {there[0]})' if there else ''}"


def _extras() -> Table:
    gives = {row["extra"]: row["gives"] for row in rows("extras.csv")}
    lines = []
    for extra, names in requirements().items():
        versions = {name: _version(name) for name in names}
        missing = [name for name, version in versions.items() if version is None]
        state = "installed" if not missing else "not installed" if len(missing) == len(names) else "in part"
        lines.append(
            {
                "extra": extra or "(always)",
                "state": state,
                "gives": gives.get(extra, ""),
                "to install": f"pip install 'mt-assay[{extra}]'" if missing and extra else None,
                "packages": ", ".join(f"{name} {version or 'missing'}" for name, version in versions.items()),
            }
        )
    columns = [TableColumn("extra"), TableColumn("state"), TableColumn("gives"), TableColumn("to install", hidden=True)]
    notes = ["pip install 'mt-assay[EXTRA]' installs one; --format json lists the packages and their versions"]
    return Table("extras", [*columns, TableColumn("packages", hidden=True)], lines, "packages", notes)


def _version(name: str) -> str | None:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _caches() -> Table:
    folder = cache_dir()
    columns = [
        TableColumn("what"),
        TableColumn("files", kind="count"),
        TableColumn("size"),
        TableColumn("bytes", hidden=True),
    ]
    lines = []
    for path in sorted(folder.iterdir()) if folder.is_dir() else ():
        sizes = list(_sizes(path))
        lines.append({"what": path.name, "files": len(sizes), "size": _size(sum(sizes)), "bytes": sum(sizes)})
    if not lines:
        lines = [{"what": "nothing yet", "files": 0, "size": _size(0), "bytes": 0}]
    return Table(
        "caches",
        columns,
        lines,
        f"cache in {folder}",
        ["assay cache clear empties the score store and the progress files"],
    )


def _sizes(place: Path) -> Iterator[int]:
    if place.is_file():
        yield place.stat().st_size
    for parent, _, names in os.walk(place):
        for name in names:
            path = Path(parent) / name
            if not path.is_symlink() and path.exists():
                yield path.stat().st_size


def _size(size: int) -> str:
    for unit, least in (("GB", 10**9), ("MB", 10**6), ("kB", 10**3)):
        if size >= least:
            return f"{size / least:,.1f} {unit}"
    return f"{size} B"


def _data() -> Table:
    """Return the location of every suite, test set, checkpoint and encoder, or instructions for obtaining it."""
    from assay.models.files.published import find_published
    from assay.suites import SUITES
    from assay.suites.locate import locate
    from assay.suites.wmt import card_of, years

    cards = {}
    for name in SUITES.names():
        try:
            cards[name] = SUITES.resolve(name).card
        except AssayError:
            continue  # assay list suites shows the reason
    cards |= {year: card_of(year) for year in years()}
    lines: list[dict[str, str | None]] = []
    for name, card in cards.items():
        if not card.folders:
            lines.append({"name": name, "kind": "suite", "where": "in the package"})
            continue
        if name == "wmt":
            continue  # any tree, by its path
        try:
            where, get = str(locate(card)), None
        except MissingPart:
            where = None
            get = (
                f"assay fetch {name}"
                if card.downloads
                else f"assay list suites {name}"
                if name in SUITES.names()
                else None
            )
            get = get or card.how_to_get
        lines.append({"name": name, "kind": "suite", "where": where or "not here", "to get it": get})
    for names, kind in ((of_family("comet", "bleurt"), "checkpoint"), (of_family("encoder"), "encoder")):
        for name in names:
            try:
                where, get = str(find_published(name)), None
            except MissingPart:
                where, get = None, f"assay fetch {name}"
            lines.append({"name": name, "kind": kind, "where": where or "not here", "to get it": get})
    columns = [TableColumn("name"), TableColumn("kind"), TableColumn("where"), TableColumn("to get it")]
    searched = os.environ.get("ASSAY_DATA") or "not set"
    return Table("data", columns, lines, "data", [f"ASSAY_DATA: {searched}"])
