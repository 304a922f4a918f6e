"""The table of ``docs/metrics.md``, made from the cards of the registered metrics when the site is built.

Measured speeds are in ``scripts/metric_speeds.csv``.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

SPEEDS = Path(__file__).resolve().parents[1] / "metric_speeds.csv"
MARKER = "<!-- table of metrics: scripts/site/metrics_table.py -->\n"
"""The line of the page that the table replaces."""
KINDS = {
    "string": "String metrics",
    "checks": "Deterministic checks",
    "embedding": "Embeddings of a pretrained encoder",
    "learned": "Learned from human judgements",
    "likelihood": "Probability of a text",
    "judge": "Language models as judges",
    "baseline": "Baselines: what a metric must beat",
}
"""The kinds of metrics, in the order of `assay list metrics`, with their headings."""
MANY = 12
"""Number of languages from which on the table shows their number instead of their codes."""


def speeds() -> dict[str, str]:
    """Return the measured speeds of each metric, as shown in the table."""
    lines = [line for line in SPEEDS.read_text(encoding="utf-8").splitlines() if not line.startswith("#")]
    found: dict[str, list[str]] = {}
    for row in csv.DictReader(lines):
        found.setdefault(row["metric"], []).append(f"{row['segments']} ({row['on']})")
    return {name: "; ".join(measured) for name, measured in found.items()}


def table() -> str:
    """Return a Markdown table of all registered metrics, by kind."""
    from assay.metrics import METRICS

    cards = {name: METRICS.resolve(name).card for name in METRICS.entries}
    strange = sorted({card.kind for card in cards.values()} - KINDS.keys())
    if strange:
        raise ValueError(f"no heading for metrics of the kind {strange[0]}: add one to KINDS")
    measured, lines = speeds(), []
    if unknown := sorted(measured.keys() - cards.keys()):
        raise ValueError(f"{SPEEDS.name} names {unknown[0]}, which is not a metric")
    for kind, title in KINDS.items():
        rows = [_row(name, card, measured.get(name, "")) for name, card in cards.items() if card.kind == kind]
        if rows:
            head = "| metric | paper | how to get it | reads | languages | licence | segments/s |\n|---|---|---|---|---|---|---|"
            lines += [f"## {title}", "", head, *rows, ""]
    return "\n".join(lines)


def _row(name: str, card: Any, speed: str) -> str:
    get = [f"`pip install 'mt-assay[{card.extra}]'`"] if card.extra else []
    if card.weights:
        said = f"`{card.weights.get}`" if card.weights.get.startswith("assay ") else card.weights.get
        get.append(f"{said} ({card.weights.size})" if card.weights.size else said)
        get += [card.weights.given] if card.weights.given else []
    if card.service:
        get.append(card.service)
    spoken = "any" if card.languages == ("any",) else ", ".join(card.languages)
    if len(card.languages) > MANY:
        spoken = f"{len(card.languages)}"
    cells = [f"`{name}`", card.citation, "; ".join(get) or "ready", card.needs, spoken, card.licence, speed]
    return f"| {' | '.join(str(cell).replace('|', chr(92) + '|') or '' for cell in cells)} |"


def page(markdown: str) -> str:
    """Return the page with the table in place of its marker."""
    before, marker, after = markdown.partition(MARKER)
    if not marker:
        raise ValueError(f"docs/metrics.md has no line {MARKER}")
    return f"{before}{table()}{after}"
