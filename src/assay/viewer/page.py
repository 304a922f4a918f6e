"""HTML of the page: the shell that the server sends, and a single file with compressed runs that needs no server."""

from __future__ import annotations

import base64
import gzip
import hashlib
import json
from collections.abc import Iterator, Sequence
from importlib.resources import files
from itertools import permutations
from typing import Any

from assay._version import __version__
from assay.core.columns import plain
from assay.core.errors import InputError
from assay.report.figures.canvas import PALETTE
from assay.report.figures.maps import ABOVE, BELOW, MIDDLE
from assay.viewer.comparison import compare_runs
from assay.viewer.runs import Run
from assay.viewer.summary import summary

MOST_ROWS = 50_000
"""Largest number of rows in a single file; the browser holds all of them."""
MOST_PAIRS = 15
"""Largest number of pairs of runs that are compared in a single file: those of six runs."""


def asset(name: str) -> str:
    """Return a built file: ``app.js``, ``app.css`` or ``licences.txt``."""
    return (files("assay.viewer") / "static" / name).read_text(encoding="utf-8")


def start() -> dict[str, Any]:
    """Return the data that the page needs before any run: the version and the figure colours."""
    return {"version": __version__, "palette": list(PALETTE), "heat": [BELOW, MIDDLE, ABOVE]}


def policy(*, served: bool) -> str:
    """Return the Content-Security-Policy: assay's script and style by their hashes; no other origin, frame or form."""
    script, style = (_hash(asset(name)) for name in ("app.js", "app.css"))
    parts = ["default-src 'none'", f"script-src '{script}'", f"style-src '{style}'", "img-src data:"]
    parts += ["connect-src 'self'" if served else "connect-src 'none'", "base-uri 'none'", "form-action 'none'"]
    return "; ".join([*parts, *(["frame-ancestors 'none'"] if served else [])])


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def document(embedded: str = "") -> str:
    """Return the HTML with style, script and, for a single file, the data. `embedded` is Base64, which needs no escaping."""
    meta = "" if not embedded else f'<meta http-equiv="Content-Security-Policy" content="{policy(served=False)}">\n'
    data = f'<script type="text/plain" id="assay-data">{embedded}</script>\n' if embedded else ""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{meta}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f'<title>assay view</title>\n<link rel="icon" href="data:,">\n<style>{asset("app.css")}</style>\n</head>\n<body>\n'
        f'<div id="app"></div>\n<noscript>This page needs JavaScript.</noscript>\n{data}<script>{asset("app.js")}</script>\n'
        "</body>\n</html>\n"
    )


def _comparisons(runs: Sequence[Run]) -> Iterator[tuple[str, Any]]:
    """Yield the comparison for each pair of runs in both directions; an error is shown when the user selects the pair."""
    for a, b in list(permutations(runs, 2))[: 2 * MOST_PAIRS]:
        try:
            yield f"{a.key} {b.key}", compare_runs(a, b)
        except InputError as error:
            yield f"{a.key} {b.key}", {"error": str(error)}


def one_file(runs: Sequence[Run], *, leave_out: bool = False) -> str:
    """Return the HTML of a page with these runs; with `leave_out`, without the rows of runs that would make it too large."""
    rows, included = 0, {}
    for run in runs:
        rows += len(run.rows)
        included[run.key] = rows <= MOST_ROWS
        if not included[run.key] and leave_out:
            rows -= len(run.rows)
            run.problems.append(
                f"its {len(run.rows):,} rows are not in this file, which holds at most {MOST_ROWS:,}. Save the run (--run-dir DIR) "
                "and use assay view DIR."
            )
    if rows > MOST_ROWS:
        raise InputError(
            f"one file holds at most {MOST_ROWS:,} rows, but there are {rows:,}. Omit --out, or specify fewer runs."
        )
    data: dict[str, Any] = {
        **start(),
        "runs": [run.head() for run in runs],
        "details": {run.key: summary(run) for run in runs},
        "compared": dict(_comparisons(runs)),
        "rows": {
            run.key: {name: list(column) if included[run.key] else [] for name, column in run.rows.columns.items()}
            for run in runs
        },
    }
    text = json.dumps(plain(data), ensure_ascii=True, allow_nan=False, separators=(",", ":"))
    return document(base64.b64encode(gzip.compress(text.encode("ascii"), mtime=0)).decode("ascii"))
