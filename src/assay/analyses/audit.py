"""How many items of a made set are bad, by what annotators said, and how far annotators agree."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from assay.core.review import ItemVerdict
from assay.core.table import Table, TableColumn
from assay.stats.proportions import wilson


def audit_tables(verdicts: Sequence[ItemVerdict]) -> list[Table]:
    """The share of bad items of each perturbation and language pair, and the agreement of every two annotators.

    An item counts once: as bad where at least half of its annotators say so.
    """
    if not verdicts:
        return []
    groups: dict[tuple[str, str], dict[str, list[bool]]] = {}
    for verdict in verdicts:
        group = groups.setdefault((verdict.perturbation, verdict.langpair), {})
        group.setdefault(verdict.item, []).append(verdict.bad)
    rows = [_row(*names, list(items.values())) for names, items in sorted(groups.items())]
    every = [said for items in groups.values() for said in items.values()]
    if len(rows) > 1:
        rows.append(_row("all", "", every))
    columns = [TableColumn("perturbation"), TableColumn("langpair"), TableColumn("read", kind="count")]
    columns += [TableColumn("bad", kind="count"), TableColumn("share", "bad, %", "percent", interval=("low", "high"))]
    reading = "Rejected and edited items are bad; the interval is Wilson's, at 95%, and holds for the set where items were sampled."
    tables = [Table("audit", columns, rows, "Audit", reading=reading)]
    pairs = [_pair(*names, verdicts) for names in itertools.combinations(sorted({v.annotator for v in verdicts}), 2)]
    if any(row["items"] for row in pairs):
        columns = [TableColumn("first"), TableColumn("second"), TableColumn("items", kind="count")]
        columns += [TableColumn("agree", "agree, %", "percent"), TableColumn("kappa", "Cohen's κ", "number")]
        tables.append(Table("agreement", columns, pairs, "Agreement of annotators"))
    return tables


def _row(perturbation: str, langpair: str, items: Sequence[Sequence[bool]]) -> dict[str, Any]:
    bad = sum(2 * sum(said) >= len(said) for said in items)
    low, high = wilson(bad, len(items))
    share = {"share": bad / len(items), "low": low, "high": high}
    return {"perturbation": perturbation, "langpair": langpair, "read": len(items), "bad": bad, **share}


def _pair(first: str, second: str, verdicts: Sequence[ItemVerdict]) -> dict[str, Any]:
    """Raw agreement and Cohen's kappa of two annotators over the items that both read."""
    said = [{v.item: v.bad for v in verdicts if v.annotator == name} for name in (first, second)]
    both = [(said[0][item], said[1][item]) for item in said[0] if item in said[1]]
    row: dict[str, Any] = {"first": first or "-", "second": second or "-", "items": len(both)}
    if not both:
        return {**row, "agree": None, "kappa": None}
    agree = sum(a == b for a, b in both) / len(both)
    shares = [sum(pair[k] for pair in both) / len(both) for k in (0, 1)]
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return {**row, "agree": agree, "kappa": (agree - chance) / (1 - chance) if chance < 1 else None}
