"""Replies from an OpenAI-compatible endpoint: answers, refusals, temporary errors and permanent errors."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from typing import Any

from assay.core.errors import InputError
from assay.core.schema import shorten
from assay.io.documents import decode
from assay.io.endpoint.address import Address
from assay.io.endpoint.connection import Reply

WAITING = (408, 409, 425, 429, 500, 502, 503, 504, 520, 522, 524, 529)
"""Status codes of temporary errors."""
MOST_TOKENS = 1_000_000_000
"""Tokens of one answer that an endpoint may report; larger counts are ignored."""


@dataclass(frozen=True, slots=True)
class ChatAnswer:
    """A model's answer and its cost in tokens."""

    text: str
    finish: str = "stop"
    """``stop``; ``length``: cut off; ``refused``; ``too_long``: the question exceeds the model's context."""
    model: str = ""
    """The model name that the endpoint reports."""
    tokens_in: int = 0
    tokens_out: int = 0
    counted: bool = True
    """Whether the endpoint counted the tokens; otherwise they are estimated."""

    def record(self) -> bytes:
        """Return the answer as bytes for the cache."""
        return json.dumps([getattr(self, name) for name in self.__slots__], ensure_ascii=False).encode(
            "utf-8", "surrogatepass"
        )

    @classmethod
    def of_record(cls, record: bytes) -> ChatAnswer:
        return cls(*decode(record.decode("utf-8", "surrogatepass")))


class Later(Exception):
    """Temporary error; `wait` is the delay in seconds that the server requests."""

    def __init__(self, why: str, wait: float | None = None) -> None:
        super().__init__(why)
        self.wait = wait


class OtherLimit(Exception):
    """The model requires the token limit under its newer name, ``max_completion_tokens``."""


def read_reply(reply: Reply, address: Address, model: str) -> ChatAnswer:
    """Return the answer in a reply; raise `Later` for a temporary error and InputError for a permanent one."""
    status, server = reply.status, address.server
    if 300 <= status < 400:
        target = address.hidden(reply.headers.get("location", ""))
        raise InputError(
            f"{server} redirects to {shorten(target)}; the key is not sent to redirects. Use that URL as --endpoint."
        )
    page = "html" in reply.headers.get("content-type", "") or reply.body.lstrip()[:1] == b"<"
    if page and (status < 400 or status in (404, 405)):
        raise InputError(
            f"{address} returned a web page. Check that it is the URL of an OpenAI-compatible endpoint (…/v1)."
        )
    if status == 200:
        if "event-stream" in reply.headers.get("content-type", "") or reply.body.lstrip().startswith(b"data:"):
            return _stream_answer(reply.body, address)
        return _choice_answer(_decode_reply(reply, address), address)
    error = _error(reply)
    why = address.hidden(error["message"])
    code = f"{error['code']} {error['type']}"
    if "content_filter" in code or "content_policy" in code:
        return ChatAnswer("", "refused", model)
    if "context_length" in code or status == 413:
        return ChatAnswer("", "too_long", model)
    if status == 400 and "max_completion_tokens" in error["message"]:
        raise OtherLimit
    if status in WAITING and "insufficient_quota" not in code:
        raise Later(f"{server} answered {status}{_detail(why)}", _wait(reply.headers))
    raise InputError(_permanent_error(status, address, model, why))


def _permanent_error(status: int, address: Address, model: str, why: str) -> str:
    server = address.server
    if status in (401, 403) and not address.key:
        return f"{server} requires a key ({status}). Set ASSAY_LLM_KEY in the environment."
    if status in (401, 403):
        return f"{server} rejects the key in {address.key_name} ({status}){_detail(why)}."
    if status in (404, 405):
        hint = "" if "/v1" in address.path else " Most endpoints end in /v1."
        return f"{address} has no model {model!r}, or is not the URL of an endpoint ({status}){_detail(why)}.{hint}"
    if status in (402, 429):
        return f"{server} has no credit left for this key ({status}){_detail(why)}."
    return f"{server} cannot answer ({status}){_detail(why)}."


def _detail(why: str) -> str:
    text = " ".join(why.split()).rstrip(".")
    return f": {text[:200]}" if text else ""


