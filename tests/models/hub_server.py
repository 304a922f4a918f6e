"""A server that answers as the Hugging Face hub does: redirects, checksums, ranges, tokens, interrupted transfers."""

from __future__ import annotations

import hashlib
import http.server
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

COMMIT = "c0ffee" + "0" * 34
KIWI, COMET = "Unbabel/wmt22-cometkiwi-da", "Unbabel/wmt22-comet-da"
CACHED = "/api/resolve-cache/models/"
TOKENIZER = "FacebookAI/xlm-roberta-large/tokenizer.json"


class Hub(http.server.BaseHTTPRequestHandler):
    """Small files: a redirect to the server itself, then the file with git's sha1 as ETag. Large ones (.ckpt): a redirect to
    another server (the same one under another name), with the sha256 beside it."""

    files: dict[str, bytes]
    asked: list[tuple[str, str, str | None]]
    cut_at: int | None
    reached: threading.Event
    go_on: threading.Event
    tag: str | None
    protocol_version = "HTTP/1.0"

    def do_HEAD(self) -> None:
        self.answer()

    def do_GET(self) -> None:
        self.answer()

    def answer(self) -> None:
        self.asked.append((self.command, self.path, self.headers.get("Range")))
        host = self.headers["Host"].split(":")[0]
        token = self.headers.get("Authorization")
        if host == "localhost":
            self.give(b"" if token else self.files[self.path.removeprefix("/cdn/")])  # a CDN refuses foreign tokens
            return
        cached = self.path.startswith(CACHED)
        where = self.path.removeprefix(CACHED if cached else "/").replace(f"/{COMMIT}/", "/main/")
        repository, _, path = where.partition("/resolve/main/")
        name = f"{repository}/{path}"
        if name.startswith(KIWI) and token != "Bearer right":
            self.send_error(401 if token is None else 403)
        elif name not in self.files:
            self.send_error(404)
        elif name.endswith(".ckpt"):
            self.send_response(302)
            self.send_header("Location", f"http://localhost:{self.server.server_address[1]}/cdn/{name}")  # type: ignore[index]
            self.send_header("X-Linked-ETag", f'"{self.tag or hashlib.sha256(self.files[name]).hexdigest()}"')
            self.send_header("ETag", '"' + "5" * 40 + '"')
            self.send_header("X-Repo-Commit", COMMIT)
            self.end_headers()
        elif not cached:
            self.send_response(307)
            self.send_header("Location", CACHED + where)
            self.end_headers()
        else:
            blob = hashlib.sha1(b"blob %d\0" % len(self.files[name]) + self.files[name]).hexdigest()
            self.give(self.files[name], {"ETag": f'W/"{blob}"', "X-Repo-Commit": COMMIT})

    def give(self, body: bytes, headers: dict[str, str] | None = None) -> None:
        given = self.headers.get("Range")
        start = int(given.removeprefix("bytes=").rstrip("-")) if given else 0
        if given and start >= len(body):
            self.send_response(416)
            self.send_header("Content-Range", f"bytes */{len(body)}")
            self.end_headers()
            return
        self.send_response(206 if given else 200)
        for key, value in (headers or {}).items():
            self.send_header(key, value)
        if given:
            self.send_header("Content-Range", f"bytes {start}-{len(body) - 1}/{len(body)}")
        self.send_header("Content-Length", str(len(body) - start))
        self.end_headers()
        if self.command == "HEAD":
            return
        cut = type(self).cut_at
        if cut is None or not self.path.endswith(".ckpt"):
            self.wfile.write(body[start:])
            return
        type(self).cut_at = None
        self.wfile.write(body[start:cut])
        self.wfile.flush()
        self.reached.set()
        self.go_on.wait(30)

    def log_message(self, *_: Any) -> None:
        pass


@contextmanager
def serving(checkpoint: Path, repositories: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> Iterator[type[Hub]]:
    """A running hub that has `checkpoint` under the names of `repositories`; the environment points to it."""
    Hub.files, Hub.asked, Hub.cut_at, Hub.tag = {}, [], None, None
    Hub.reached, Hub.go_on = threading.Event(), threading.Event()
    Hub.go_on.set()
    for repository in repositories:
        for file in ("hparams.yaml", "checkpoints/model.ckpt"):
            Hub.files[f"{repository}/{file}"] = (checkpoint / file).read_bytes()
    Hub.files[TOKENIZER] = (checkpoint / "tokenizer.json").read_bytes()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Hub) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY", "HF_TOKEN"):
            monkeypatch.delenv(name, raising=False)
        monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_address[1]}/")
        yield Hub
        Hub.go_on.set()
        server.shutdown()
        thread.join()
