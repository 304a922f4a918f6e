"""How the language models behind judges are asked, for the time of a block: ``with assay.llm(endpoint=…, model=…):``."""

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
    """In this block, metrics that ask a language model do so as it says; gives the purse, which counts what is spent.

    >>> with assay.llm("http://localhost:8000/v1", "my-model", max_requests=500) as spent:  # doctest: +SKIP
    ...     result = assay.score(sources=s, hypotheses=h, langpair="en-de", metrics=["judge-mqm"], spans=True)

    Args:
        endpoint: The address of an OpenAI-compatible endpoint; by default ``$ASSAY_LLM_ENDPOINT`` or ``$OPENAI_BASE_URL``. The key
            is read from the environment alone (``ASSAY_LLM_KEY``).
        model: Its name at the endpoint; by default ``$ASSAY_LLM_MODEL``.
        price: What a million tokens of questions and of answers cost.
        max_cost: Stop before more than this is spent.
        max_requests: Stop after so many requests, those that fail among them.
        rpm: At most so many requests a minute.
        concurrency: Requests under way at once.
        timeout: Seconds to wait for a reply.
        retries: Further tries after a reply of 429 or 5xx, a broken line or no reply in time.
        stream: Let the answer come in pieces; for servers that cut the line while a long answer is being made.
        keep: Keep answers, and take those that are kept. Without, the same call asks and pays again.
    """
    prices = None if price is None else tuple(price)
    settings = Llm(
        endpoint, model, prices, max_cost, max_requests, rpm, concurrency, timeout, retries, stream, keep  # type: ignore[arg-type]
    )  # fmt: skip
    with using_llm(settings):
        yield settings.budget
