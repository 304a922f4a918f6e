"""Facts that suites ship as small tables in ``assay/data``: checksums, perturbations, phenomena."""

from __future__ import annotations

import csv
import functools
from collections.abc import Mapping
from importlib.resources import files


def rows(name: str) -> list[dict[str, str]]:
    """The rows of one CSV file in the package's data folder; lines that start with ``#`` are comments."""
    text = (files("assay") / "data" / name).read_text(encoding="utf-8")
    return list(csv.DictReader(line for line in text.splitlines() if not line.startswith("#")))


@functools.cache
def _all_checksums() -> Mapping[str, Mapping[str, str]]:
    found: dict[str, dict[str, str]] = {}
    for row in rows("checksums.csv"):
        found.setdefault(row["suite"], {})[row["file"]] = row["sha256"]
    return found


def checksums(suite: str) -> Mapping[str, str]:
    """File name to sha256 of the files a suite is known by."""
    return _all_checksums().get(suite, {})
