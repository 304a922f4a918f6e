"""The page as it was built from ``web/``, its colours, and the policy under which a browser runs it."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from typing import Any

from assay._version import __version__
from assay.report.figures.canvas import PALETTE
from assay.report.figures.heatmap import ABOVE, BELOW, MIDDLE


def asset(name: str) -> str:
    """A built file: ``app.js``, ``app.css`` or ``licences.txt``."""
    return (files("assay.viewer") / "static" / name).read_text(encoding="utf-8")


def start() -> dict[str, Any]:
    """What the page knows before any run: whose it is, and the colours of our figures."""
    return {"version": __version__, "palette": list(PALETTE), "heat": [BELOW, MIDDLE, ABOVE]}


def policy(*, served: bool) -> str:
    """The Content-Security-Policy: our script and our style by their hashes, no other origin, no frame, no form."""
    script, style = (_hash(asset(name)) for name in ("app.js", "app.css"))
    parts = ["default-src 'none'", f"script-src '{script}'", f"style-src '{style}'", "img-src data:"]
    parts += ["connect-src 'self'" if served else "connect-src 'none'", "base-uri 'none'", "form-action 'none'"]
    return "; ".join([*parts, *(["frame-ancestors 'none'"] if served else [])])


def _hash(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()


def document(embedded: str = "") -> str:
    """The HTML: style, script, and the data where the page is one file. `embedded` is Base64, in which nothing needs escaping."""
    meta = "" if not embedded else f'<meta http-equiv="Content-Security-Policy" content="{policy(served=False)}">\n'
    data = f'<script type="text/plain" id="assay-data">{embedded}</script>\n' if embedded else ""
    return (
        f'<!doctype html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n{meta}'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n<meta name="referrer" content="no-referrer">\n'
        f'<title>assay view</title>\n<link rel="icon" href="data:,">\n<style>{asset("app.css")}</style>\n</head>\n<body>\n'
        f'<div id="app"></div>\n<noscript>This page needs JavaScript.</noscript>\n{data}<script>{asset("app.js")}</script>\n'
        "</body>\n</html>\n"
    )
