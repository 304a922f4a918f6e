"""The evaluation of xCOMET (Guerreiro et al. 2023) for any metrics: agreement with people, spans, hallucinations."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from assay.api.meta import MetaResult, default_pairs, find_set, new_metrics
from assay.api.scoring import Wanted, build_metrics, signature
from assay.core.table import Table

if TYPE_CHECKING:
    from assay.core.metric import Metric


def xcomet(
    name: str | os.PathLike[str] = "wmt23",
    metrics: Sequence[Wanted] = (),
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
    3), and ``detection`` (Table 6) where the hallucination corpus is at hand. `stored` are metrics whose scores lie in the tree.
    """
    from assay.analyses.meta import rater_agreement
    from assay.analyses.meta import xcomet as analysis
    from assay.suites.wmt import judged_systems, pair_facts, read_pairs

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
    for pair, evalset in sets.items():
        if len(evalset.raters) > 1:
            marks = {rater: evalset.ratings(rater) for rater in evalset.raters}
            made.append(rater_agreement.table(marks, evalset.outputs, pair))
    made += _detection(built, data_dir, seed=seed, workers=workers, store=store)
    label = official.name if official is not None else Path(name).name
    return MetaResult(
        name=label,
        title=f"xCOMET's evaluation on {label}",
        tables={table.name: table for table in made},
        sets=judged,
        new=tuple(new),
        signatures={spec: signature(metric, 1) for spec, metric in built.items()},
        seed=seed,
    )


def _detection(
    built: Mapping[str, Metric], data_dir: str | os.PathLike[str] | None, *, seed: int, workers: int | None, store: bool
) -> list[Table]:
    """xCOMET's Table 6 for the metrics that can be scored here; nothing where the corpus is not at hand."""
    from assay.api.suites import run
    from assay.core.errors import MissingPart

    if not built:
        return []
    try:
        found = run("hallucinations", list(built.values()), data_dir=data_dir, seed=seed, workers=workers, store=store)
    except MissingPart:
        return []
    return [found.tables["detection"]]
