"""xCOMET's evaluation (Guerreiro et al. 2023) for any metrics: agreement with annotators, error spans, hallucinations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.analyses.meta import xcomet as analysis
from assay.analyses.meta.custom_tasks import check_patterns, match_names
from assay.core.errors import InputError, MissingPart, listing
from assay.core.judged_systems import JudgedSystems
from assay.core.table import Table
from assay.suites.wmt import pair_facts, read_pairs
from assay.verbs.shared.input_files import tree_files
from assay.verbs.shared.meta_choice import stored_metrics
from assay.verbs.shared.meta_scores import MetaResult, NewMetrics, judged_with
from assay.verbs.shared.named_sets import default_pairs, find_set
from assay.verbs.shared.suites import Analysing, run_suite

PAPER = ("BLEURT-20", "COMET", "MetricX-23", "XCOMET-XL", "XCOMET-XXL")
"""Names of the paper's metrics in stored scores."""


def xcomet(
    name: str | os.PathLike[str],
    added: NewMetrics,
    *,
    stored: Sequence[str],
    data_dir: str | os.PathLike[str] | None,
    langpairs: Sequence[str] | None,
    domain: str | Sequence[str],
    draws: int,
    seed: int,
) -> MetaResult:
    """Run xCOMET's evaluation (Guerreiro et al. 2023) with other data and metrics.

    Tables: ``segments`` (Table 1) and ``systems`` (Table 2); ``raters`` if several raters marked spans (the ceiling of Table 3);
    ``detection`` (Table 6) if the hallucination corpus is available. By default, the paper's stored metrics are included;
    `stored` overrides this.
    """
    official, folder = find_set(name, data_dir)
    sets = read_pairs(folder, list(langpairs) if langpairs else default_pairs(official, folder))
    about = {pair: pair_facts(evalset, official) for pair, evalset in sets.items()}
    kept = (stored_metrics(sets, about, official, stored, False) if stored else None) or PAPER
    new = added.scores(sets, about, kept)
    judged = judged_with(sets, about, kept, new)
    only, judged, notes = _in_domain(judged, [domain] if isinstance(domain, str) else domain)
    sets = {pair: sets[pair] for pair in judged}
    if not stored:
        notes += _absent(judged, list(new))
    made_tables = analysis.tables(judged, domain=only, draws=draws, seed=seed)
    made_tables = [replace(table, notes=[*table.notes, *notes]) for table in made_tables]
    rated = {pair: evalset for pair, evalset in sets.items() if len(evalset.raters) > 1}
    marks = {pair: {rater: one.ratings(rater) for rater in one.raters} for pair, one in rated.items()}
    raters = [analysis.rater_table(marks[pair], one.outputs, pair) for pair, one in rated.items()]
    made_tables += [analysis.join_rater_tables(raters)] if raters else []
    made_tables += _detection(added, data_dir, seed)
    label = official.name if official is not None else Path(name).name
    return MetaResult(
        {table.name: table for table in made_tables},
        name=label,
        title=f"xCOMET's evaluation on {label}",
        new=tuple(new),
        seed=seed,
        files=tree_files(name, data_dir, list(sets)),
        **added.about(sets, judged),
    )


def _in_domain(
    judged: Mapping[str, JudgedSystems], patterns: Sequence[str]
) -> tuple[str | None, dict[str, JudgedSystems], list[str]]:
    """Return the only domain that matches the patterns, the language pairs that have it, and a note on the others."""
    if not patterns:
        return None, dict(judged), []

    there = sorted({domain for one in judged.values() for domain in one.domain_names})
    check_patterns(patterns, there, "domain")
    matches = match_names(patterns, there)
    if len(matches) != 1:
        raise InputError(
            f"--recipe xcomet requires exactly one domain, but --domain matches {listing(matches) or 'none'}."
        )
    (domain,) = matches
    able = {pair: one for pair, one in judged.items() if domain in one.domain_names}
    without = [pair for pair in judged if pair not in able]
    return domain, able, [f"domain {domain}" + (f"; {listing(without)} left out, which lack it" if without else "")]


def _absent(judged: Mapping[str, JudgedSystems], new: Sequence[str]) -> list[str]:
    """Return a note on the paper's metrics for which no scores are stored."""
    there = {name for one in judged.values() for name in one.metrics}
    absent = [name for name in PAPER if name not in there and name not in new]
    if not absent:
        return []
    return [f"⚠ no stored scores of {listing(absent)}: --metrics '*' shows every stored metric of the tree"]


def _detection(added: NewMetrics, data_dir: str | os.PathLike[str] | None, seed: int) -> list[Table]:
    """Return xCOMET's Table 6 for the new metrics; nothing if the corpus is not available."""
    if not added.metrics:
        return []
    how, metrics = Analysing(seed=seed), list(added.metrics.values())
    try:
        result = run_suite("hallucinations", metrics, how, data_dir=data_dir, workers=added.workers, store=added.store)
    except MissingPart:
        return []
    return [result.tables["detection"]]
