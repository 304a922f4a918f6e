"""The page as one file: no server, no network. Runs and rows lie in it, packed."""

from __future__ import annotations

import base64
import gzip
import json
from collections.abc import Iterator, Sequence
from itertools import permutations
from typing import Any

from assay.core.columns import plain
from assay.core.errors import InputError
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


def one_file(runs: Sequence[Run], *, leave_out: bool = False) -> str:
    """The HTML of a page that holds these runs; with `leave_out`, without the rows of those that would make it too large."""
    rows, held = 0, {}
    for run in runs:
        rows += len(run.rows)
        held[run.key] = rows <= MOST_ROWS
        if not held[run.key] and leave_out:
            rows -= len(run.rows)
            run.problems.append(
                f"its {len(run.rows):,} rows are not in this file, which holds {MOST_ROWS:,} at most: keep the run (--run-dir DIR) "
                "and see assay view DIR."
            )
    if rows > MOST_ROWS:
        raise InputError(
            f"one file holds {MOST_ROWS:,} rows at most, and there are {rows:,}: leave --out away, or name fewer runs."
        )
    whole: dict[str, Any] = {
        **start(),
        "runs": [run.head() for run in runs],
        "details": {run.key: summary(run) for run in runs},
        "compared": dict(_compared(runs)),
        "rows": {
            run.key: {name: list(column) if held[run.key] else [] for name, column in run.rows.columns.items()}
            for run in runs
        },
    }
    text = json.dumps(plain(whole), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return document(base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii"))
