"""Static data files in this folder, and the functions that read them; each fact is recorded only once.

Typed loaders are in the modules of this package, such as `assay.data.aces` and `assay.data.demetr`.
"""

from __future__ import annotations

import csv
import functools
import json
from collections.abc import Mapping
from importlib.resources import files
from typing import Any


def rows(name: str) -> list[dict[str, str]]:
    """Return the rows of a CSV or TSV file in this folder; lines that start with ``#`` are comments, and TSV has no quotes."""
    lines = (line for line in read_text(name).splitlines() if not line.startswith("#"))
    if name.endswith(".tsv"):
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return list(csv.DictReader(lines))


def read_text(name: str) -> str:
    """Return the text of a file in this folder."""
    return (files("assay") / "data" / name).read_text(encoding="utf-8")


def json_lines(name: str) -> list[dict[str, Any]]:
    """Return the objects in a JSON lines file in this folder."""
    return [json.loads(line) for line in read_text(name).splitlines()]


@functools.cache
def _all_checksums() -> Mapping[str, Mapping[str, str]]:
    by_suite: dict[str, dict[str, str]] = {}
    for row in rows("checksums.csv"):
        by_suite.setdefault(row["suite"], {})[row["file"]] = row["sha256"]
    return by_suite


def checksums(suite: str) -> Mapping[str, str]:
    """Return the sha256 of each known file of a suite, by file name."""
    return _all_checksums().get(suite, {})


@functools.cache
def model_languages() -> Mapping[str, tuple[str, ...]]:
    """Return the languages that pretrained models were trained on, by model name."""
    return {row["model"]: tuple(row["languages"].split()) for row in rows("model_languages.csv")}
