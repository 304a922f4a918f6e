"""Labels for metrics in tables and figures (``--label xcomet-xl=XCOMET-XL``)."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from assay.core.errors import InputError, unknown
from assay.core.table import Table

KEYS = ("metric", "best")
"""Columns with names of metrics."""


def check_labels(labels: Mapping[str, str], names: Sequence[str]) -> None:
    """Reject labels for unknown metrics, and a label shared by two metrics."""
    for name in labels:
        if name not in names:
            raise unknown("metric to label", name, names)
    twice = [text for text, n in Counter(labels.get(name, name) for name in names).items() if n > 1]
    if twice:
        raise InputError(f"two metrics have the label {twice[0]!r}. Give each metric a different one.")


def labelled(tables: Sequence[Table], labels: Mapping[str, str], names: Sequence[str]) -> list[Table]:
    """Replace metric names with their labels in table rows and notes; `names` lists all metrics."""
    check_labels(labels, names)
    if not labels:
        return list(tables)
    listed = "|".join(re.escape(name) for name in sorted(labels, key=len, reverse=True))
    word = re.compile(rf"(?<![\w+-])({listed})(?![\w+-])")

    def row(given: Mapping[str, Any]) -> dict[str, Any]:
        return {key: labels.get(value, value) if key in KEYS else value for key, value in given.items()}

    return [
        replace(
            table,
            rows=[row(given) for given in table.rows],
            notes=tuple(word.sub(lambda found: labels[found[1]], note) for note in table.notes),
        )
        for table in tables
    ]
