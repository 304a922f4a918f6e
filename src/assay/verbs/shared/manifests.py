"""Lookup of a run's manifest."""

from __future__ import annotations

from pathlib import Path

from assay.core.errors import InputError


def manifest_of(path: Path) -> Path:
    """Return the manifest of a run directory or of an output file; a manifest is returned unchanged."""
    if path.is_dir():
        if not (path / "manifest.json").is_file():
            raise InputError(f"{path} is not a run directory: it has no manifest.json.{_of_corpus(path)}")
        return path / "manifest.json"
    beside = path.with_name(f"{path.name}.manifest.json")
    if not path.name.endswith("manifest.json") and beside.is_file():
        return beside
    if not path.exists():
        raise InputError(f"{path} is not a run. Specify a run directory, a manifest, or a file written by --out.")
    if not path.name.endswith(".json"):
        raise InputError(f"{path} has no manifest ({beside.name}), so it cannot be repeated.")
    return path


def _of_corpus(path: Path) -> str:
    """Return the remedy for a folder of shards, for an error message."""
    shards = (path / "_manifest.json").is_file()
    return (
        " It has the shards of a corpus: repeat the command with another --out, and compare the bytes."
        if shards
        else ""
    )
