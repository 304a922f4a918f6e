"""ACES by language pair: tau of every pair and of every phenomenon in it, and how the examples are spread (Tables 10 and 11)."""

from __future__ import annotations

from collections import Counter

import numpy as np

from assay.analyses.aces.study import Study
from assay.analyses.languages import cell_table, cross, language_table
from assay.core.table import Table, TableColumn
from assay.data.aces import phenomena

PAIR = TableColumn("langpair", "pair")


def tables(everything: Study) -> list[Table]:
    """The tables by language pair; those of tau only where there are several pairs."""
    pairs = [item.langpair for item in everything.items]
    spread = [_pairs(everything), _phenomena(everything)]
    if len({pair for pair in pairs if pair}) < 2:
        return spread
    lines = np.array([everything.index[item.phenomenon] for item in everything.items], np.int64)
    crossing = cross(everything.outcome, lines, pairs, everything.sampling)
    others = [i for name, i in everything.index.items() if name not in phenomena()]
    labels = [{"phenomenon": name} for name in everything.index]
    mean = Table(
        "langpairs", (PAIR,), (), "ACES · tau by language pair, all items of a pair together", everything.notes,
        reading="Pairs differ in their phenomena: compare a pair with what its phenomena alone would give (expected).",
    )  # fmt: skip
    crossed = Table(
        "phenomenon_langpairs", (TableColumn("phenomenon"), PAIR), (), "ACES · tau by phenomenon and language pair",
        everything.notes, reading="One line a phenomenon in a language pair. Where n is small, read the pooled value.",
    )  # fmt: skip
    return [
        language_table(
            crossing, everything.measured, everything.sampling, mean, tau=True, plain=False, left_out=others
        ),
        cell_table(crossing, everything.measured, labels, crossed, tau=True),
        *spread,
    ]


def _pairs(everything: Study) -> Table:
    """Appendix A.4, Table 10: how many examples each language pair has, the largest first."""
    known = [item for item in everything.items if item.langpair]
    counts = Counter(item.langpair for item in known)
    kinds = Counter(pair for pair, _ in {(item.langpair, item.phenomenon) for item in known})
    rows = [{"langpair": pair, "n": n, "phenomena": kinds[pair]} for pair, n in sorted(counts.items(), key=_largest)]
    columns = (PAIR, TableColumn("n", "examples", "count"), TableColumn("phenomena", kind="count"))
    caption = f"ACES · examples in {len(rows):,} language pairs (Table 10)"
    reading = "How the examples are spread over the language pairs."
    return Table("langpair_examples", columns, rows, caption, reading=reading)


def _largest(entry: tuple[str, int]) -> tuple[int, str]:
    return -entry[1], entry[0]


def _phenomena(everything: Study) -> Table:
    """Appendix A.5, Table 11: the language pairs of each phenomenon, the largest first."""
    spread: dict[str, Counter[str]] = {name: Counter() for name in everything.index}
    for item in everything.items:
        spread[item.phenomenon][item.langpair] += 1
    rows = [
        {
            "phenomenon": name,
            "n": counts.total(),
            "pairs": sum(bool(pair) for pair in counts),
            "langpairs": ", ".join(pair for pair, _ in sorted(counts.items(), key=_largest) if pair),
        }
        for name, counts in spread.items()
    ]
    columns = (
        TableColumn("phenomenon"),
        TableColumn("n", "examples", "count"),
        TableColumn("pairs", kind="count"),
        TableColumn("langpairs", "language pairs"),
    )
    caption = "ACES · the language pairs of each phenomenon (Table 11)"
    reading = "In which language pairs each phenomenon has examples, the largest first."
    return Table("phenomenon_examples", columns, rows, caption, reading=reading)
