"""Comparison tables: systems, differences with tests, pairs of systems, groups of segments, score components."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from assay.analyses.comparison import FEWEST, SIGNIFICANT, Duel, Standing, Standings
from assay.analyses.verdict import Outcome
from assay.core.errors import count
from assay.core.metric import Metric
from assay.core.table import Table, TableColumn
from assay.data.agreement import AgreementEstimate, about

BETTER, WORSE = "*", "!"


def labels(metrics: Mapping[str, Metric]) -> dict[str, str]:
    """Return the heading of each metric; a local model is called by its name if that is unique."""
    shown = [metric.card.label for metric in metrics.values()]
    return {
        name: metric.card.label
        if name == metric.card.name or ("/" in name and shown.count(metric.card.label) == 1)
        else name
        for name, metric in metrics.items()
    }


def score_columns(metrics: Mapping[str, Metric]) -> list[TableColumn]:
    """Return one column per metric, with interval and mark."""
    return [
        TableColumn(
            name,
            labels(metrics)[name],
            "number",
            metric.card.decimals,
            lower_is_better=not metric.card.higher_is_better,
            interval=(f"{name} low", f"{name} high"),
            mark=f"{name} mark",
        )
        for name, metric in metrics.items()
    ]


def systems(
    standings: Standings, metrics: Mapping[str, Metric], *, caption: str = "", notes: Sequence[str] = ()
) -> Table:
    """Return one row per system and one column per metric, with intervals and marks if available."""
    columns = [TableColumn("system", " "), *score_columns(metrics)]
    rows = [{"system": system, **cells(row, metrics, system, standings)} for system, row in standings.items()]
    return Table("systems", columns, rows, caption=caption, notes=tuple(notes))


def cells(
    row: Mapping[str, Standing], metrics: Mapping[str, Metric], system: str, standings: Standings
) -> dict[str, Any]:
    """Return one system's cells for every metric."""
    baseline = next(iter(standings))
    result: dict[str, Any] = {}
    for name, standing in row.items():
        result[name] = standing.score
        if standing.low is not None:
            result[f"{name} low"], result[f"{name} high"] = standing.low, standing.high
        if standing.difference is None:
            continue
        result[f"{name} p bootstrap"] = standing.p_bootstrap
        result[f"{name} p randomization"] = standing.p_randomization
        result[f"{name} mark"] = mark(standing)
        result[f"{name} difference"] = standing.difference
        result[f"{name} difference low"], result[f"{name} difference high"] = (
            standing.difference_low,
            standing.difference_high,
        )
        result[f"{name} p"] = standing.p
        result[f"{name} people agree"] = standing.people_agree
        if standing.agreement is not None:
            result[f"{name} people agree pairs"] = standing.agreement.wmt23.pairs
        result[f"{name} sentence"] = sentence(standing, metrics[name], system, baseline)
        if standing.identical:
            result[f"{name} identical"] = True
    return result


def mark(comparison: Standing | Duel) -> str:
    """Return the mark for a better or worse system."""
    return BETTER if comparison.better else WORSE if comparison.worse else ""


def sentence(standing: Standing, metric: Metric, system: str, baseline: str) -> str:
    """Describe a difference in words, for output formats without tables."""
    label, difference = metric.card.label, standing.difference or 0.0
    if standing.identical:
        return f"{system} is identical to {baseline} by {label}."
    size = f"{_signed(difference, metric.card.decimals)} {label}"
    if standing.p is None:
        verdict = f"too few segments to tell {system} from {baseline} ({size})"
    else:
        sure = f"p = {standing.p:.3f}" if standing.p >= 0.001 else "p < 0.001"
        which = "better than" if standing.better else "worse than" if standing.worse else "not shown to differ from"
        verdict = f"{system} is {which} {baseline} ({size}, {sure})"
    return f"{verdict}." + ("" if standing.agreement is None else f" {agreement_sentence(standing.agreement)}")


