"""The contract of a metric, as a test that anyone can run: ``assay.testing.check_metric(MyMetric())``."""

from __future__ import annotations

from assay.core.batch import Batch
from assay.core.metric import Metric
from assay.testing.contract import Contract, ContractBroken
from assay.testing.example import example_batch

__all__ = ["ContractBroken", "check_metric", "example_batch"]


def check_metric(metric: Metric, batch: Batch | None = None) -> None:
    """Raise `ContractBroken`, an AssertionError that names the clause, unless `metric` keeps every clause of the contract.

    `batch` replaces the built-in multilingual example, for a metric that takes only certain texts; give it sources and
    references wherever the metric can use them.
    """
    Contract(metric, example_batch() if batch is None else batch).check()
