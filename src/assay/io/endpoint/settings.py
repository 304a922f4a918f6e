"""How language models are asked in a call: where, which, how fast, for how much. One object for all judges of the call.

Settings are needed deep inside, by whichever metric asks, and given far outside, on a command line: so they are set for the
time of a call, as a progress listener is (`assay.core.context`). The key is not among them: it never leaves the environment.
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
"""Seconds. A server that asks for more patience than this is told of, and the run stops."""


class AskingStopped(Exception):
    """Somebody else's question failed for good, or the user stopped the run."""


@dataclass
class RateLimiter:
    """Lets questions through one by one, so many a minute; all wait when the server says so."""

    per_minute: float | None = None
    _next: float = 0.0
    _lock: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def wait(self, stop: threading.Event) -> None:
        """Wait for one's turn; `AskingStopped` when there will be none."""
        with self._lock:
            turn = max(time.monotonic(), self._next)
            self._next = turn + (60.0 / self.per_minute if self.per_minute else 0.0)
        if stop.wait(max(0.0, turn - time.monotonic())) or stop.is_set():
            raise AskingStopped

    def rest(self, seconds: float) -> None:
        """Nobody's turn before so many seconds are over."""
        with self._lock:
            self._next = max(self._next, time.monotonic() + seconds)


def backoff(attempt: int) -> float:
    """Seconds before the next try, twice as many each time up to a minute; a random part, so that not all come at once."""
    longest = min(60.0, 2.0**attempt)
    return random.uniform(longest / 4, longest)


@dataclass
class Llm:
    """How language models are asked."""

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
    """Whether answers are kept, and taken from those that are."""

    def __post_init__(self) -> None:
        for name in ("rpm", "max_cost", "timeout"):
            value = getattr(self, name)
            if value is not None and not value > 0:
                raise InputError(f"{name.replace('_', '-')} must be above 0, not {value:g}.")
        for name, least in (("concurrency", 1), ("retries", 0), ("max_requests", 1)):
            if (number := getattr(self, name)) is not None and number < least:
                raise InputError(f"{name.replace('_', '-')} must be at least {least}, not {number}.")
        if self.price is not None and (len(self.price) != 2 or min(self.price) < 0):
            raise InputError("the price is two numbers: for a million tokens of questions, and of answers.")
        self.budget = LlmBudget(Prices(*self.price) if self.price else None, self.max_cost, self.max_requests)
        self.limiter = RateLimiter(self.rpm)
        self.model = self.model or os.environ.get("ASSAY_LLM_MODEL", "")


_llm: ContextVar[Llm | None] = ContextVar("llm", default=None)


@contextmanager
def using_llm(settings: Llm) -> Iterator[Llm]:
    """In this block, judges ask as `settings` say."""
    token = _llm.set(settings)
    try:
        yield settings
    finally:
        _llm.reset(token)


def current_llm() -> Llm | None:
    """How judges ask just now; None where nobody said."""
    return _llm.get()
