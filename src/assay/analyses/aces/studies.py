"""ACES, Sections 8.1 and 8.3: does a metric look at the source, and does it generalise to languages it has not seen?"""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np

from assay.analyses.aces.study import GROUPS, Study, group_of
from assay.analyses.languages import cell_table, cross, language_table
from assay.analyses.outcomes import count, difference_weights, estimates, mean_weights
from assay.analyses.table_parts import (
    MARKS,
    METRIC,
    UNSCORED,
    estimate_cells,
    estimate_columns,
    metric_cells,
    tau_dots,
    without_places,
)
from assay.core.table import Pivot, Table, TableColumn
from assay.data.aces import phenomena

N = TableColumn("n", kind="count")
TAU = estimate_columns("tau")
GROUP = TableColumn("group", hidden=True)
PAIR = TableColumn("langpair", "pair")
CLAUSE_IN_SOURCE, CLAUSE_NOWHERE = "commonsense-only-ref-ambiguous", "commonsense-src-and-ref-ambiguous"
COPIED_SOURCE = "copy-source"


def tables(everything: Study) -> list[Table]:
    """The tables of Sections 8.1 and 8.3; one whose phenomena are not there has no rows."""
    return [
        _source_sensitivity(everything),
        _correlation_gain(everything),
        _unseen_pairs(everything),
        _untranslated_sentence(everything),
    ]


def _source_sensitivity(everything: Study) -> Table:
    """Section 8.1, Table 4: phenomena whose good translation shows only in the source, and the mean over the eight.

    The paper leaves out metrics that do not read the source; here all are shown and `uses_source` tells them apart.
    """
    needed = {one.name: one.source_needed for one in phenomena().values() if one.source_needed}
    names = [name for name in needed if name in everything.index]
    lines = [(needed[name], [name]) for name in names] + ([("average", names)] if names else [])
    found = everything.estimates([everything.mean(members) for _, members in lines])
    rows = [
        {
            "phenomenon": label,
            **metric_cells(metric),
            "group": group_of(metric.card),
            "uses_source": "no" if metric.card.needs in ("reference", "translation") else "yes",
            **everything.sizes(m, members),
            **estimate_cells("tau", found[i][m]),
        }
        for i, (label, members) in enumerate(lines)
        for m, metric in enumerate(everything.measured)
    ]
    columns = (
        TableColumn("phenomenon"),
        METRIC,
        GROUP,
        TableColumn("uses_source", hidden=True),
        N,
        *TAU,
        UNSCORED,
        *MARKS,
    )
    some = (f"average over {len(names)} of {len(needed)} phenomena",) if len(names) < len(needed) else ()
    caption = "ACES · good translation shows only in the source (Table 4)"
    reading = "Only the source tells here which translation is right: a metric without it can at best guess."
    pivot = Pivot("phenomenon", "metric", "tau")
    return Table("source_sensitivity", columns, rows, caption, (*some, *everything.notes), pivot, reading)


def _correlation_gain(everything: Study) -> Table:
    """Section 8.1, Table 5: tau with the explaining clause in the source, less tau without it."""
    rows: list[dict[str, Any]] = []
    if CLAUSE_IN_SOURCE in everything.index and CLAUSE_NOWHERE in everything.index:
        plus, minus = everything.strata([CLAUSE_IN_SOURCE, CLAUSE_NOWHERE])
        gain = everything.estimates([difference_weights(everything.counts, plus, minus)])[0]
        sides = everything.estimates(
            [everything.mean([CLAUSE_IN_SOURCE]), everything.mean([CLAUSE_NOWHERE])], race=False
        )
        for m, metric in enumerate(everything.measured):
            rows.append(
                {
                    **metric_cells(metric),
                    "group": group_of(metric.card),
                    **everything.sizes(m, [CLAUSE_IN_SOURCE, CLAUSE_NOWHERE]),
                    **estimate_cells("tau_with", sides[0][m], first=None),
                    **estimate_cells("tau_without", sides[1][m], first=None),
                    **estimate_cells("gain", gain[m]),
                }
            )
    columns = (
        METRIC,
        GROUP,
        N,
        *estimate_columns("tau_with", "clause in source", mark=None),
        *estimate_columns("tau_without", "clause nowhere", mark=None),
        *estimate_columns("gain"),
        UNSCORED,
        *MARKS,
    )
    caption = "ACES · gain from an explaining clause in the source (Table 5)"
    reading = "What a metric gains when the source explains an ambiguity; near 0 it does not read the source."
    return Table("correlation_gain", columns, rows, caption, everything.notes, reading=reading)


