"""ACES tables (Amrhein, Moghe and Guillou 2022): Kendall's tau-like by phenomenon, category and language group, ACES-Score.

Tau is (better - not better) / all scored pairs; a tie counts as not better (Section 6.3). A category is the unweighted mean of its
phenomena (Section 7.1, Table 1), the ACES-Score their weighted sum (Section 7.2). A phenomenon's name alone determines its
category (`assay.data.aces`); names outside the 68 are shown separately and are not part of any mean. The studies of Section 8
are in `overlap` and `studies`, which also contains the tables by language pair.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from assay.analyses.aces import overlap, studies
from assay.analyses.aces.study import BLOCK, Study, block_of, count_outcomes, in_blocks
from assay.analyses.outcomes import Sampling, count, estimates, mean_weights
from assay.analyses.table_parts import (
    MARKS,
    METRIC,
    UNSCORED,
    estimate_cells,
    estimate_columns,
    metric_cells,
    outcome_cells,
    tau_dots,
    tau_map,
    tied_notes,
    with_average,
)
from assay.core.analysis import requires
from assay.core.errors import listing
from assay.core.item import Item
from assay.core.suite import Measured
from assay.core.table import Figure, Pivot, Table, TableColumn
from assay.data.aces import in_category, phenomena, weights

TAU = estimate_columns("tau")
N = TableColumn("n", kind="count")
TRAINED_PAIRS = frozenset({"en-de", "en-ru", "zh-en"})
"""Language pairs with training data at WMT 2022 (Section 7.4)."""


def _lacks(items: Sequence[Item]) -> str:
    if any(item.phenomenon in phenomena() for item in items):
        return ""
    return f"some of ACES's {len(phenomena())} names ({listing(phenomena(), 3)}) in the column phenomenon"


@requires("items", _lacks)
def tables(
    items: Sequence[Item],
    measured: Sequence[Measured],
    *,
    seed: int = 12345,
    samples: int = 1000,
    correction: str = "none",
) -> list[Table]:
    """Return all tables of the paper for which there are items."""
    sampling = Sampling(tuple(metric.name for metric in measured), seed, samples, correction)
    study = count_outcomes(items, measured, sampling)
    all_tables = [
        _aces_score(study),
        _categories(study),
        _sublevels(study),
        _language_groups(study),
        _phenomena(study),
        _other_phenomena(study),
        *studies.tables(study),
        *overlap.tables(study),
        *studies.language_tables(study),
    ]
    return [table for table in all_tables if table.rows]


def _phenomena(study: Study) -> Table:
    reading = "One row per phenomenon. Below 0, the metric prefers the error or ties."
    names = [name for name in study.index if name in phenomena()]
    figures = (tau_map("aces", "phenomena"),)
    return _by_name(study, names, "phenomena", "ACES · tau by phenomenon", reading, figures)


def _other_phenomena(study: Study) -> Table:
    caption = "Phenomena outside ACES's 68, in no mean"
    names = [name for name in study.index if name not in phenomena()]
    reading = "Phenomena in the file that are not in the paper; they enter no mean."
    return _by_name(study, names, "other_phenomena", caption, reading)


def _by_name(
    study: Study,
    names: Sequence[str],
    table: str,
    caption: str,
    reading: str,
    figures: Sequence[Figure] = (),
) -> Table:
    facts = [phenomena().get(name) for name in names]
    taus = study.estimates([study.mean([name]) for name in names])
    rows = [
        {
            "phenomenon": name,
            "category": fact.category if fact else "",
            "sublevel": fact.sub_level if fact else "",
            **metric_cells(metric),
            **study.sizes(m, [name]),
            **(cells := estimate_cells("tau", taus[i][m])),
            **_pairs(study, m, name, cells["first"]),
        }
        for i, (name, fact) in enumerate(zip(names, facts, strict=True))
        for m, metric in enumerate(study.measured)
    ]
    columns = (
        TableColumn("phenomenon"),
        TableColumn("category"),
        TableColumn("sublevel", hidden=True),
        METRIC,
        N,
        *estimate_columns("tau", mark="marks"),
        TableColumn("ties", kind="count", hidden=True),
        UNSCORED,
        *MARKS,
    )
    pivot = Pivot("phenomenon", "metric", "tau")
    return Table(table, columns, rows, caption, (*tied_notes(rows), *study.notes), pivot, reading, figures)


def _pairs(study: Study, m: int, name: str, first: str) -> dict[str, Any]:
    """Return a metric's wins, ties and losses on a phenomenon."""
    counts, k = study.counts, study.index[name]
    return outcome_cells(int(counts.n[m, k]), int(counts.hits[m, k]), int(counts.ties[m, k]), first=first)


