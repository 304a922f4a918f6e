"""Language model client that retries requests within limits and caches every answer.

An answer counts only after the cache has written it to disk. If a run is killed, only the requests in flight are lost, and
no answered question is asked again.
"""

from __future__ import annotations

import http.client
import json
import threading
from collections.abc import Mapping
from hashlib import blake2b
from typing import Any

from assay.core.context import ResponseCache
from assay.core.errors import InputError, OutputError
from assay.io.endpoint.address import Address
from assay.io.endpoint.budget import UNLIMITED_ANSWER, estimated_tokens
from assay.io.endpoint.chat import ChatAnswer, Later, OtherLimit, read_reply
from assay.io.endpoint.connection import Broken, Connection, Reply, TooMuch
from assay.io.endpoint.settings import LONGEST_WAIT, AskingStopped, Llm, backoff

_FORMAT = b"assay-answer-1"


class LlmClient:
    """Client for one model at one endpoint. Thread-safe: each thread has its own connection."""

    def __init__(self, address: Address, model: str, settings: Llm, cache: ResponseCache | None) -> None:
        self.address, self.model, self.settings, self.cache = address, model, settings, cache
        self.stop = threading.Event()
        self.asked = self.found = 0
        """Answers that were requested and paid for, and answers from the cache."""
        self._reached = False
        self._newer = False
        self._lines = threading.local()
        self._open: list[Connection] = []
        self._lock = threading.Lock()

    def question(self, messages: list[dict[str, str]], temperature: float | None, limit: int | None) -> dict[str, Any]:
        body: dict[str, Any] = {"model": self.model, "messages": messages}
        if temperature is not None:
            body["temperature"] = temperature
        if limit is not None:
            body["max_tokens"] = limit
        return body

    def key(self, question: Mapping[str, Any], sample: int) -> bytes:
        """Return the cache key of one answer."""
        content = json.dumps([str(self.address), sample, question], sort_keys=True)
        return blake2b(content.encode(), digest_size=16, person=_FORMAT).digest()

    def kept(self, question: Mapping[str, Any], sample: int) -> ChatAnswer | None:
        """Return the cached answer, if any."""
        key = self.key(question, sample)
        record = self.cache.get_many([key]).get(key) if self.cache is not None else None
        return None if record is None else ChatAnswer.of_record(record)

    def ask(self, question: Mapping[str, Any], sample: int) -> ChatAnswer:
        """Return the answer to a question: the cached one, or a new one that is cached before it is returned."""
        answer = self.kept(question, sample)
        if answer is not None:
            with self._lock:
                self.found += 1
            return answer
        self._check_cache(self.cache is None or self.cache.writable)
        try:
            answer = self._with_retries(question)
            if self.cache is not None:
                self._check_cache(self.cache.put_many([(self.key(question, sample), answer.record())]))
        except BaseException:
            self.stop.set()  # no thread starts another request
            raise
        with self._lock:
            self.asked += 1
        return answer

    def _check_cache(self, fine: bool) -> None:
        """Stop before paying for an answer that cannot be cached."""
        if not fine and self.cache is not None:
            why = self.cache.notices[-1].partition(": ")[2] if self.cache.notices else "they cannot be written."
            raise OutputError(f"answers cannot be cached, so no further ones are requested: {why}")

    def close(self) -> None:
        for line in self._open:
            line.close()

    def _with_retries(self, question: Mapping[str, Any]) -> ChatAnswer:
        question_text = json.dumps(question["messages"], ensure_ascii=False)
        expected = estimated_tokens(question_text), question.get("max_tokens") or UNLIMITED_ANSWER
        budget, attempt = self.settings.budget, 0
        while True:
            self.settings.limiter.wait(self.stop)
            reserved, answer = budget.reserve(*expected), None
            try:
                if self.stop.is_set():  # the run may stop while this request waits for others
                    raise AskingStopped
                answer = self._request(question)
                return answer
            except OtherLimit:
                if self._newer and attempt:
                    raise InputError(f"{self.address.server} rejects the token limit under both of its names") from None
                self._newer, wait = True, 0.0
            except Later as later:
                wait = self._delay(later, attempt)
            finally:
                budget.settle(reserved, answer, question_text)
            attempt += 1
            if self.stop.wait(wait):
                raise AskingStopped

    def _delay(self, later: Later, attempt: int) -> float:
        """Return the seconds until the next attempt; raise InputError after the last one."""
        if attempt >= self.settings.retries:
            raise InputError(f"{later}, in each of {attempt + 1} attempts") from None
        if later.wait is None:
            return backoff(attempt)
        if later.wait > LONGEST_WAIT:
            raise InputError(f"{later}, and requests a delay of {later.wait / 60:,.0f} minutes") from None
        self.settings.limiter.rest(later.wait)
        return later.wait + backoff(0) / 4

    def _request(self, question: Mapping[str, Any]) -> ChatAnswer:
        """Send one request. If this server has never answered, a failed connection is final."""
        body = dict(question)
        if self._newer and "max_tokens" in body:
            body["max_completion_tokens"] = body.pop("max_tokens")
        if self.settings.stream:
            body |= {"stream": True, "stream_options": {"include_usage": True}}
        data = json.dumps(body).encode()
        reply = self._reply(data)
        self._reached = True
        return read_reply(reply, self.address, self.model)

    def _reply(self, data: bytes) -> Reply:
        import ssl

        server = self.address.server
        try:
            return self._line().post(data)
        except ssl.SSLCertVerificationError as error:
            raise InputError(f"the certificate of {server} is not trusted: {error.verify_message}") from None
        except TooMuch as error:
            raise InputError(f"{self.address} is not a language-model endpoint: {error}") from None
        except TimeoutError:
            raise Later(f"{server} did not answer in {self.settings.timeout:g} s") from None
        except (OSError, http.client.HTTPException) as error:
            why = getattr(error, "strerror", None) or str(error) or type(error).__name__
            if not self._reached and not _connection_broke(error):
                raise InputError(f"{self.address} cannot be reached: {why}. Is the server running?") from None
            raise Later(f"the connection to {server} was lost ({self.address.hidden(str(why))})") from None

    def _line(self) -> Connection:
        line: Connection | None = getattr(self._lines, "line", None)
        if line is None:
            line = self._lines.line = Connection(self.address, self.settings.timeout)
            with self._lock:
                self._open.append(line)
        return line


def _connection_broke(error: BaseException) -> bool:
    """Return whether an open connection broke, so that a new one may work."""
    return isinstance(error, (ConnectionResetError, BrokenPipeError, Broken, http.client.HTTPException))
