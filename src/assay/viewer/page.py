"""The page as one file: no server, no network. Runs and rows lie in it, packed."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from assay.core.errors import InputError
from assay.report.data import plain
from assay.viewer.assets import document, start
from assay.viewer.compared import compared
from assay.viewer.runs import Run
from assay.viewer.summary import summary

MOST_ROWS = 50_000
"""Rows of a page in one file: a browser holds all of them."""


MOST_PAIRS = 15
"""Pairs of runs that are compared in it: those of six runs."""


def _compared(runs: Sequence[Run]) -> Iterator[tuple[str, Any]]:
    """Every two runs of the same job beside each other, both ways; what refuses two of them is said when somebody asks."""
    for a, b in list(permutations(runs, 2))[: 2 * MOST_PAIRS]:
        try:
            yield f"{a.key} {b.key}", compared(a, b)
        except InputError as error:
            yield f"{a.key} {b.key}", {"error": str(error)}


def one_file(runs: Sequence[Run]) -> str:
    """The HTML of a page that holds these runs."""
    rows = sum(len(run.rows) for run in runs)
    if rows > MOST_ROWS:
        raise InputError(
            f"one file holds {MOST_ROWS:,} rows at most, and there are {rows:,}: leave --out away, or name fewer runs."
        )
    whole: dict[str, Any] = {
        **start(),
        "runs": [run.head() for run in runs],
        "details": {run.key: summary(run) for run in runs},
        "compared": dict(_compared(runs)),
        "rows": {run.key: {name: list(column) for name, column in run.rows.columns.items()} for run in runs},
    }
    text = json.dumps(plain(whole), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return document(base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii"))