def agreement_sentence(estimate: AgreementEstimate) -> str:
    """Describe how often annotators agree with such a difference, with the number of system pairs."""
    pairs_name = {"all": "pairs", "into English": "pairs into English", "from English": "pairs from English"}[
        estimate.languages
    ]
    text = (
        "At WMT23, annotators preferred the same system in "
        f"{estimate.wmt23.in_words(f'of {pairs_name} that differed by this much')}"
    )
    if estimate.better is not None:
        text += f"; among the better half of the systems, in {estimate.better.in_words()}"
    if estimate.published is not None and estimate.published < estimate.wmt23.share:
        text += f"; a larger study puts it at {estimate.published:.0%} (Kocmi et al. 2024)"
    return f"{text}."


def outcomes(standings: Standings, metrics: Mapping[str, Metric]) -> dict[str, dict[str, Outcome]]:
    """Return the outcome for each metric, by its heading, for every system except the baseline."""
    called = labels(metrics)
    return {
        system: {called[name]: _outcome(standing) for name, standing in row.items()}
        for system, row in list(standings.items())[1:]
    }


def _outcome(standing: Standing) -> Outcome:
    if standing.better or standing.worse:
        return "better" if standing.better else "worse"
    if standing.identical:
        return "identical"
    return "untested" if standing.p is None else "no difference"


def differences(
    duels: Mapping[str, Iterable[Duel]],
    metrics: Mapping[str, Metric],
    notes: Sequence[str] = (),
    *,
    all_pairs: bool = False,
) -> Table:
    """Return one row per metric and pair of systems: the difference, its interval, p, and how often annotators agree."""
    called = labels(metrics)
    all_duels = [duel for metric_duels in duels.values() for duel in metric_duels]
    order = {(duel.first, duel.second): None for duel in all_duels}
    rows = [
        _row(duel, metrics[duel.metric], called)
        for two in order
        for duel in all_duels
        if (duel.first, duel.second) == two
    ]
    columns = [
        TableColumn("system"),
        TableColumn("against", hidden=not all_pairs),
        TableColumn("label", "metric"),
        TableColumn("difference", "difference", "change", digits="decimals", mark="mark"),
        TableColumn("interval", "95% interval"),
        TableColumn("p", kind="p"),
        TableColumn("words", "annotators agree", hidden=not any(row["words"] for row in rows)),
        TableColumn("better_words", "better half", hidden=not any(row["better_words"] for row in rows)),
        TableColumn("metric", hidden=True),
        *(
            TableColumn(key, kind="number", hidden=True)
            for key in ("low", "high", "people_agree", "people_agree_pairs", "decimals")
        ),
        *(TableColumn(key, kind="p", hidden=True) for key in ("p_bootstrap", "p_randomization")),
        TableColumn("mark", hidden=True),
    ]
    baseline = all_duels[0].first
    caption = "all pairs of systems" if all_pairs else f"differences from {baseline}"
    agreement = agreement_notes(all_duels) if not all_pairs else []
    return Table("pairs" if all_pairs else "differences", columns, rows, caption, (*notes, *agreement))


def _row(duel: Duel, metric: Metric, called: Mapping[str, str]) -> dict[str, Any]:
    decimals = metric.card.decimals
    bounded = duel.low is not None and duel.high is not None
    agreement = duel.agreement
    better = None if agreement is None else agreement.better
    return {
        "system": duel.second,
        "against": duel.first,
        "metric": duel.metric,
        "label": called[duel.metric] + ("" if metric.card.higher_is_better else " ↓"),
        "difference": duel.difference,
        "low": duel.low,
        "high": duel.high,
        "interval": f"{_signed(duel.low or 0, decimals)} to {_signed(duel.high or 0, decimals)}" if bounded else "",
        "p": duel.p,
        "p_bootstrap": duel.p_bootstrap,
        "p_randomization": duel.p_randomization,
        "mark": mark(duel),
        "people_agree": duel.people_agree,
        "people_agree_pairs": None if agreement is None else agreement.wmt23.pairs,
        "words": "" if agreement is None else f"{about(agreement.share)} (n = {agreement.wmt23.pairs})",
        "better_words": "" if better is None else f"{about(better.share)} (n = {better.pairs})",
        "decimals": decimals,
    }


def _signed(value: float, decimals: int) -> str:
    return f"{value:+,.{decimals}f}"


