"""LLM judge settings for the duration of a block: ``with assay.llm(endpoint=…, model=…):``."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING

from assay.io.endpoint.settings import Llm, using_llm

if TYPE_CHECKING:
    from assay.io.endpoint.budget import LlmBudget


@contextmanager
def llm(
    endpoint: str = "",
    model: str = "",
    *,
    price: Sequence[float] | None = None,
    max_cost: float | None = None,
    max_requests: int | None = None,
    rpm: float | None = None,
    concurrency: int = 8,
    timeout: float = 120.0,
    retries: int = 6,
    stream: bool = False,
    keep: bool = True,
) -> Iterator[LlmBudget]:
    """Configure LLM judges for a block; the budget, which counts requests and cost, is returned.

    Args:
        endpoint: URL of an OpenAI-compatible endpoint; by default ``$ASSAY_LLM_ENDPOINT`` or ``$OPENAI_BASE_URL``. The key is
            read from the environment only (``ASSAY_LLM_KEY``).
        model: Name of the model at the endpoint; by default ``$ASSAY_LLM_MODEL``.
        price: Prices per million input and output tokens.
        max_cost: Stop before the cost exceeds this amount.
        max_requests: Stop after this many requests, including failed ones.
        rpm: Maximum number of requests per minute.
        concurrency: Maximum number of concurrent requests.
        timeout: Seconds to wait for a response.
        retries: Number of retries after a 429 or 5xx response, a broken connection or a timeout.
        stream: Stream answers, for servers that close the connection during a long answer.
        keep: Use the response cache. Without it, the same call sends and pays for all requests again.

    Returns:
        A context manager whose value is the budget.

    Raises:
        InputError: A setting is invalid.

    Example:
        >>> with assay.llm("http://localhost:8000/v1", "my-model", max_requests=500) as spent:  # doctest: +SKIP
        ...     result = assay.score(sources=s, hypotheses=h, langpair="en-de", metrics=["judge-mqm"], spans=True)
    """
    prices = None if price is None else tuple(price)
    settings = Llm(
        endpoint, model, prices, max_cost, max_requests, rpm, concurrency, timeout, retries, stream, keep  # type: ignore[arg-type]
    )  # fmt: skip
    with using_llm(settings):
        yield settings.budget
