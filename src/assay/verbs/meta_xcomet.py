"""The evaluation of xCOMET (Guerreiro et al. 2023) for any metrics: agreement with people, spans, hallucinations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from assay.core.metric import Metric
from assay.core.table import Table
from assay.verbs.meta import MetaResult, default_pairs, find_set, new_metrics


def xcomet(
    name: str | os.PathLike[str] = "wmt23",
    metrics: Sequence[str | Metric] = (),
    *,
    stored: Sequence[str] = ("BLEURT-20", "COMET", "MetricX-23", "XCOMET-XL", "XCOMET-XXL"),
    metric_files: Sequence[str] = (),
    data_dir: str | os.PathLike[str] | None = None,
    langpairs: Sequence[str] | None = None,
    domain: str | None = None,
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
        stored: Metrics whose scores lie in the tree.
        metric_files: Scores from elsewhere.
        data_dir: Where local copies of the data lie; by default ``$ASSAY_DATA``.
        langpairs: These language pairs only.
        domain: This domain only.
        draws: Draws of the significance tests.
        seed: Their seed.
        workers: Threads to use; by default one a core.
        store: Look up and keep the results of slow metrics.
    """
    from assay.analyses.meta import rater_agreement
    from assay.analyses.meta import xcomet as analysis
    from assay.engine.languages import as_computed
    from assay.metrics import build_metrics
    from assay.suites.wmt import judged_systems, pair_facts, read_pairs
    from assay.verbs.inputs import tree_files

    official, folder = find_set(name, data_dir)
    sets = read_pairs(folder, list(langpairs) if langpairs else default_pairs(official, folder))
    about = {pair: pair_facts(evalset, official) for pair, evalset in sets.items()}
    built = build_metrics(metrics) if metrics else {}
    new = new_metrics(sets, about, built, metric_files, {}, stored, workers=workers, store=store)
    judged = {
        pair: judged_systems(evalset, about[pair], stored, {name: by[pair] for name, by in new.items() if pair in by})
        for pair, evalset in sets.items()
    }
    made = analysis.tables(judged, domain=domain, draws=draws, seed=seed)
    rated = {pair: evalset for pair, evalset in sets.items() if len(evalset.raters) > 1}
    marks = {pair: {rater: one.ratings(rater) for rater in one.raters} for pair, one in rated.items()}
    raters = [rater_agreement.table(marks[pair], one.outputs, pair) for pair, one in rated.items()]
    made += [rater_agreement.joined(raters)] if raters else []
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


def _detection(
    built: Mapping[str, Metric], data_dir: str | os.PathLike[str] | None, *, seed: int, workers: int | None, store: bool
) -> list[Table]:
    """xCOMET's Table 6 for the metrics that can be scored here; nothing where the corpus is not at hand."""
    from assay.core.errors import MissingPart
    from assay.verbs.run import run

    if not built:
        return []
    try:
        found = run("hallucinations", list(built.values()), data_dir=data_dir, seed=seed, workers=workers, store=store)
    except MissingPart:
        return []
    return [found.tables["detection"]]
