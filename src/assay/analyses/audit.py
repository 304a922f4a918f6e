"""Audit of a generated challenge set: share of bad items according to annotators, and inter-annotator agreement."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

from assay.core.review import ItemVerdict
from assay.core.table import Table, TableColumn
from assay.stats.proportions import wilson


def audit_tables(verdicts: Sequence[ItemVerdict]) -> list[Table]:
    """Return the share of bad items by perturbation and language pair, and the agreement between each pair of annotators.

    An item is counted once: as bad if at least half of its annotators call it bad.
    """
    if not verdicts:
        return []
    groups: dict[tuple[str, str], dict[str, list[bool]]] = {}
    for verdict in verdicts:
        group = groups.setdefault((verdict.perturbation, verdict.langpair), {})
        group.setdefault(verdict.item, []).append(verdict.bad)
    rows = [_row(*names, list(items.values())) for names, items in sorted(groups.items())]
    every = [item_verdicts for items in groups.values() for item_verdicts in items.values()]
    if len(rows) > 1:
        rows.append(_row("all", "", every))
    columns = [TableColumn("perturbation"), TableColumn("langpair"), TableColumn("read", kind="count")]
    columns += [TableColumn("bad", kind="count"), TableColumn("share", "bad, %", "percent", interval=("low", "high"))]
    reading = "Rejected and edited items count as bad. The 95% interval (Wilson) holds for the complete set if items were sampled."
    tables = [Table("audit", columns, rows, "Audit", reading=reading)]
    pairs = [_pair(*names, verdicts) for names in itertools.combinations(sorted({v.annotator for v in verdicts}), 2)]
    if any(row["items"] for row in pairs):
        columns = [TableColumn("first"), TableColumn("second"), TableColumn("items", kind="count")]
        columns += [TableColumn("agree", "agree, %", "percent"), TableColumn("kappa", "Cohen's κ", "number")]
        tables.append(Table("agreement", columns, pairs, "Agreement of annotators"))
    return tables


def _row(perturbation: str, langpair: str, items: Sequence[Sequence[bool]]) -> dict[str, Any]:
    bad = sum(2 * sum(verdicts) >= len(verdicts) for verdicts in items)
    low, high = wilson(bad, len(items))
    share = {"share": bad / len(items), "low": low, "high": high}
    return {"perturbation": perturbation, "langpair": langpair, "read": len(items), "bad": bad, **share}


def _pair(first: str, second: str, verdicts: Sequence[ItemVerdict]) -> dict[str, Any]:
    """Return raw agreement and Cohen's kappa for two annotators on the items that both of them judged."""
    verdicts_of = [{v.item: v.bad for v in verdicts if v.annotator == name} for name in (first, second)]
    both = [(verdicts_of[0][item], verdicts_of[1][item]) for item in verdicts_of[0] if item in verdicts_of[1]]
    row: dict[str, Any] = {"first": first or "-", "second": second or "-", "items": len(both)}
    if not both:
        return {**row, "agree": None, "kappa": None}
    agree = sum(a == b for a, b in both) / len(both)
    shares = [sum(pair[k] for pair in both) / len(both) for k in (0, 1)]
    chance = shares[0] * shares[1] + (1 - shares[0]) * (1 - shares[1])
    return {**row, "agree": agree, "kappa": (agree - chance) / (1 - chance) if chance < 1 else None}
