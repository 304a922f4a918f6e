"""``assay card``: facts about a metric, and its results on all available suites."""

from __future__ import annotations

import os
from collections.abc import Sequence

from assay.core.metric import Metric
from assay.verbs.shared.metric_card import MetricCard, build_card


def card(
    metric: str | Metric,
    suites: Sequence[str] | None = None,
    *,
    data_dir: str | os.PathLike[str] | None = None,
    seed: int = 12345,
    samples: int = 1000,
    workers: int | None = None,
) -> MetricCard:
    """Run a metric on every suite whose data is available, and build its card.

    Args:
        metric: A name with options, a checkpoint path, or a Metric object.
        suites: Use only these suites, by name or path.
        data_dir: Folder with local copies of the suites; by default ``$ASSAY_DATA``.
        seed: Random seed for the resampling.
        samples: Number of bootstrap resamples.
        workers: Number of threads, by default one per core.

    Returns:
        The facts about the metric and every suite's tables.

    Raises:
        InputError: The metric or a suite does not exist.
        MissingPart: The data for a suite in `suites` is missing.

    Example:
        >>> import assay
        >>> assay.card("chrf", ["embedded"], samples=10).signature
        'chrF2|nrefs:1|case:mixed|eff:yes|nc:6|nw:0|space:no|v:1'
    """
    return build_card(metric, suites, data_dir=data_dir, seed=seed, samples=samples, workers=workers)
