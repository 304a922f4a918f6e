"""An S3 server of the test's own (moto's, in this process), with requests that fail or wait when they are told to."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any


class Trouble:
    """What happens to requests: `failing` more of them answer 503, `refusing` all 403, `full` every PUT 507; `waiting` seconds."""

    def __init__(self) -> None:
        self.failing = 0
        self.refusing = self.full = False
        self.waiting = 0.0
        self.seen = 0

    def around(self, application: Any) -> Any:
        """A WSGI application with the trouble before it."""

        def answer(environ: dict[str, Any], start: Callable[..., Any]) -> Iterable[bytes]:
            self.seen += 1
            time.sleep(self.waiting)
            if self.refusing:
                return _error(start, "403 Forbidden", "AccessDenied")
            if self.full and environ["REQUEST_METHOD"] in ("PUT", "POST"):
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                return _error(start, "403 Forbidden", "QuotaExceeded")
            if self.failing > 0:
                self.failing -= 1
                environ["wsgi.input"].read(int(environ.get("CONTENT_LENGTH") or 0))
                return _error(start, "503 Service Unavailable", "SlowDown")
            found: Iterable[bytes] = application(environ, start)
            return found

        return answer


def _error(start: Callable[..., Any], status: str, code: str) -> list[bytes]:
    start(status, [("Content-Type", "application/xml")])
    return [f"<?xml version='1.0'?><Error><Code>{code}</Code><Message>{code}</Message></Error>".encode()]


@contextmanager
def store_server() -> Iterator[tuple[str, Trouble]]:
    """Its address, and the trouble that it can make."""
    from moto.server import DomainDispatcherApplication, create_backend_app
    from werkzeug.serving import make_server

    trouble = Trouble()
    server = make_server("127.0.0.1", 0, trouble.around(DomainDispatcherApplication(create_backend_app)), threaded=True)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", trouble
    finally:
        server.shutdown()
        server.server_close()