def _missing(study: Study, names: Sequence[str], m: int | None = None) -> list[str]:
    """Return the phenomena that have no items, or none that metric `m` scored."""
    counts = study.counts
    return [
        name for name in names if name not in study.index or (m is not None and counts.n[m, study.index[name]] == 0)
    ]


def _mean_table(study: Study, key: str, groups: dict[str, list[str]], table: str, caption: str) -> Table:
    """Return one row per group of phenomena and metric: the unweighted mean of the phenomena's tau."""
    groups = {group: names for group, names in groups.items() if study.strata(names)}
    taus = study.estimates([study.mean(names) for names in groups.values()])
    rows: list[dict[str, Any]] = []
    for i, (group, names) in enumerate(groups.items()):
        for m, metric in in_blocks(study.measured):
            missing = _missing(study, names, m)
            rows.append(
                {
                    key: group,
                    **metric_cells(metric),
                    "block": block_of(metric.card),
                    "phenomena": len(names) - len(missing),
                    "missing_phenomena": len(missing),
                    **study.sizes(m, names),
                    **estimate_cells("tau", taus[i][m]),
                }
            )
    columns = (
        TableColumn(key),
        METRIC,
        BLOCK,
        TableColumn("phenomena", kind="count"),
        TableColumn("missing_phenomena", "missing", kind="count", hidden=True),
        N,
        *TAU,
        UNSCORED,
        *MARKS,
    )
    notes = (*_gaps(study, groups), *study.notes)
    return Table(table, columns, with_average(rows, [key], ["tau"]), caption, notes, Pivot("metric", key, "tau"))


def _gaps(study: Study, groups: dict[str, list[str]]) -> list[str]:
    """Return notes on groups in which some phenomena have no items, so their means are not comparable with the published ones."""
    return [
        f"{group}: {len(names) - len(missing)} of {len(names)} phenomena present, not comparable with the paper; "
        f"missing {listing(missing, 4)}"
        for group, names in groups.items()
        if (missing := _missing(study, names))
    ]


def _categories(study: Study) -> Table:
    groups = {category: in_category(category) for category in weights()}
    table = _mean_table(study, "category", groups, "categories", "ACES · mean tau by category (Table 1)")
    reading = (
        "Tau ranges from -1 (the wrong translation always wins or ties) to 1 (the good one always wins); 0 is chance. A "
        "category is the plain mean of its phenomena."
    )
    return replace(table, reading=reading, figures=(tau_dots("aces", "categories", "category"),))


def _sublevels(study: Study) -> Table:
    groups: dict[str, list[str]] = {}
    for one in phenomena().values():
        if one.sub_level:
            groups.setdefault(one.sub_level, []).append(one.name)
    table = _mean_table(study, "sublevel", groups, "sublevels", "ACES · mistranslation by sub-level (Table 2)")
    return replace(table, reading="The largest category, mistranslation, split into its three kinds.")


