"""The evaluation of xCOMET (Guerreiro et al. 2023) for any metrics: agreement with people, spans, hallucinations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from assay.analyses.meta import xcomet as analysis
from assay.analyses.meta.choice import check_patterns, matching
from assay.core.errors import InputError, MissingPart, listing
from assay.core.judged_systems import JudgedSystems
from assay.core.metric import Metric
from assay.core.table import Table
from assay.engine.languages import as_computed
from assay.metrics import build_metrics
from assay.suites.wmt import judged_systems, pair_facts, read_pairs
from assay.verbs.meta import MetaResult, default_pairs, find_set, new_metrics
from assay.verbs.meta_choice import stored_metrics
from assay.verbs.run import run
from assay.verbs.shared.input_files import tree_files

PAPER = ("BLEURT-20", "COMET", "MetricX-23", "XCOMET-XL", "XCOMET-XXL")
"""Metrics of the paper, by the names of their stored scores."""


def xcomet(
    name: str | os.PathLike[str] = "wmt23",
    metrics: Sequence[str | Metric] = (),
    *,
    stored: Sequence[str] = (),
    metric_files: Sequence[str] = (),
    data_dir: str | os.PathLike[str] | None = None,
    langpairs: Sequence[str] | None = None,
    domain: str | Sequence[str] = (),
    draws: int = 200,
    seed: int = 12345,
    workers: int | None = None,
    store: bool = True,
) -> MetaResult:
    """The evaluation of xCOMET (Guerreiro et al. 2023) with other data and metrics.

    Tables ``segments`` (Table 1) and ``systems`` (Table 2), ``raters`` where several raters marked spans (the ceiling of Table
    3), and ``detection`` (Table 6) where the hallucination corpus is at hand.

    Args:
        name: A year (``wmt23``) or the path of any mt-metrics-eval tree.
        metrics: Metrics to score on its texts with the standard reference.
        stored: Stored metrics of the tree (patterns); by default those of the paper that the tree has.
        metric_files: Scores from elsewhere.
        data_dir: Where local copies of the data lie; by default ``$ASSAY_DATA``.
        langpairs: These language pairs only.
        domain: This domain only (a pattern that one domain fits); language pairs without it are left out.
        draws: Draws of the significance tests.
        seed: Their seed.
        workers: Threads to use; by default one a core.
        store: Look up and keep the results of slow metrics.
    """
    official, folder = find_set(name, data_dir)
    sets = read_pairs(folder, list(langpairs) if langpairs else default_pairs(official, folder))
    about = {pair: pair_facts(evalset, official) for pair, evalset in sets.items()}
    built = build_metrics(metrics) if metrics else {}
    kept = (stored_metrics(sets, about, official, stored, False) if stored else None) or PAPER
    new = new_metrics(sets, about, built, metric_files, {}, kept, workers=workers, store=store)
    judged = {
        pair: judged_systems(evalset, about[pair], kept, {name: by[pair] for name, by in new.items() if pair in by})
        for pair, evalset in sets.items()
    }
    only, judged, notes = _in_domain(judged, [domain] if isinstance(domain, str) else domain)
    sets = {pair: sets[pair] for pair in judged}
    if not stored:
        notes += _absent(judged, list(new))
    made = analysis.tables(judged, domain=only, draws=draws, seed=seed)
    made = [replace(table, notes=[*table.notes, *notes]) for table in made]
    rated = {pair: evalset for pair, evalset in sets.items() if len(evalset.raters) > 1}
    marks = {pair: {rater: one.ratings(rater) for rater in one.raters} for pair, one in rated.items()}
    raters = [analysis.rater_table(marks[pair], one.outputs, pair) for pair, one in rated.items()]
    made += [analysis.joined_raters(raters)] if raters else []
    made += _detection(built, data_dir, seed=seed, workers=workers, store=store)
    label = official.name if official is not None else Path(name).name
    return MetaResult(
        {table.name: table for table in made},
        name=label,
        title=f"xCOMET's evaluation on {label}",
        sets=judged,
        new=tuple(new),
        signatures={spec: metric.signed(1) for spec, metric in as_computed(built, sets).items()},
        seed=seed,
        texts=sets,
        cards={spec: metric.card for spec, metric in built.items()},
        files=tree_files(name, data_dir, list(sets)),
    )


def _in_domain(
    judged: Mapping[str, JudgedSystems], patterns: Sequence[str]
) -> tuple[str | None, dict[str, JudgedSystems], list[str]]:
    """Return the one domain that fits the patterns, the language pairs that have it, and a note on the others."""
    if not patterns:
        return None, dict(judged), []

    there = sorted({domain for one in judged.values() for domain in one.domain_names})
    check_patterns(patterns, there, "domain")
    found = matching(patterns, there)
    if len(found) != 1:
        raise InputError(f"--recipe xcomet takes one domain, and --domain fits {listing(found) or 'none'}.")
    (domain,) = found
    able = {pair: one for pair, one in judged.items() if domain in one.domain_names}
    without = [pair for pair in judged if pair not in able]
    return domain, able, [f"domain {domain}" + (f"; {listing(without)} left out, without it" if without else "")]


def _absent(judged: Mapping[str, JudgedSystems], new: Sequence[str]) -> list[str]:
    """Return a note on the paper's metrics that have no stored scores here."""
    there = {name for one in judged.values() for name in one.metrics}
    absent = [name for name in PAPER if name not in there and name not in new]
    if not absent:
        return []
    return [f"⚠ no stored scores of {listing(absent)}: --metrics '*' shows every stored metric of the tree"]


def _detection(
    built: Mapping[str, Metric], data_dir: str | os.PathLike[str] | None, *, seed: int, workers: int | None, store: bool
) -> list[Table]:
    """xCOMET's Table 6 for the metrics that can be scored here; nothing where the corpus is not at hand."""
    if not built:
        return []
    try:
        found = run("hallucinations", list(built.values()), data_dir=data_dir, seed=seed, workers=workers, store=store)
    except MissingPart:
        return []
    return [found.tables["detection"]]
