"""A small server that speaks as OpenAI-compatible endpoints do, over real sockets: answers, streams, limits, faults.

What it says follows from what it is asked (`answer`), so that tests do not depend on the order of requests. `faults` are taken one
a request, before anything is answered. It counts the different questions and how often each was answered.
"""

from __future__ import annotations

import json
import threading
import time
from collections import Counter
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

Fault = Callable[["Handler"], bool]
"""Deals with a request; True when the line is to be closed without an answer."""


class ChatServer:
    """Start with ``with ChatServer(answer) as server``; `server.url` is the endpoint."""

    def __init__(
        self, answer: Callable[[dict[str, Any]], Any], *, key: str = "", model: str = "tiny-2026-01-01"
    ) -> None:
        self.answer, self.key, self.model = answer, key, model
        self.faults: list[Fault] = []
        self.always: Fault | None = None
        self.usage = True
        self.delay = 0.0
        self.questions: Counter[str] = Counter()
        """How often each question was answered, whole."""
        self.bodies: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.lines = self.most = self._now = 0
        """Lines that were opened, and the most requests that were under way at once."""
        self.lock = threading.Lock()
        handler = type("Bound", (Handler,), {"chat": self})
        self.server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
        self.server.daemon_threads = True

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server.server_address[1]}/v1"

    @property
    def answered(self) -> int:
        return sum(self.questions.values())

    def __enter__(self) -> ChatServer:
        threading.Thread(target=self.server.serve_forever, args=(0.02,), daemon=True).start()
        return self

    def __exit__(self, *_: object) -> None:
        self.server.shutdown()
        self.server.server_close()


class Handler(BaseHTTPRequestHandler):
    """One request."""

    protocol_version = "HTTP/1.1"
    chat: ChatServer

    def setup(self) -> None:
        super().setup()
        with self.chat.lock:
            self.chat.lines += 1

    def do_POST(self) -> None:
        chat = self.chat
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with chat.lock:
            chat.bodies.append(body)
            chat.headers.append({name.lower(): value for name, value in self.headers.items()})
            fault = chat.faults.pop(0) if chat.faults else chat.always
            chat._now += 1
            chat.most = max(chat.most, chat._now)
        try:
            self.serve(body, fault)
        finally:
            with chat.lock:
                chat._now -= 1

    def serve(self, body: dict[str, Any], fault: Fault | None) -> None:
        chat = self.chat
        if chat.key and self.headers.get("Authorization") != f"Bearer {chat.key}":
            said = self.headers.get("Authorization", "")
            self.reply(401, {"error": {"message": f"Incorrect API key provided: {said}", "code": "invalid_api_key"}})
            return
        if self.path != "/v1/chat/completions":
            self.reply(404, {"error": {"message": f"no such place: {self.path}"}})
            return
        if fault is not None:
            if fault(self):
                self.close_connection = True
            return
        time.sleep(chat.delay)
        said = chat.answer(body)
        message = said if isinstance(said, dict) else {"content": said}
        finish = message.pop("finish", "stop")
        asked = {name: value for name, value in body.items() if not name.startswith("stream")}
        with chat.lock:
            chat.questions[json.dumps(asked, sort_keys=True)] += 1
        usage = {"prompt_tokens": 100, "completion_tokens": 10} if chat.usage else None
        if body.get("stream"):
            self.stream(message, finish, usage)
        else:
            choice = {"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}
            self.reply(200, {"model": chat.model, "choices": [choice], **({"usage": usage} if usage else {})})

    def reply(
        self, status: int, value: Any, headers: dict[str, str] | None = None, kind: str = "application/json"
    ) -> None:
        data = value if isinstance(value, bytes) else json.dumps(value).encode()
        self.send_response(status)
        for name, text in {"Content-Type": kind, "Content-Length": str(len(data)), **(headers or {})}.items():
            self.send_header(name, text)
        self.end_headers()
        self.wfile.write(data)

    def stream(self, message: dict[str, Any], finish: str, usage: Any, whole: bool = True) -> None:
        """Events in chunks, a letter or three at a time."""
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        field, text = next(iter(message.items()))
        events: list[Any] = [{"choices": [{"delta": {"role": "assistant"}}], "model": self.chat.model}]
        events += [{"choices": [{"delta": {field: text[at : at + 3]}}]} for at in range(0, len(text or ""), 3)]
        if whole:
            events += [{"choices": [{"delta": {}, "finish_reason": finish}]}, {"choices": [], "usage": usage}]
        for event in events:
            self.chunk(f"data: {json.dumps(event)}\n\n")
        if whole:
            self.chunk("data: [DONE]\n\n")
            self.wfile.write(b"0\r\n\r\n")
        else:
            self.wfile.flush()
            self.close_connection = True

    def chunk(self, text: str) -> None:
        data = text.encode()
        self.wfile.write(f"{len(data):x}\r\n".encode() + data + b"\r\n")

    def log_message(self, *_: Any) -> None:
        """Nothing is printed."""


def status(code: int, error: Any = None, **headers: str) -> Fault:
    """A reply with an error."""

    def fault(handler: Handler) -> bool:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        handler.reply(code, {"error": error or {"message": f"trouble {code}"}}, named)
        return False

    return fault


def raw(data: bytes, kind: str = "application/json", code: int = 200, **headers: str) -> Fault:
    """A reply with this body."""

    def fault(handler: Handler) -> bool:
        handler.reply(code, data, {name.replace("_", "-"): value for name, value in headers.items()}, kind)
        return False

    return fault


def hang_up(handler: Handler) -> bool:
    """No reply at all."""
    return True


def cut(handler: Handler) -> bool:
    """A reply that breaks off in the middle of its body."""
    handler.send_response(200)
    handler.send_header("Content-Type", "application/json")
    handler.send_header("Content-Length", "5000")
    handler.end_headers()
    handler.wfile.write(b'{"choices": [{"message": {"content": "Sc')
    handler.wfile.flush()
    return True


def cut_stream(handler: Handler) -> bool:
    """A stream that breaks off."""
    handler.stream({"content": "Critical:"}, "stop", None, whole=False)
    return True


def slow(seconds: float) -> Fault:
    """A reply that comes after so many seconds, if anybody still waits."""

    def fault(handler: Handler) -> bool:
        time.sleep(seconds)
        return True

    return fault