def _wait(headers: Mapping[str, str]) -> float | None:
    """Return the delay in a ``Retry-After`` header, which contains a number of seconds or a date."""
    import time

    text = headers.get("retry-after", "").strip()
    try:
        seconds = float(text)
    except ValueError:
        try:
            seconds = parsedate_to_datetime(text).timestamp() - time.time()
        except (ValueError, TypeError, OverflowError, OSError):
            return None
    return max(0.0, seconds) if math.isfinite(seconds) else None


def _decode_reply(reply: Reply, address: Address) -> dict[str, Any]:
    text = reply.body.decode("utf-8", "replace")
    try:
        value = decode(text)
    except ValueError:
        value = None
    if not isinstance(value, dict):
        raise Later(f"{address.server} returned a reply that is not JSON: {shorten(address.hidden(text.strip()))}")
    return value


def _error(reply: Reply) -> dict[str, str]:
    """Return the message, code and type of an error, in any format that servers use."""
    text = reply.body.decode("utf-8", "replace")
    try:
        value: Any = decode(text)
    except ValueError:
        value = {}
    inner = value.get("error", value) if isinstance(value, dict) else {}
    if not isinstance(inner, dict):
        inner = {"message": inner}
    if not inner.get("message"):
        inner = {**inner, "message": inner.get("detail") or ("" if "<" in text[:200] else text[:200])}
    return {key: str(inner.get(key) or "") for key in ("message", "code", "type")}


def _choice_answer(value: Mapping[str, Any], address: Address) -> ChatAnswer:
    """Return the answer in a complete reply."""
    choices = value.get("choices")
    choice = choices[0] if isinstance(choices, list) and choices else None
    if not isinstance(choice, dict):
        why = _detail(address.hidden(str(value.get("error") or "")))
        raise Later(f"{address.server} returned a reply without an answer{why}")
    message = choice.get("message")
    message = message if isinstance(message, dict) else {"content": choice.get("text")}
    return _answer(_text(message.get("content")), message.get("refusal"), choice.get("finish_reason"), value, address)


def _stream_answer(body: bytes, address: Address) -> ChatAnswer:
    """Return the answer in an event stream; an incomplete stream is an error."""
    text, refusal, finish, done = [], [], None, False
    about: dict[str, Any] = {}
    for line in body.decode("utf-8", "replace").splitlines():
        if not line.startswith("data:"):
            continue
        data = line[5:].strip()
        if data == "[DONE]":
            done = True
            break
        try:
            event = decode(data)
        except ValueError:
            raise Later(f"{address.server} sent an event that is not JSON: {shorten(address.hidden(data))}") from None
        if not isinstance(event, dict):
            continue
        if event.get("error"):
            raise Later(
                f"{address.server} stopped in the middle of the answer{_detail(address.hidden(str(event['error'])))}"
            )
        about |= {key: event[key] for key in ("model", "usage") if event.get(key)}
        choices = event.get("choices")
        for choice in choices if isinstance(choices, list) else ():
            if not isinstance(choice, dict):
                continue
            delta = choice.get("delta")
            if not isinstance(delta, dict):
                delta = {}
            text.append(_text(delta.get("content")))
            refusal.append(_text(delta.get("refusal")))
            finish = choice.get("finish_reason") or finish
    if finish is None and not done:
        raise Later(f"the answer of {address.server} is incomplete")
    return _answer("".join(text), "".join(refusal), finish, about, address)


def _answer(text: str, refusal: Any, finish: Any, about: Mapping[str, Any], address: Address) -> ChatAnswer:
    usage = about.get("usage")
    counts = [usage.get(key) if isinstance(usage, dict) else None for key in ("prompt_tokens", "completion_tokens")]
    tokens = [count if type(count) is int and 0 <= count <= MOST_TOKENS else None for count in counts]
    ended = {"content_filter": "refused", "length": "length", "max_tokens": "length"}.get(str(finish), "stop")
    if refusal and not text:
        text, ended = str(refusal), "refused"
    model = str(about.get("model") or "")
    return ChatAnswer(
        address.hidden(text).strip(),
        ended,
        address.hidden(model)[:200],
        tokens[0] or 0,
        tokens[1] or 0,
        None not in tokens,
    )


def _text(content: Any) -> str:
    """Return the text of a message: its content is a string, or a list of parts of which some are text."""
    if isinstance(content, list):
        return "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    return content if isinstance(content, str) else ""
