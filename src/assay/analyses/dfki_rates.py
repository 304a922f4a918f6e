"""What systems do well and badly on the DFKI suite: pass rates by phenomenon, from the verdicts on their outputs."""

from __future__ import annotations

from collections import Counter

from assay.core.table import Table, TableColumn
from assay.stats.proportions import wilson


def pass_rates(verdicts: Table) -> Table:
    """Passed, failed and open outputs of every phenomenon; the rate is over those with a verdict, with Wilson's interval."""
    counts: dict[tuple[str, str, str], Counter[str]] = {}
    sentences: dict[tuple[str, str, str], set[str]] = {}
    for row in verdicts.rows:
        place = row["langpair"], row["category"], row["phenomenon"]
        counts.setdefault(place, Counter())[row["verdict"]] += 1
        sentences.setdefault(place, set()).add(row["id"])
    rows = []
    for place, found in counts.items():
        decided = found["pass"] + found["fail"]
        low, high = wilson(found["pass"], decided) if decided else (None, None)
        rows.append(
            {
                **dict(zip(("langpair", "category", "phenomenon"), place, strict=True)),
                "sentences": len(sentences[place]),
                "n": found.total(),
                "pass": found["pass"],
                "fail": found["fail"],
                "unresolved": found["unresolved"],
                "rate": found["pass"] / decided if decided else None,
                "rate_low": low,
                "rate_high": high,
            }
        )
    columns = (
        TableColumn("langpair", "pair"),
        TableColumn("category"),
        TableColumn("phenomenon"),
        TableColumn("sentences", kind="count"),
        TableColumn("n", "outputs", "count"),
        TableColumn("pass", kind="count"),
        TableColumn("fail", kind="count"),
        TableColumn("unresolved", "open", "count"),
        TableColumn("rate", "pass rate", "percent", interval=("rate_low", "rate_high")),
        *(TableColumn(key, kind="percent", hidden=True) for key in ("rate_low", "rate_high")),
    )
    caption = "DFKI outputs by phenomenon: how many pass, of those with a verdict"
    return Table("phenomena", columns, rows, caption, ("open outputs are in no rate · 95% intervals: Wilson",))
