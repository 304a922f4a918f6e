"""Estimate of the requests and tokens that a judge needs, based on the lengths of the texts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from assay.io.endpoint.budget import estimated_tokens
from assay.io.endpoint.chat import ChatAnswer
from assay.io.judgements.answers import without_thoughts
from assay.io.judgements.prompts import Prompt, filled

Question = Callable[[list[dict[str, str]], int | None], dict[str, Any]]
Kept = Callable[[Mapping[str, Any], int], ChatAnswer | None]

_TURN = 4
"""Tokens of overhead per message."""


@dataclass(frozen=True, slots=True)
class RequestEstimate:
    """Number of requests, and approximate number of tokens."""

    requests: int = 0
    kept: int = 0
    """Number of answers in the response cache."""
    tokens_in: int = 0
    tokens_out: int = 0

    def __add__(self, other: RequestEstimate) -> RequestEstimate:
        return RequestEstimate(
            self.requests + other.requests,
            self.kept + other.kept,
            self.tokens_in + other.tokens_in,
            self.tokens_out + other.tokens_out,
        )


def estimated(prompt: Prompt, question: Question, kept: Kept, texts: Mapping[str, str], sample: int) -> RequestEstimate:
    """Estimate the requests for one sample about one translation.

    Repeated requests after unreadable answers are not included. The answer to the first question is assumed to be of typical
    length.
    """
    total, before = RequestEstimate(), dict(texts)
    if prompt.first is not None:
        first = prompt.first
        messages = filled(first.messages, texts)
        answer = kept(question(messages, first.max_tokens), sample)
        total += RequestEstimate(kept=1) if answer is not None else _asked(messages, first.usual_tokens)
        before["first_answer"] = "x" * 4 * first.usual_tokens if answer is None else without_thoughts(answer.text)
    messages = filled(prompt.messages, before)
    is_cached = kept(question(messages, prompt.max_tokens), sample) is not None
    return total + (RequestEstimate(kept=1) if is_cached else _asked(messages, prompt.usual_tokens))


def _asked(messages: list[dict[str, str]], answer: int) -> RequestEstimate:
    return RequestEstimate(1, 0, sum(estimated_tokens(message["content"]) + _TURN for message in messages), answer)
