"""Language model settings for one call: endpoint, model, rate limit, price and budget.

The user specifies the settings on the command line, and a metric needs them deep inside a call. They are therefore set for
the duration of a call, like a progress listener (`assay.core.context`). The API key is not one of them: it stays in the
environment.
"""

from __future__ import annotations

import os
import random
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from assay.core.errors import InputError
from assay.io.endpoint.budget import LlmBudget, Prices

LONGEST_WAIT = 300.0
"""Seconds. If a server asks for a longer delay, the run stops."""


class AskingStopped(Exception):
    """Another request failed permanently, or the user stopped the run."""


@dataclass
class RateLimiter:
    """Rate limiter for requests per minute, which also pauses all threads when the server requests a delay."""

    per_minute: float | None = None
    _next: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def wait(self, stop: threading.Event) -> None:
        """Wait for the next free slot; raise `AskingStopped` if the run stops."""
        with self._lock:
            turn = max(time.monotonic(), self._next)
            self._next = turn + (60.0 / self.per_minute if self.per_minute else 0.0)
        if stop.wait(max(0.0, turn - time.monotonic())) or stop.is_set():
            raise AskingStopped

    def rest(self, seconds: float) -> None:
        """Pause all requests for a number of seconds."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def backoff(attempt: int) -> float:
    """Return the seconds to wait before the next attempt: doubled each time up to a minute, with random jitter."""
    longest = min(60.0, 2.0**attempt)
    return random.uniform(longest / 4, longest)


@dataclass
class Llm:
    """Language model settings for one call."""

    endpoint: str = ""
    model: str = ""
    price: tuple[float, float] | None = None
    max_cost: float | None = None
    max_requests: int | None = None
    rpm: float | None = None
    concurrency: int = 8
    timeout: float = 120.0
    retries: int = 6
    stream: bool = False
    keep: bool = True
    """Whether answers are written to the cache and taken from it."""

    def __post_init__(self) -> None:
        for name in ("rpm", "max_cost", "timeout"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name.replace('_', '-')} must be above 0, not {value:g}.")
        for name, least in (("concurrency", 1), ("retries", 0), ("max_requests", 1)):
            if (number := getattr(self, name)) is not None and number < least:
                raise InputError(f"{name.replace('_', '-')} must be at least {least}, not {number}.")
        if self.price is not None and (len(self.price) != 2 or min(self.price) < 0):
            raise InputError(
                "the price must be two non-negative numbers: the prices per million input tokens and per million output tokens."
            )
        self.budget = LlmBudget(Prices(*self.price) if self.price else None, self.max_cost, self.max_requests)
        self.limiter = RateLimiter(self.rpm)
        self.model = self.model or os.environ.get("ASSAY_LLM_MODEL", "")


_llm: ContextVar[Llm | None] = ContextVar("llm", default=None)


@contextmanager
def using_llm(settings: Llm) -> Iterator[Llm]:
    """Use `settings` for all judges inside the block."""
    token = _llm.set(settings)
    try:
        yield settings
    finally:
        _llm.reset(token)


def current_llm() -> Llm | None:
    """Return the settings of the current call; None if there are none."""
    return _llm.get()
