"""Metric contract test: ``assay.testing.check_metric(MyMetric())``."""

from __future__ import annotations

from assay.core.batch import Batch
from assay.core.metric import Metric
from assay.testing.contract import Contract, ContractViolation
from assay.testing.example import example_batch

__all__ = ["ContractViolation", "check_metric", "example_batch"]


def check_metric(metric: Metric, batch: Batch | None = None) -> None:
    """Check that a metric satisfies every clause of the contract.

    Args:
        metric: The metric to check.
        batch: Texts that replace the built-in multilingual example, for a metric that accepts certain texts only. Include sources
            and references if the metric can use them.

    Raises:
        ContractViolation: An AssertionError that names the violated clause.

    Example:
        >>> check_metric(MyMetric())
    """
    Contract(metric, example_batch() if batch is None else batch).check()
