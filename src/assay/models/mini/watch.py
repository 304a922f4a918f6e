"""How well a model does on documents it does not learn from: order inside a source, and correlation with people's scores."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from assay.models.mini.corpus import PreparedCorpus
from assay.models.mini.groups import KINDS, SPLITS
from assay.models.training.watching import pearson

LEAST = 30
"""Rows that a collection and language pair need to be told."""
ESA_GAP = 4.0
"""ESA points from which on one translation counts as better."""


@dataclass(frozen=True)
class HeldOutFigures:
    """Means over collections and language pairs, and how many rows they rest on."""

    pairs: float
    pearson: float
    rows: int
    mean: float
    """Of the reading over these rows, by which it can be standardised."""
    deviation: float


def watched_rows(corpus: PreparedCorpus) -> NDArray[np.int64]:
    """Rows of held-out groups with MQM or ESA scores and a reference that is not the translation itself."""
    group = corpus.row_group
    kinds = [KINDS.index("mqm"), KINDS.index("esa")]
    chosen = (corpus.group_split[group] == SPLITS.index("dev")) & np.isin(corpus.group_kind[group], kinds)
    reference = corpus.group_references[group, 0]
    return np.flatnonzero(chosen & (reference >= 0) & (reference != corpus.row_text))


def figures(
    corpus: PreparedCorpus, rows: NDArray[np.int64], log_mu: NDArray[np.float32], ranking: NDArray[np.float32]
) -> HeldOutFigures:
    """Pairs are told by `ranking` (higher is better), correlation by minus mu; NaN where there is nothing to compare."""
    group = corpus.row_group[rows]
    sets = corpus.group_collection[group] * len(corpus.langpairs) + corpus.group_langpair[group]
    told: list[tuple[float, float]] = []
    for one in np.unique(sets):
        here = np.flatnonzero(sets == one)
        if len(here) < LEAST:
            continue
        scores = corpus.row_score[rows[here]].astype(np.float64)
        esa = corpus.group_kind[group[here[0]]] == KINDS.index("esa")
        right = _right_pairs(scores, ranking[here], group[here], ESA_GAP if esa else 0.0)
        told.append((right, pearson(scores, -np.exp(log_mu[here].astype(np.float64)))))
    if not told:
        told = [(float("nan"), float("nan"))]
    pairs, correlation = (float(np.mean(column)) for column in zip(*told, strict=True))
    return HeldOutFigures(pairs, correlation, len(rows), float(ranking.mean()), float(ranking.std()))


def _right_pairs(
    people: NDArray[np.float64], model: NDArray[np.float32], group: NDArray[np.int64], gap: float
) -> float:
    right = total = 0
    for part in np.split(np.arange(len(group)), np.flatnonzero(np.diff(group)) + 1):
        better = people[part][:, None] - people[part] > gap
        right += int((model[part][:, None] > model[part])[better].sum())
        total += int(better.sum())
    return right / total if total else float("nan")
