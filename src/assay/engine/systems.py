"""Running a metric over all systems of a judged test set: segment scores, and corpus scores by system and by domain."""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.core.batch import Batch
from assay.core.judged_systems import LevelScores
from assay.core.langpair import target
from assay.core.metric import Metric, statistics
from assay.core.sums import exact_sum
from assay.engine.others import check_corpus
from assay.engine.scoring import score
from assay.io.wmt.tree import EvalSet

if TYPE_CHECKING:
    from assay.engine.store import Store


def measure_systems(
    evalset: EvalSet, reference: str, metric: Metric, *, workers: int | None = None, store: Store | None = None
) -> LevelScores:
    """Scores of every system but the reference itself, higher for better.

    System and domain scores are corpus scores where the metric has sufficient statistics, else means of segment scores. A
    metric that goes by the target language is taken for that of the set.
    """
    import numpy as np

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
        inside = np.array([found == name for found in evalset.domains])
        domain[chosen, column] = metric.combine(np.stack([exact_sum(of_one[inside]) for of_one in stats]))
    return LevelScores(seg, sys, domain).oriented(metric.card.higher_is_better)