def _aces_score(study: Study) -> Table:
    """Return the ACES-Score (Section 7.2).

    The score requires items in every category; `partial` is the weighted sum over the categories that have some. A category
    still counts if some of its phenomena are missing, as in the authors' script. The table then shows how many are missing, and
    a note warns that the score is not comparable with published ones.
    """
    by_category = {category: study.mean(in_category(category)) for category in weights()}
    complete, partial = np.zeros(study.counts.n.shape), np.zeros(study.counts.n.shape)
    for category, weight in weights().items():
        complete += weight * by_category[category]
        partial += weight * np.nan_to_num(by_category[category])
    scores, partials = study.estimates([complete]), study.estimates([partial], race=False)
    rows: list[dict[str, Any]] = []
    for m, metric in in_blocks(study.measured):
        absent = [category for category, weights in by_category.items() if np.isnan(weights[m]).any()]
        rows.append(
            {
                **metric_cells(metric),
                "block": block_of(metric.card),
                **study.sizes(m, list(phenomena())),
                **estimate_cells("aces_score", scores[0][m]),
                **estimate_cells("partial", partials[0][m], first=None),
                "missing_categories": ", ".join(absent),
                "missing_phenomena": len(_missing(study, list(phenomena()), m)),
            }
        )
    any_missing = any(row["missing_phenomena"] for row in rows)
    columns = (
        METRIC,
        BLOCK,
        *estimate_columns("aces_score", "ACES-Score", decimals=2),
        *(
            TableColumn(column.key, column.label, "number", 2, interval=column.interval, hidden=True)
            for column in estimate_columns("partial")
        ),
        TableColumn("missing_categories", "missing categories", hidden=True),
        TableColumn("missing_phenomena", "missing phenomena", "count", hidden=not any_missing),
        N,
        UNSCORED,
        *MARKS,
    )
    groups = {category: in_category(category) for category in weights()}
    absent = [category for category, names in groups.items() if not study.strata(names)]
    notes = [f"no ACES-Score: no items for {listing(absent)}; partial sums the other categories"] if absent else []
    notes += _gaps(study, {category: names for category, names in groups.items() if category not in absent})
    caption = "ACES-Score, from -29.1 to 29.1 (Section 7.2)"
    reading = "Sum of the ten categories with the paper's weights: most accuracy errors count five times, punctuation a tenth."
    score_rows = with_average(rows, [], ["aces_score", "partial"]) if study.strata(list(phenomena())) else []
    return Table("aces_score", columns, score_rows, caption, (*notes, *study.notes), reading=reading)


def _language_groups(study: Study) -> Table:
    """Return tau over all pairs in a language group; `trained` pairs also count in their direction (Section 7.4, Table 3).

    The paper does not say whether its average is over pairs of translations, phenomena or language pairs. Pooling fits the
    published rows best. Under pooling, chrF and BLEU on x-y would need a tau of about -0.12 and -0.37 on the hallucination
    items that are not public, close to -0.14 and -0.42 for hallucinations in Table 2. A mean over phenomena would require -0.5
    for both. This is evidence, not proof.
    """
    names = ("trained", "en-x", "x-en", "x-y")
    pairs = [item.langpair for item in study.items]
    code = {pair: _direction(pair) for pair in dict.fromkeys(pairs)}
    direction = np.array([code[pair] for pair in pairs], np.int64)
    trained = np.flatnonzero([pair in TRAINED_PAIRS for pair in pairs])
    rows_taken = np.concatenate([trained, np.arange(len(pairs))])
    strata = np.concatenate([np.zeros(len(trained), np.int64), direction])
    counts = count(study.outcome.take(rows_taken), strata, len(names), study.sampling)
    present = [k for k in range(len(names)) if (strata == k).any()]
    taus = estimates(counts, [mean_weights(counts, [k]) for k in present], study.sampling, tau=True)
    rows = [
        {
            "language_group": names[k],
            **metric_cells(metric),
            "n": int(counts.n[m, k]),
            **estimate_cells("tau", taus[i][m]),
            "unscored": int(counts.unscored[m, k]),
        }
        for i, k in enumerate(present)
        for m, metric in enumerate(study.measured)
    ]
    columns = (TableColumn("language_group", "language group"), METRIC, N, *TAU, UNSCORED, *MARKS)
    caption = "ACES · tau by language group, all pairs pooled (Table 3)"
    reading = (
        "Tau over all items of a direction. A metric that is worse outside its trained pairs does not generalise to new "
        "languages."
    )
    pivot = Pivot("metric", "language_group", "tau")
    return Table("language_groups", columns, rows, caption, study.notes, pivot, reading)


def _direction(pair: str) -> int:
    """Return the stratum for a language pair: 1 out of English, 2 into English, 3 neither; -1 if the pair is unknown."""
    source, _, target = pair.partition("-")
    if not target:
        return -1
    return 1 if source == "en" else 2 if target == "en" else 3