def agreement_notes(duels: Iterable[Duel]) -> list[str]:
    """Explain the origin of the agreement shares."""
    estimates = [duel.agreement for duel in duels if duel.agreement is not None]
    if not estimates:
        return []
    groups = {one.languages for one in estimates} - {"all"}
    group_names = f" ({', '.join(sorted(groups))})" if groups else ""
    note = f"annotators agree: in this share of n pairs of systems at WMT23{group_names} that differed by this much"
    if any(one.better is not None for one in estimates):
        note += "; better half: among the better half of the systems"
    if any(one.published is not None and one.published < one.wmt23.share for one in estimates):
        note += "; at most the share in a larger study (Kocmi et al. 2024)"
    return [note]


def mark_notes(duels: Mapping[str, Sequence[Duel]], correction: str, other: str, tests: str) -> list[str]:
    """Explain the marks; empty if nothing could be tested."""
    all_duels = [duel for metric_duels in duels.values() for duel in metric_duels]
    many = max((duel.comparisons for duel in all_duels if duel.p is not None), default=0)
    if not many:
        return []
    how = "" if many == 1 else f", no correction for {many} comparisons" if correction == "none" else (
        f", corrected for {many} comparisons ({_NAMES[correction]})"
    )  # fmt: skip
    return [f"{BETTER} better, {WORSE} worse than {other}: p < {SIGNIFICANT} by {tests}{how}"]


_NAMES = {"holm": "Holm", "bonferroni": "Bonferroni", "benjamini-hochberg": "Benjamini-Hochberg"}


def doubt_notes(standings: Standings, metrics: Mapping[str, Metric], segments: int) -> list[str]:
    """Warn about too few segments and about identical systems."""
    baseline = next(iter(standings))
    notes = []
    if segments < FEWEST:
        few = f"{count(segments, 'segment')}: too few to tell systems apart"
        notes.append(f"⚠ {few}; intervals and significance need at least {FEWEST}")
    for system, row in standings.items():
        same = [metrics[name].card.label for name, standing in row.items() if standing.identical]
        if same:
            notes.append(
                f"{system} is identical to {baseline} by {', '.join(same)}, segment by segment; ignore its p-values, which are "
                "sacrebleu's smallest"
            )
    return notes


def groups(
    by: str,
    standings_by_group: Mapping[str, Standings],
    sizes: Mapping[str, Mapping[str, int]],
    metrics: Mapping[str, Metric],
    notes: Sequence[str],
) -> Table:
    """Return one row per group of segments and system."""
    rows = [
        {by: group, "segments": sizes[group][system], "system": system, **cells(row, metrics, system, standings)}
        for group, standings in standings_by_group.items()
        for system, row in standings.items()
    ]
    named = any(row["system"] for row in rows)
    columns = [
        TableColumn(by), TableColumn("segments", kind="count"), TableColumn("system", hidden=not named),
        *score_columns(metrics),
    ]  # fmt: skip
    return Table("groups", columns, rows, f"by {by}", tuple(notes))


Components = Mapping[str, Mapping[str, Mapping[str, float]]]
"""Score components by system, metric and component name."""
_LABELS = {"bp": "BP", "hyp_len": "length", "ref_len": "ref length"}
_DECIMALS = {"bp": 3, "ratio": 3}


def components_table(components: Components, metrics: Mapping[str, Metric]) -> list[Table]:
    """Return one row per system and metric that has score components; no table if there are none."""
    rows = [
        {"system": system, "metric": name, "label": metrics[name].card.label, **parts}
        for system, row in components.items()
        for name, parts in row.items()
    ]
    keys = dict.fromkeys(key for row in components.values() for parts in row.values() for key in parts)
    columns = [TableColumn("system", " "), TableColumn("metric", hidden=True), TableColumn("label", "metric")]
    for key in keys:
        label = _LABELS.get(key, key.replace("precision_", "p"))
        columns.append(TableColumn(key, label, "count" if key.endswith("_len") else "number", _DECIMALS.get(key, 1)))
    reading = "The score is BP times the geometric mean of the precisions p1, p2 … (in %); lengths are in words."
    return [Table("components", columns, rows, "score components", reading=reading)] if rows else []
