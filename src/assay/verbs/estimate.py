"""``--estimate``: number of requests, tokens and cost of LLM judges, estimated without sending a request."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from assay.core.context import use_response_cache
from assay.core.errors import InputError
from assay.core.judged import Judged
from assay.core.table import Table, TableColumn
from assay.engine.measure import item_batch, scorable
from assay.engine.scoring import distinct_requests, open_response_cache
from assay.io.endpoint.budget import money
from assay.metrics import build_metrics
from assay.metrics.judges.estimate import RequestEstimate
from assay.metrics.judges.judge import PromptJudge
from assay.verbs.result import Result
from assay.verbs.shared.request import request
from assay.verbs.shared.suites import choose, load_suite

if TYPE_CHECKING:
    from assay.core.batch import Batch
    from assay.core.item import Item
    from assay.core.metric import Metric


@dataclass(repr=False)
class CostEstimate(Result):
    """Estimated requests and tokens by metric, and their cost if prices are known."""

    estimates: Mapping[str, RequestEstimate]
    cost: float | None
    """Cost of all metrics; None without prices."""

    verb = "estimate"


def estimate(suite: str | None = None, metrics: Sequence[str | Metric] = (), **texts: Any) -> CostEstimate:
    """Estimate the requests, tokens and cost of LLM judges without sending a request. Prices are set with `assay.llm`.

    Args:
        suite: A suite as in `assay.run`; without one, `texts` are the arguments of `assay.score`.
        metrics: The metrics; at least one must be an LLM judge.
        texts: Texts to judge, as in `assay.score` (``mt``, ``src``, ``data``, ``hypotheses``, ``langpair`` …). With a suite:
            ``data_dir``, ``langpair``, ``subsample`` and ``seed`` as in `assay.run`.

    Returns:
        The estimate by metric.

    Raises:
        InputError: No metric is an LLM judge.

    Example:
        >>> import assay
        >>> with assay.llm("http://localhost:8000/v1", "my-model"):
        ...     estimate = assay.estimate(metrics=["judge-da"], sources=["a b"], hypotheses=["c d"], langpair="en-de")
        >>> estimate.estimates["judge-da"].requests
        1
    """
    if suite is None:
        asked = request(metrics=metrics, **texts)
        return estimate_batches(asked.metrics, asked.inputs.chunks)

    subsample, seed = texts.pop("subsample", None), texts.pop("seed", 12345)
    content = choose(load_suite(suite, **texts)[1], subsample, seed)
    judges = _judges(build_metrics(metrics))
    with _kept():
        return _result(judges, {name: _of(judge, suite_batch(content, judge)) for name, judge in judges.items()})


def suite_batch(content: Sequence[Item] | Judged, metric: Metric) -> Batch:
    """Return a suite's texts as they would be scored."""
    if isinstance(content, Judged):
        return content.batch
    return item_batch([content[row] for row in scorable(content, metric.card)], metric)


def estimate_batches(metrics: Mapping[str, Metric], batches: Iterable[Batch]) -> CostEstimate:
    """Estimate the requests that every judge among the metrics would send for batches of texts."""
    judges = _judges(metrics)
    estimates = {name: RequestEstimate() for name in judges}
    with _kept():
        for batch in batches:
            for name, judge in judges.items():
                estimates[name] += _of(judge, batch)
        return _result(judges, estimates)


def _kept() -> AbstractContextManager[None]:
    return use_response_cache(open_response_cache())


def _of(judge: PromptJudge, batch: Batch) -> RequestEstimate:
    judge.card.check_needs(batch)
    return judge.estimate(distinct_requests(batch, judge))


def _result(judges: Mapping[str, PromptJudge], found: Mapping[str, RequestEstimate]) -> CostEstimate:
    costs = {name: judge.cost(found[name]) for name, judge in judges.items()}
    rows = [
        {
            "metric": name, "requests": one.requests, "kept": one.kept, "tokens in": one.tokens_in, "tokens out": one.tokens_out,
            "cost": None if (cost := costs[name]) is None else money(cost),
        }
        for name, one in found.items()
    ]  # fmt: skip
    columns = [
        TableColumn("metric"), TableColumn("requests", kind="count"), TableColumn("kept", "kept already", "count"),
        TableColumn("tokens in", "tokens in, about", "count"), TableColumn("tokens out", "out, about", "count"),
    ]  # fmt: skip
    known_costs = [cost for cost in costs.values() if cost is not None]
    notes = [
        "no request was sent"
        if known_costs
        else "no request was sent; --price IN,OUT (per million tokens) adds the cost"
    ]
    table = Table(
        "estimate", [*columns, *([TableColumn("cost", "cost, about")] if known_costs else [])], rows, notes=notes
    )
    return CostEstimate({"estimate": table}, found, sum(known_costs) if known_costs else None)


def _judges(metrics: Mapping[str, Metric]) -> dict[str, PromptJudge]:
    judges = {name: metric for name, metric in metrics.items() if isinstance(metric, PromptJudge)}
    if not judges:
        raise InputError("an estimate requires an LLM judge, such as -m judge-mqm.")
    return judges
