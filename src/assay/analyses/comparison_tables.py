"""The tables of a comparison: systems with their scores, differences with their tests, any two systems, groups of segments."""

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
    """What each metric is called in a heading: a model on the disk by its name, unless another has the same."""
    shown = [metric.card.label for metric in metrics.values()]
    return {
        name: metric.card.label
        if name == metric.card.name or ("/" in name and shown.count(metric.card.label) == 1)
        else name
        for name, metric in metrics.items()
    }


def score_columns(metrics: Mapping[str, Metric]) -> list[TableColumn]:
    """One column a metric, with interval and mark."""
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
    """One line a system, one column a metric, intervals and marks beside the scores where they are known."""
    columns = [TableColumn("system", " "), *score_columns(metrics)]
    rows = [{"system": system, **cells(row, metrics, system, standings)} for system, row in standings.items()]
    return Table("systems", columns, rows, caption=caption, notes=tuple(notes))


def cells(
    row: Mapping[str, Standing], metrics: Mapping[str, Metric], system: str, standings: Standings
) -> dict[str, Any]:
    """What a row says of one system by every metric."""
    baseline = next(iter(standings))
    found: dict[str, Any] = {}
    for name, standing in row.items():
        found[name] = standing.score
        if standing.low is not None:
            found[f"{name} low"], found[f"{name} high"] = standing.low, standing.high
        if standing.difference is None:
            continue
        found[f"{name} p bootstrap"] = standing.p_bootstrap
        found[f"{name} p randomization"] = standing.p_randomization
        found[f"{name} mark"] = mark(standing)
        found[f"{name} difference"] = standing.difference
        found[f"{name} difference low"], found[f"{name} difference high"] = (
            standing.difference_low,
            standing.difference_high,
        )
        found[f"{name} p"] = standing.p
        found[f"{name} people agree"] = standing.people_agree
        if standing.agreement is not None:
            found[f"{name} people agree pairs"] = standing.agreement.wmt23.pairs
        found[f"{name} sentence"] = sentence(standing, metrics[name], system, baseline)
        if standing.identical:
            found[f"{name} identical"] = True
    return found


def mark(found: Standing | Duel) -> str:
    """The star of a better system, the other mark of a worse one."""
    return BETTER if found.better else WORSE if found.worse else ""


def sentence(standing: Standing, metric: Metric, system: str, baseline: str) -> str:
    """What a difference comes to, in words that a table of numbers can carry along."""
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


def agreement_sentence(found: AgreementEstimate) -> str:
    """How often annotators agree with such a difference, with the pairs of systems behind it."""
    whose = {"all": "pairs", "into English": "pairs into English", "from English": "pairs from English"}[
        found.languages
    ]
    text = f"At WMT23, annotators preferred the same system in {found.wmt23.in_words(f'of {whose} that differed by this much')}"
    if found.better is not None:
        text += f"; among the better half of the systems, in {found.better.in_words()}"
    if found.published is not None and found.published < found.wmt23.share:
        text += f"; a larger study puts it at {found.published:.0%} (Kocmi et al. 2024)"
    return f"{text}."


def outcomes(standings: Standings, metrics: Mapping[str, Metric]) -> dict[str, dict[str, Outcome]]:
    """What each metric, by its heading, says of every system but the baseline."""
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
    """One row per metric and pair of systems: the difference, its interval, p, and how often annotators agree."""
    called = labels(metrics)
    found = [duel for mine in duels.values() for duel in mine]
    order = {(duel.first, duel.second): None for duel in found}
    rows = [
        _row(duel, metrics[duel.metric], called) for two in order for duel in found if (duel.first, duel.second) == two
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
    baseline = found[0].first
    caption = "every two systems" if all_pairs else f"differences from {baseline}"
    told = agreement_notes(found) if not all_pairs else []
    return Table("pairs" if all_pairs else "differences", columns, rows, caption, (*notes, *told))


def _row(duel: Duel, metric: Metric, called: Mapping[str, str]) -> dict[str, Any]:
    decimals = metric.card.decimals
    known = duel.low is not None and duel.high is not None
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
        "interval": f"{_signed(duel.low or 0, decimals)} to {_signed(duel.high or 0, decimals)}" if known else "",
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
    """Where the shares come from."""
    found = [duel.agreement for duel in duels if duel.agreement is not None]
    if not found:
        return []
    groups = {one.languages for one in found} - {"all"}
    whose = f" ({', '.join(sorted(groups))})" if groups else ""
    note = f"annotators agree: in this share of n pairs of systems at WMT23{whose} that differed by this much"
    if any(one.better is not None for one in found):
        note += "; better half: among the better half of the systems"
    if any(one.published is not None and one.published < one.wmt23.share for one in found):
        note += "; at most the share in a larger study (Kocmi et al. 2024)"
    return [note]


def mark_notes(duels: Mapping[str, Sequence[Duel]], correction: str, other: str, tests: str) -> list[str]:
    """What the marks mean; nothing where nothing could be tested."""
    found = [duel for mine in duels.values() for duel in mine]
    many = max((duel.comparisons for duel in found if duel.p is not None), default=0)
    if not many:
        return []
    how = "" if many == 1 else f", no correction for {many} comparisons" if correction == "none" else (
        f", corrected for {many} comparisons ({_NAMES[correction]})"
    )  # fmt: skip
    return [f"{BETTER} better, {WORSE} worse than {other}: p < {SIGNIFICANT} by {tests}{how}"]


_NAMES = {"holm": "Holm", "bonferroni": "Bonferroni", "benjamini-hochberg": "Benjamini-Hochberg"}


def doubt_notes(standings: Standings, metrics: Mapping[str, Metric], segments: int) -> list[str]:
    """What no test can tell: too few segments, systems that are the same."""
    baseline = next(iter(standings))
    notes = []
    if segments < FEWEST:
        few = f"{count(segments, 'segment')}: too few to tell systems apart"
        notes.append(f"⚠ {few}; intervals and significance need {FEWEST} at least")
    for system, row in standings.items():
        same = [metrics[name].card.label for name, standing in row.items() if standing.identical]
        if same:
            notes.append(
                f"{system} is identical to {baseline} by {', '.join(same)}, segment by segment: its p-values (sacrebleu's, the "
                "smallest there are) say nothing"
            )
    return notes


def groups(
    by: str,
    found: Mapping[str, Standings],
    sizes: Mapping[str, Mapping[str, int]],
    metrics: Mapping[str, Metric],
    notes: Sequence[str],
) -> Table:
    """One line for every group of segments and system."""
    rows = [
        {by: group, "segments": sizes[group][system], "system": system, **cells(row, metrics, system, standings)}
        for group, standings in found.items()
        for system, row in standings.items()
    ]
    named = any(row["system"] for row in rows)
    columns = [
        TableColumn(by), TableColumn("segments", kind="count"), TableColumn("system", hidden=not named),
        *score_columns(metrics),
    ]  # fmt: skip
    return Table("groups", columns, rows, f"by {by}", tuple(notes))


Components = Mapping[str, Mapping[str, Mapping[str, float]]]
"""System to metric name to the parts by name."""
_LABELS = {"bp": "BP", "hyp_len": "length", "ref_len": "ref length"}
_DECIMALS = {"bp": 3, "ratio": 3}


def components_table(components: Components, metrics: Mapping[str, Metric]) -> list[Table]:
    """One line for each system and metric that says what its score is made of; no table where none does."""
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
    return [Table("components", columns, rows, "what the scores are made of", reading=reading)] if rows else []
