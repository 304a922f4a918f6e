"""Scoring of a suite, or of all systems in a human-rated test set, as one batch that shares references."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from assay.core.batch import Batch
from assay.core.item import Item
from assay.core.judged import Judged
from assay.core.judged_systems import LevelScores
from assay.core.langpair import target
from assay.core.metric import Card, Metric, statistics
from assay.core.spans import ErrorSpan
from assay.core.suite import Measured
from assay.core.sums import exact_sum
from assay.engine.languages import lacking, languages_of
from assay.engine.scoring import check_corpus, score

if TYPE_CHECKING:
    from assay.engine.store import Store
    from assay.io.wmt.tree import EvalSet


def measure_items(
    items: Sequence[Item],
    name: str,
    metric: Metric,
    *,
    suite: str = "",
    workers: int | None = None,
    store: Store | None = None,
) -> Measured:
    """Score the good and the incorrect translation of every item.

    Items are not scored if a required text is missing or the metric does not support the language.
    """
    card = metric.card
    missing = lacking(metric, (item.langpair for item in items))
    rows = [i for i in scorable(items, card) if target(items[i].langpair) not in missing]
    good = np.full(len(items), np.nan)
    incorrect = np.full(len(items), np.nan)
    flags: dict[str, int] = {}
    spans: dict[str, list[tuple[ErrorSpan, ...]] | None] = {"good": None, "incorrect": None}
    if rows:
        texts = item_batch([items[i] for i in rows], metric)
        scores = score(texts, metric, languages=languages_of(texts), workers=workers, store=store)
        good[rows], incorrect[rows] = scores.values[: len(rows)], scores.values[len(rows) :]
        flags = scores.raised()
        if scores.spans is not None:
            for side, first in (("good", 0), ("incorrect", len(rows))):
                by_item = dict(zip(rows, scores.spans[first : first + len(rows)], strict=True))
                spans[side] = [by_item.get(i, ()) for i in range(len(items))]
    return Measured(
        name, card, good=good, incorrect=incorrect, contaminated=bool(card.trained_on_parts_of(suite)), flags=flags,
        good_spans=spans["good"], incorrect_spans=spans["incorrect"],
    )  # fmt: skip


def measure_judged(
    judged: Judged,
    name: str,
    metric: Metric,
    *,
    suite: str = "",
    workers: int | None = None,
    store: Store | None = None,
) -> Measured:
    """Score every segment of a judged suite except those in a language that the metric does not support."""
    pairs = judged.batch.langpairs or [""] * len(judged.batch)
    missing = lacking(metric, pairs)
    rows = [i for i, pair in enumerate(pairs) if target(pair) not in missing]
    batch = judged.batch if len(rows) == len(pairs) else judged.batch.select(rows)
    scores = score(batch, metric, languages=languages_of(batch), workers=workers, store=store)
    values = np.full(len(pairs), np.nan)
    values[rows] = scores.values
    contaminated = bool(metric.card.trained_on_parts_of(suite))
    return Measured(name, metric.card, values=values, contaminated=contaminated, flags=scores.raised())


def measure_systems(
    evalset: EvalSet, reference: str, metric: Metric, *, workers: int | None = None, store: Store | None = None
) -> LevelScores:
    """Return the scores of every system except the reference itself, oriented so that higher is better.

    System and domain scores are corpus scores if the metric has sufficient statistics, otherwise means of segment scores. A metric
    that depends on the target language uses that of the set.
    """
    metric = metric.for_language(target(evalset.langpair))
    systems, segments = evalset.systems, len(evalset.sources)
    chosen = [row for row, system in enumerate(systems) if system != reference]
    batch = Batch(
        hypotheses=[text for row in chosen for text in evalset.outputs[systems[row]]],
        sources=list(evalset.sources) * len(chosen),
        references=(list(evalset.references[reference]) * len(chosen),),
        langpairs=[evalset.langpair] * (segments * len(chosen)),
        systems=[systems[row] for row in chosen for _ in range(segments)],
    )
    scores = score(batch, metric, workers=workers, store=store)
    stats = statistics(scores).reshape(len(chosen), segments, -1)
    check_corpus(metric, exact_sum(stats[0]))
    seg = np.full((len(systems), segments), np.nan)
    sys = np.full(len(systems), np.nan)
    domain = np.full((len(systems), len(evalset.domain_names)), np.nan)
    seg[chosen] = scores.values.reshape(len(chosen), segments)
    sys[chosen] = metric.combine(np.stack([exact_sum(of_one) for of_one in stats]))
    for column, name in enumerate(evalset.domain_names):
        inside = np.array([of_segment == name for of_segment in evalset.domains])
        domain[chosen, column] = metric.combine(np.stack([exact_sum(of_one[inside]) for of_one in stats]))
    return LevelScores(seg, sys, domain).oriented(metric.card.higher_is_better)


def scorable(items: Sequence[Item], card: Card) -> list[int]:
    """Return the indices of items that have the texts the metric needs."""
    if card.needs == "either":
        return [i for i, item in enumerate(items) if item.reference is not None or item.source is not None]
    reference, source = card.needs_reference, card.needs_source
    return [
        i
        for i, item in enumerate(items)
        if not ((reference and item.reference is None) or (source and item.source is None))
    ]


def item_batch(items: Sequence[Item], metric: Metric) -> Batch:
    """Return a batch of all good translations, followed by the incorrect ones."""
    references = [item.reference for item in items]
    sources = [item.source for item in items]
    langpairs = [item.langpair for item in items]
    return Batch(
        hypotheses=[item.good for item in items] + [item.incorrect for item in items],
        references=(references * 2,) if any(text is not None for text in references) else None,
        sources=[text or "" for text in sources] * 2 if any(text is not None for text in sources) else None,
        langpairs=langpairs * 2 if any(langpairs) else None,
    )
