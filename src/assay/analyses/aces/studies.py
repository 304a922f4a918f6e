"""ACES tables for Sections 8.1 and 8.3 and by language pair: use of the source, and generalisation to other languages."""

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


def tables(study: Study) -> list[Table]:
    """Return the tables of Sections 8.1 and 8.3; a table whose phenomena are missing has no rows."""
    return [
        _source_sensitivity(study),
        _correlation_gain(study),
        _unseen_pairs(study),
        _untranslated_sentence(study),
    ]


def _source_sensitivity(study: Study) -> Table:
    """Return the phenomena whose good translation can be identified only from the source, and the mean over the eight (Table 4).

    The paper (Section 8.1) excludes metrics that do not read the source. Here all are shown, and `uses_source` distinguishes
    them.
    """
    needed = {one.name: one.source_needed for one in phenomena().values() if one.source_needed}
    names = [name for name in needed if name in study.index]
    lines = [(needed[name], [name]) for name in names] + ([("average", names)] if names else [])
    taus = study.estimates([study.mean(members) for _, members in lines])
    rows = [
        {
            "phenomenon": label,
            **metric_cells(metric),
            "group": group_of(metric.card),
            "uses_source": "no" if metric.card.needs in ("reference", "translation") else "yes",
            **study.sizes(m, members),
            **estimate_cells("tau", taus[i][m]),
        }
        for i, (label, members) in enumerate(lines)
        for m, metric in enumerate(study.measured)
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
    partial_note = (f"average over {len(names)} of {len(needed)} phenomena",) if len(names) < len(needed) else ()
    caption = "ACES · the source is needed to find the good translation (Table 4)"
    reading = "Only the source shows which translation is right; a metric that does not read it can only guess."
    pivot = Pivot("phenomenon", "metric", "tau")
    return Table("source_sensitivity", columns, rows, caption, (*partial_note, *study.notes), pivot, reading)


def _correlation_gain(study: Study) -> Table:
    """Return tau when the source contains the explaining clause, minus tau when it does not (Section 8.1, Table 5)."""
    rows: list[dict[str, Any]] = []
    if CLAUSE_IN_SOURCE in study.index and CLAUSE_NOWHERE in study.index:
        plus, minus = study.strata([CLAUSE_IN_SOURCE, CLAUSE_NOWHERE])
        gain = study.estimates([difference_weights(study.counts, plus, minus)])[0]
        sides = study.estimates([study.mean([CLAUSE_IN_SOURCE]), study.mean([CLAUSE_NOWHERE])], race=False)
        for m, metric in enumerate(study.measured):
            rows.append(
                {
                    **metric_cells(metric),
                    "group": group_of(metric.card),
                    **study.sizes(m, [CLAUSE_IN_SOURCE, CLAUSE_NOWHERE]),
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
    reading = "The gain of a metric if the source explains an ambiguity. Near 0, the metric does not use the source."
    return Table("correlation_gain", columns, rows, caption, study.notes, reading=reading)


def _unseen_pairs(study: Study) -> Table:
    """Return tau on WMT language pairs minus tau on pairs unseen in training (Section 8.3.1, Tables 7 and 9).

    The paper samples the larger side down to the size of the smaller one. Here both sides are used in full, which has the same
    expectation and less noise. The paper does not say which commonsense phenomenon it means, so both have rows.
    """
    # Table 7 lists them in alphabetical order.
    names = sorted(one.name for one in phenomena().values() if one.unseen_pairs and one.name in study.index)
    code = {
        (name, pair): 2 * i + side
        for i, name in enumerate(names)
        for side, pairs in enumerate((phenomena()[name].wmt_pairs, phenomena()[name].unseen_pairs))
        for pair in pairs
    }
    strata = np.array([code.get((item.phenomenon, item.langpair), -1) for item in study.items], np.int64)
    counts = count(study.outcome, strata, 2 * len(names), study.sampling)
    rows: list[dict[str, Any]] = []
    for i, name in enumerate(names):
        wmt, unseen = 2 * i, 2 * i + 1
        weightings = [
            mean_weights(counts, [wmt]),
            mean_weights(counts, [unseen]),
            difference_weights(counts, wmt, unseen),
        ]
        taus = estimates(counts, weightings, study.sampling, tau=True, race=False)
        for m, metric in enumerate(study.measured):
            if (strata == wmt).any() and (strata == unseen).any():
                rows.append(
                    {
                        "phenomenon": name,
                        **metric_cells(metric),
                        "n": int(counts.n[m, [wmt, unseen]].sum()),
                        "n_wmt": int(counts.n[m, wmt]),
                        "n_unseen": int(counts.n[m, unseen]),
                        **estimate_cells("tau_wmt", taus[0][m], first=None),
                        **estimate_cells("tau_unseen", taus[1][m], first=None),
                        **estimate_cells("difference", taus[2][m], first=None),
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
    reading = "Difference between language pairs of WMT and pairs that no metric was trained on."
    return Table("unseen_pairs", columns, rows, caption, without_places(study.notes), reading=reading)


def _untranslated_sentence(study: Study) -> Table:
    """Return whether a metric notices that the source was copied (Section 8.3.2, Figure 3)."""
    rows: list[dict[str, Any]] = []
    if COPIED_SOURCE in study.index:
        taus = study.estimates([study.mean([COPIED_SOURCE])])[0]
        rows = [
            {
                **metric_cells(metric),
                "group": group_of(metric.card),
                **study.sizes(m, [COPIED_SOURCE]),
                **estimate_cells("tau", taus[m]),
            }
            for m, metric in enumerate(study.measured)
        ]
    columns = (METRIC, TableColumn("group"), N, *TAU, UNSCORED, *MARKS)
    caption = "ACES · the source copied as translation (Figure 3)"
    reading = "Whether a metric notices that the source was copied instead of translated."
    rows = sorted(rows, key=lambda row: (GROUPS.index(row["group"]), -(row["tau"] if row["tau"] is not None else -2)))
    figures = (tau_dots("aces", "untranslated_sentence", "metric", "group"),)
    return Table("untranslated_sentence", columns, rows, caption, study.notes, reading=reading, figures=figures)


def language_tables(study: Study) -> list[Table]:
    """Return the tables by language pair; the tau tables only if there are several pairs."""
    pairs = [item.langpair for item in study.items]
    spread = [_pair_examples(study), _phenomenon_examples(study)]
    if len({pair for pair in pairs if pair}) < 2:
        return spread
    lines = np.array([study.index[item.phenomenon] for item in study.items], np.int64)
    crossing = cross(study.outcome, lines, pairs, study.sampling)
    others = [i for name, i in study.index.items() if name not in phenomena()]
    labels = [{"phenomenon": name} for name in study.index]
    mean = Table(
        "langpairs", (PAIR,), (), "ACES · tau by language pair, all items of a pair together", study.notes,
        reading="Pairs differ in their phenomena. Compare a pair with the value that its phenomena alone would give (expected).",
    )  # fmt: skip
    crossed = Table(
        "phenomenon_langpairs", (TableColumn("phenomenon"), PAIR), (), "ACES · tau by phenomenon and language pair",
        study.notes, reading="One row per phenomenon and language pair. If n is small, use the pooled value.",
    )  # fmt: skip
    return [
        language_table(crossing, study.measured, study.sampling, mean, tau=True, plain=False, left_out=others),
        cell_table(crossing, study.measured, labels, crossed, tau=True),
        *spread,
    ]


def _pair_examples(study: Study) -> Table:
    """Return the number of examples for each language pair, largest first (Appendix A.4, Table 10)."""
    with_pair = [item for item in study.items if item.langpair]
    counts = Counter(item.langpair for item in with_pair)
    kinds = Counter(pair for pair, _ in {(item.langpair, item.phenomenon) for item in with_pair})
    rows = [{"langpair": pair, "n": n, "phenomena": kinds[pair]} for pair, n in sorted(counts.items(), key=_largest)]
    columns = (PAIR, TableColumn("n", "examples", "count"), TableColumn("phenomena", kind="count"))
    caption = f"ACES · examples in {len(rows):,} language pairs (Table 10)"
    reading = "Number of examples of each language pair."
    return Table("langpair_examples", columns, rows, caption, reading=reading)


def _largest(entry: tuple[str, int]) -> tuple[int, str]:
    return -entry[1], entry[0]


def _phenomenon_examples(study: Study) -> Table:
    """Return the language pairs for each phenomenon, largest first (Appendix A.5, Table 11)."""
    spread: dict[str, Counter[str]] = {name: Counter() for name in study.index}
    for item in study.items:
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
    reading = "Language pairs with examples of each phenomenon, largest first."
    return Table("phenomenon_examples", columns, rows, caption, reading=reading)
