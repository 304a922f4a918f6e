"""Until the last verb has moved."""

from __future__ import annotations

from assay.core.metric import Metric
from assay.engine.given import References, Texts, make_batch
from assay.engine.store import default_store
from assay.metrics import build_metrics
from assay.verbs.compare import compare, settings
from assay.verbs.score import score

Wanted = str | Metric


def signature(metric: Metric, nrefs: int) -> str:
    """The signature as it is printed."""
    return metric.signed(nrefs)


__all__ = [
    "References",
    "Texts",
    "Wanted",
    "build_metrics",
    "compare",
    "default_store",
    "make_batch",
    "score",
    "settings",
    "signature",
]