def _unseen_pairs(everything: Study) -> Table:
    """Section 8.3.1, Tables 7 and 9: tau on WMT's language pairs less tau on pairs unseen in training (Appendix A.3).

    The paper draws as many examples from the larger side as the smaller has; here both sides are used whole, which has
    the same expectation and less noise. Which commonsense phenomenon it means is left open, so both have rows.
    """
    # Table 7 has them in the order of the alphabet.
    there = sorted(one.name for one in phenomena().values() if one.unseen_pairs and one.name in everything.index)
    code = {
        (name, pair): 2 * i + side
        for i, name in enumerate(there)
        for side, pairs in enumerate((phenomena()[name].wmt_pairs, phenomena()[name].unseen_pairs))
        for pair in pairs
    }
    strata = np.array([code.get((item.phenomenon, item.langpair), -1) for item in everything.items], np.int64)
    counts = count(everything.outcome, strata, 2 * len(there), everything.sampling)
    rows: list[dict[str, Any]] = []
    for i, name in enumerate(there):
        wmt, unseen = 2 * i, 2 * i + 1
        weightings = [
            mean_weights(counts, [wmt]),
            mean_weights(counts, [unseen]),
            difference_weights(counts, wmt, unseen),
        ]
        found = estimates(counts, weightings, everything.sampling, tau=True, race=False)
        for m, metric in enumerate(everything.measured):
            if (strata == wmt).any() and (strata == unseen).any():
                rows.append(
                    {
                        "phenomenon": name,
                        **metric_cells(metric),
                        "n": int(counts.n[m, [wmt, unseen]].sum()),
                        "n_wmt": int(counts.n[m, wmt]),
                        "n_unseen": int(counts.n[m, unseen]),
                        **estimate_cells("tau_wmt", found[0][m], first=None),
                        **estimate_cells("tau_unseen", found[1][m], first=None),
                        **estimate_cells("difference", found[2][m], first=None),
                        "unscored": int(counts.unscored[m, [wmt, unseen]].sum()),
                    }
                )
    columns = (
        TableColumn("phenomenon"),
        METRIC,
        TableColumn("n", kind="count", hidden=True),
        TableColumn("n_wmt", "n WMT", kind="count"),
        TableColumn("n_unseen", "n unseen", kind="count"),
        *estimate_columns("tau_wmt", "WMT pairs", mark=None),
        *estimate_columns("tau_unseen", "unseen pairs", mark=None),
        *estimate_columns("difference", mark=None),
        UNSCORED,
        MARKS[1],
    )
    caption = "ACES · WMT's language pairs against unseen ones (Tables 7 and 9)"
    reading = "Difference between language pairs of WMT and pairs no metric was trained on."
    return Table("unseen_pairs", columns, rows, caption, without_places(everything.notes), reading=reading)


def _untranslated_sentence(everything: Study) -> Table:
    """Section 8.3.2, Figure 3: does a metric notice that the whole source was copied?"""
    rows: list[dict[str, Any]] = []
    if COPIED_SOURCE in everything.index:
        found = everything.estimates([everything.mean([COPIED_SOURCE])])[0]
        rows = [
            {
                **metric_cells(metric),
                "group": group_of(metric.card),
                **everything.sizes(m, [COPIED_SOURCE]),
                **estimate_cells("tau", found[m]),
            }
            for m, metric in enumerate(everything.measured)
        ]
    columns = (METRIC, TableColumn("group"), N, *TAU, UNSCORED, *MARKS)
    caption = "ACES · the source copied as translation (Figure 3)"
    reading = "Whether a metric notices that the source was copied instead of translated."
    rows = sorted(rows, key=lambda row: (GROUPS.index(row["group"]), -(row["tau"] if row["tau"] is not None else -2)))
    figures = (tau_dots("aces", "untranslated_sentence", "metric", "group"),)
    return Table("untranslated_sentence", columns, rows, caption, everything.notes, reading=reading, figures=figures)


def language_tables(everything: Study) -> list[Table]:
    """The tables by language pair; those of tau only where there are several pairs."""
    pairs = [item.langpair for item in everything.items]
    spread = [_pair_examples(everything), _phenomenon_examples(everything)]
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


def _pair_examples(everything: Study) -> Table:
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


def _phenomenon_examples(everything: Study) -> Table:
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
