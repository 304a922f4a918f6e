"""Budget of language model requests: limits on requests and cost, and the amount spent. All judges in a call share it."""

from __future__ import annotations

import threading
from dataclasses import dataclass, field

from assay.core.errors import InputError, count
from assay.io.endpoint.chat import ChatAnswer

UNLIMITED_ANSWER = 1000
"""Tokens reserved for an answer without a limit."""


def estimated_tokens(text: str) -> int:
    """Estimate the number of tokens in a text: one per four ASCII characters, and one per 1.5 other characters."""
    plain = sum(map(str.isascii, text)) if not text.isascii() else len(text)
    return round(plain / 4 + (len(text) - plain) / 1.5) + 1


@dataclass(frozen=True, slots=True)
class Prices:
    """Prices per million tokens, in any currency."""

    question: float
    answer: float

    def cost(self, tokens_in: int, tokens_out: int) -> float:
        return (tokens_in * self.question + tokens_out * self.answer) / 1e6


class BudgetReached(InputError):
    """The budget is spent."""


@dataclass
class LlmBudget:
    """Counter of requests, tokens and cost that stops before a limit is exceeded. Thread-safe.

    The highest possible cost of a request is reserved before it is sent, and replaced with the actual cost after the answer.
    A request that exceeds the remaining budget waits until the requests in flight are settled.
    """

    prices: Prices | None = None
    max_cost: float | None = None
    max_requests: int | None = None
    requests: int = 0
    """Requests sent, failed ones included."""
    tokens_in: int = 0
    tokens_out: int = 0
    cost: float = 0.0
    estimated: bool = False
    """Whether an endpoint did not count its tokens, so that the numbers are estimates."""
    _reserved: float = 0.0
    _open: int = 0
    _change: threading.Condition = field(default_factory=threading.Condition, repr=False)

    def __post_init__(self) -> None:
        if self.max_cost is not None and self.prices is None:
            raise InputError(
                "--max-cost requires prices. Add --price IN,OUT, the prices per million input and output tokens."
            )

    def reserve(self, tokens_in: int, tokens_out: int) -> float:
        """Reserve the cost of a request before it is sent, and return it; raise BudgetReached if no further request may be sent."""
        highest = self.prices.cost(tokens_in, tokens_out) if self.prices else 0.0
        with self._change:
            while True:
                if self.max_requests is not None and self.requests >= self.max_requests:
                    raise BudgetReached(f"the {count(self.max_requests, 'request')} of --max-requests have been sent")
                if self.max_cost is None or self.cost + self._reserved + highest <= self.max_cost:
                    break
                if not self.requests:
                    raise BudgetReached(
                        f"a request may cost {money(highest)}, more than the {money(self.max_cost)} of --max-cost"
                    )
                if not self._open:
                    raise BudgetReached(
                        f"{money(self.cost)} of the {money(self.max_cost)} of --max-cost have been spent"
                    )
                self._change.wait()
            self.requests += 1
            self._open += 1
            self._reserved += highest
            return highest

    def settle(self, reserved: float, answer: ChatAnswer | None, question: str = "") -> None:
        """Record the actual cost of a request, which is zero without an answer."""
        with self._change:
            self._open -= 1
            self._reserved -= reserved
            if answer is not None:
                tokens = (answer.tokens_in, answer.tokens_out)
                if not answer.counted:
                    tokens, self.estimated = (estimated_tokens(question), estimated_tokens(answer.text)), True
                self.tokens_in += tokens[0]
                self.tokens_out += tokens[1]
                self.cost += self.prices.cost(*tokens) if self.prices else 0.0
            self._change.notify_all()

    def add(self, budget: LlmBudget, before: LlmBudget) -> None:
        """Add the amount that `budget` has spent since its state `before`."""
        self.prices, self.estimated = budget.prices, self.estimated or budget.estimated
        for name in ("requests", "tokens_in", "tokens_out", "cost"):
            setattr(self, name, getattr(self, name) + getattr(budget, name) - getattr(before, name))

    def summary(self) -> str:
        about = "about " if self.estimated else ""
        parts = [count(self.requests, "request"), f"{about}{count(self.tokens_in + self.tokens_out, 'token')}"]
        return ", ".join([*parts, f"{about}{money(self.cost)}"] if self.prices else parts)


def money(amount: float) -> str:
    """Return an amount with two or four decimals."""
    return f"{amount:,.2f}" if amount >= 1 or amount == 0 else f"{amount:.4f}"
