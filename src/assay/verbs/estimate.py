"""What judges would ask and about what it would cost, before a single request is sent."""

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
    """By metric, how many requests a run would send, about how many tokens that is, and what they cost where prices are known."""

    estimates: Mapping[str, RequestEstimate]
    cost: float | None
    """Of all metrics; None without prices."""

    verb = "estimate"


def estimate(suite: str | None = None, metrics: Sequence[str | Metric] = (), **texts: Any) -> CostEstimate:
    """What judges would ask, and about what it would cost. Nothing is asked; prices are those of `assay.llm`.

    Args:
        suite: A suite as `assay.run` takes it; without one, `texts` are those of `assay.score`.
        metrics: The metrics, judges among them.
        texts: What is to be judged: ``mt``, ``src``, ``data``, ``hypotheses``, ``langpair`` … as in `assay.score`; of a suite,
            ``data_dir``, ``langpair``, ``subsample`` and ``seed`` as in `assay.run`.
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
    """The texts of a suite as they would be scored."""
    if isinstance(content, Judged):
        return content.batch
    return item_batch([content[row] for row in scorable(content, metric.card)], metric)


def estimate_batches(metrics: Mapping[str, Metric], batches: Iterable[Batch]) -> CostEstimate:
    """The estimate for batches of texts, by every judge among the metrics."""
    judges = _judges(metrics)
    found = {name: RequestEstimate() for name in judges}
    with _kept():
        for batch in batches:
            for name, judge in judges.items():
                found[name] += _of(judge, batch)
        return _result(judges, found)


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
    known = [cost for cost in costs.values() if cost is not None]
    notes = [
        "nothing was asked" if known else "nothing was asked; --price IN,OUT (for a million tokens) tells the cost"
    ]
    table = Table("estimate", [*columns, *([TableColumn("cost", "cost, about")] if known else [])], rows, notes=notes)
    return CostEstimate({"estimate": table}, found, sum(known) if known else None)


def _judges(metrics: Mapping[str, Metric]) -> dict[str, PromptJudge]:
    judges = {name: metric for name, metric in metrics.items() if isinstance(metric, PromptJudge)}
    if not judges:
        raise InputError("an estimate is for metrics that ask a language model: none of these does (-m judge-mqm).")
    return judges
