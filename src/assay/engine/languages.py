"""Metrics that go by the target language, as BLEU's tokenizer does: every row is scored by the metric of its own language.

Texts in several languages have no common corpus score by such a metric, since each language counts other words: there is one
for each language, under the metric's name with the language behind it (``bleu zh``).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from assay.core.batch import Batch
from assay.core.errors import MissingPart
from assay.core.langpair import target
from assay.core.metric import Metric, Scores
from assay.engine.scoring import score

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from assay.core.metric import Bools
    from assay.engine.store import Store

Shares = Mapping[str, tuple[str, int]]
"""The name of a metric of one language among several to the name it was asked for by, and the language's number."""


def spoken(batch: Batch, known: Sequence[str] = ()) -> tuple[list[str], NDArray[np.int32]]:
    """The target languages of the rows behind those that are `known`, and the number of each row's."""
    numbers = {language: number for number, language in enumerate(known)}
    if batch.langpairs is None:
        return list(numbers | {"": 0}), np.zeros(len(batch), np.int32)
    for pair in dict.fromkeys(batch.langpairs):
        numbers.setdefault(target(pair), len(numbers))
    codes = {pair: numbers[target(pair)] for pair in dict.fromkeys(batch.langpairs)}
    if len(codes) == 1:
        return list(numbers), np.full(len(batch), next(iter(codes.values())), np.int32)
    return list(numbers), np.fromiter(map(codes.__getitem__, batch.langpairs), np.int32, len(batch))


def score_by_language(
    batch: Batch,
    metric: Metric,
    *,
    languages: tuple[Sequence[str], NDArray[np.int32]] | None = None,
    workers: int | None = None,
    store: Store | None = None,
) -> Scores:
    """Scores of every row of `batch`, in its order, by the metric for its language; `languages` is what `spoken` said."""
    if not metric.by_language or not len(batch):
        return score(batch, metric, workers=workers, store=store)
    names, codes = languages or spoken(batch)
    present = np.unique(codes).tolist()
    if len(present) == 1:
        return score(batch, metric.for_language(names[present[0]]), workers=workers, store=store)
    rows = [np.flatnonzero(codes == code) for code in present]
    parts = [
        score(batch.select(of_one.tolist()), metric.for_language(names[code]), workers=workers, store=store)
        for code, of_one in zip(present, rows, strict=True)
    ]
    return Scores.concat(parts).take(np.argsort(np.concatenate(rows)))


def lacking(metric: Metric, langpairs: Iterable[str | None]) -> dict[str, str]:
    """Return the target languages that a metric cannot be computed for here, each with the reason."""
    reasons: dict[str, str] = {}
    for language in dict.fromkeys(map(target, langpairs)) if metric.by_language else ():
        try:
            metric.for_language(language)
        except MissingPart as error:
            reasons[language] = str(error)
    return reasons


def check_languages(metric: Metric, langpairs: Iterable[str | None]) -> dict[str, str]:
    """Return what `lacking` returns; refuse a metric that can be computed for none of the languages."""
    pairs = list(langpairs)
    reasons = lacking(metric, pairs)
    if reasons and len(reasons) == len(set(map(target, pairs))):
        raise MissingPart(next(iter(reasons.values())))
    return reasons


def divided(metrics: Mapping[str, Metric], languages: Sequence[str]) -> tuple[dict[str, Metric], Shares]:
    """The metrics as they were computed for texts in `languages`: one for each language where it matters and there are several."""
    found: dict[str, Metric] = {}
    shares: dict[str, tuple[str, int]] = {}
    for name, metric in metrics.items():
        if not metric.by_language or len(languages) < 2:
            found[name] = metric.for_language(languages[0] if languages else "")
            continue
        for number, language in enumerate(languages):
            own = f"{name} {language or '?'}"
            made, shares[own] = copy(metric.for_language(language)), (name, number)
            if name == made.card.name:
                made.card = replace(made.card, name=own, label=f"{made.card.label} {language or '?'}")
            found[own] = made
    return found, shares


def only(scores: Scores, rows: Bools) -> Scores:
    """The scores of some rows, and nothing about the others."""
    return Scores(
        values=np.where(rows, scores.values, np.nan),
        stats=None if scores.stats is None else np.where(rows[:, None], scores.stats, 0.0),
        components={name: np.where(rows, column, np.nan) for name, column in scores.components.items()},
        spans=None if scores.spans is None else [s if r else () for s, r in zip(scores.spans, rows, strict=True)],
        flags={name: column & rows for name, column in scores.flags.items()},
    )


def as_computed(metrics: Mapping[str, Metric], langpairs: Iterable[str | None]) -> dict[str, Metric]:
    """Metrics as they were computed for segments of these language pairs; languages that are computed alike count as one, and
    those that a metric cannot be computed for here are left out."""
    found: dict[str, Metric] = {}
    pairs = list(dict.fromkeys(langpairs))
    for name, metric in metrics.items():
        missing = check_languages(metric, pairs)
        targets = [language for language in dict.fromkeys(map(target, pairs)) if language not in missing]
        made, _ = divided({name: metric}, targets)
        alike = {str(one.signature) for one in made.values()}
        found |= {name: metric.for_language(next(iter(targets), ""))} if len(alike) == 1 else made
    return found
