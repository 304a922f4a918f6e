"""Location of the manifest of a run."""

from __future__ import annotations

from pathlib import Path

from assay.core.errors import InputError


def manifest_of(path: Path) -> Path:
    """The manifest of a run directory or of a written file; a manifest is its own."""
    if path.is_dir():
        if not (path / "manifest.json").is_file():
            raise InputError(f"{path} is no run directory: there is no manifest.json in it.{_of_corpus(path)}")
        return path / "manifest.json"
    beside = path.with_name(f"{path.name}.manifest.json")
    if not path.name.endswith("manifest.json") and beside.is_file():
        return beside
    if not path.exists():
        raise InputError(f"{path} is not a run. Pass a run directory, a manifest, or a file written by --out.")
    if not path.name.endswith(".json"):
        raise InputError(f"{path} has no manifest ({beside.name}), so it cannot be repeated.")
    return path


def _of_corpus(path: Path) -> str:
    """What to do about a folder of shards instead."""
    shards = (path / "_manifest.json").is_file()
    return (
        " Its shards are those of a corpus: the command that made them, with another --out, gives the same bytes."
        if shards
        else ""
    )
