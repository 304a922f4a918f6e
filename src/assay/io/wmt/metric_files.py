"""Reader for a new metric's scores on a judged test set.

- a folder with the same layout as the tree's ``metric-scores``: ``en-de/NAME-refA.seg.score``, and ``.sys.score`` if system scores
  are not means of segment scores;
- one such file, in a folder named after its language pair;
- a table (TSV, CSV, JSON lines, Parquet) with the columns langpair, system, segment (from 1) and score.

Missing system scores are replaced with the means of the segment scores.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

from assay.core.errors import InputError, count, listing, unknown
from assay.core.judged_systems import LevelScores
from assay.core.numbers import to_number, to_whole
from assay.core.schema import shorten
from assay.io.scores.cards import file_card, stem
from assay.io.scores.metric_file import parse_spec
from assay.io.table.formats import open_table
from assay.io.table.objects import look_at_scores
from assay.io.table.vocabulary import Wanted, assign
from assay.io.wmt.scores import read_domain_scores, read_scores
from assay.io.wmt.tree import LEVELS, EvalSet, MetricName

if TYPE_CHECKING:
    from assay.core.metric import Floats

Scored = dict[str, dict[str, LevelScores]]
"""Metric to language pair to scores."""
WANTED = Wanted(
    {"langpair": ("langpair",), "system": ("system",), "segment": ("segment", "segment id"), "score": ("score",)},
    required=("langpair", "system", "segment", "score"),
    missing="{file} has no column {names}. It has {listing}.",
)


def read_metric(spec: str, sets: Mapping[str, EvalSet]) -> Scored:
    """Return the metrics at a path (``PATH:lower`` if lower is better) for the pairs in `sets`, oriented so that higher is
    better."""
    path, higher = parse_spec(spec)
    if not path.exists():
        raise InputError(f"{path} does not exist. Check the path.")
    if path.is_dir():
        files = sorted(
            file for pair in sets for file in (*path.glob(f"{pair}/*.score"), *path.glob(f"*/{pair}/*.score"))
        )
        if not files:
            raise InputError(f"{path} has no METRIC-REF.seg.score in a folder named {listing(sets)}.")
        scores_by_pair = _files(files, sets)
    elif path.name.endswith(".score"):
        if path.parent.name not in sets:
            raise InputError(
                f"{path} has an unknown language pair. Put it in a folder named after the pair ({listing(sets)}), "
                "or use a table with the columns langpair, system, segment, score."
            )
        scores_by_pair = _files([path], sets)
    else:
        scores_by_pair = {file_card(path).name: _table(path, sets)}
    return {
        name: {pair: with_system_means(scores).oriented(higher) for pair, scores in by_pair.items()}
        for name, by_pair in scores_by_pair.items()
    }


def with_system_means(scores: LevelScores) -> LevelScores:
    """Fill in missing system scores with means over the scored segments."""
    import numpy as np

    if scores.sys is not None or scores.seg is None:
        return scores
    scored = ~np.isnan(scores.seg)
    with np.errstate(invalid="ignore"):
        means = np.where(scored, scores.seg, 0.0).sum(axis=1) / scored.sum(axis=1)
    return LevelScores(scores.seg, means, scores.domain, averaged=True)


def _files(paths: list[Path], sets: Mapping[str, EvalSet]) -> Scored:
    levels: dict[tuple[str, str], dict[str, Floats]] = {}
    for path in paths:
        stem, _, level = path.name.removesuffix(".score").rpartition(".")
        if level not in LEVELS:
            raise InputError(f"{path} is not named METRIC-REF.LEVEL.score with LEVEL one of {listing(LEVELS)}.")
        pair = path.parent.name
        evalset, data = sets[pair], path.read_bytes()
        if level == "domain":
            values = read_domain_scores(data, str(path), evalset.systems, evalset.domain_names)
        else:
            values = read_scores(data, str(path), evalset.systems, 1 if level == "sys" else len(evalset.sources))
        levels.setdefault((MetricName.parse(stem).name, pair), {})[level] = values[:, 0] if level == "sys" else values
    scored: Scored = {}
    for (name, pair), scores in levels.items():
        scored.setdefault(name, {})[pair] = LevelScores(scores.get("seg"), scores.get("sys"), scores.get("domain"))
    return scored


def _table(path: Path, sets: Mapping[str, EvalSet]) -> dict[str, LevelScores]:
    import numpy as np

    with open_table(path) as table:
        look_at_scores(table, stem(path))
        places = assign(table.names, WANTED, None, table.name).places
        at = [places[name] for name in WANTED.required]
        rows = list(table.rows())
    matrices: dict[str, Floats] = {}
    for line, row in rows:
        pair, system, segment, value = (row[index] for index in at)
        pair, system = str(pair), str(system)
        if pair not in sets:
            continue
        evalset = sets[pair]
        if pair not in matrices:
            matrices[pair] = np.full((len(evalset.systems), len(evalset.sources)), np.nan)
        if system not in evalset.outputs:
            raise unknown("system", system, evalset.systems, f"in {path} line {line}")
        segment_number, number = to_whole(segment), to_number(value)
        if segment_number is None or not 1 <= segment_number <= len(evalset.sources):
            raise InputError(
                f"{path} line {line}: {pair} has segments 1 to {len(evalset.sources):,}, not {shorten(segment)}."
            )
        if number is None or not math.isfinite(number):
            raise InputError(f"{path} line {line}: the score is {shorten(value)}, not a finite number.")
        cell = (evalset.systems.index(system), segment_number - 1)
        if not math.isnan(matrices[pair][cell]):
            raise InputError(f"{path} line {line}: {pair} {system} segment {segment_number} is scored twice.")
        matrices[pair][cell] = number
    if not matrices:
        raise InputError(f"{path} has {count(0, 'row')} for {listing(sets)}.")
    return {pair: LevelScores(seg=scores) for pair, scores in matrices.items()}
