from __future__ import annotations

import csv
import http.client
import io
import json
import socket
import time
import webbrowser
from pathlib import Path
from typing import Any
from urllib.parse import quote, unquote, urlsplit

import pytest

import assay
from assay.viewer import server


class Asking:
    """Requests without a browser, and without a browser's manners."""

    def __init__(self, viewing: Any) -> None:
        self.parts = urlsplit(viewing.url)

    def __call__(self, path: str, host: str | None = None, method: str = "GET") -> tuple[int, dict[str, str], str]:
        connection = http.client.HTTPConnection("127.0.0.1", self.parts.port or 0, timeout=10)
        connection.request(method, path, headers={"Host": host} if host is not None else {})
        answer = connection.getresponse()
        found = answer.status, dict(answer.getheaders()), answer.read().decode()
        connection.close()
        return found

    def api(self, what: str, **asked: Any) -> tuple[int, Any]:
        query = "&".join(f"{name}={quote(str(value))}" for name, value in asked.items())
        status, _, body = self(f"{self.parts.path}api/{what}?{query}")
        return status, json.loads(body)


@pytest.fixture
def asking(shown: Any) -> Asking:
    return Asking(shown)


def key(shown: Any, name: str) -> str:
    return next(run.key for run in shown.server.answers.runs if run.name == name)


def test_only_this_machine_with_the_token_is_answered(asking: Asking, shown: Any) -> None:
    port, path = asking.parts.port, asking.parts.path
    assert shown.server.server_address[0] == "127.0.0.1" and len(shown.server.token) >= 32
    assert asking(path)[0] == 200 and asking(path, f"localhost:{port}")[0] == 200
    for host in ("evil.example", f"evil.example:{port}", "127.0.0.1", "", f"127.0.0.1:{port}.evil.example"):
        assert asking(path, host)[0] == 421, host
    for place in (
        "/",
        "/api/start",
        "/wrong/",
        "/wrong/api/start",
        f"/{shown.server.token[:-1]}/",
        f"/{shown.server.token}x/api/start",
    ):
        status, _, body = asking(place)
        assert status == 403 and "token" in json.loads(body)["error"] and "runs" not in body
    assert asking(path, method="POST")[0] == 405 and asking(path, method="PUT")[0] == 501


def test_nothing_but_the_given_runs_is_served(asking: Asking) -> None:
    path = asking.parts.path
    for place in ("../../etc/passwd", "static/app.js", "api/../../x", "%2e%2e/manifest.json", "api/", "api/nothing"):
        assert asking(path + place)[0] == 404, place
    status, whole = asking.api("rows", run="/etc")
    assert status == 400 and "unknown run '/etc'" in whole["error"]


def test_every_answer_forbids_what_the_page_does_not_need(asking: Asking) -> None:
    for place in ("", "api/start", "nothing"):
        _, headers, _ = asking(asking.parts.path + place)
        assert headers["Content-Security-Policy"].startswith("default-src 'none'")
        assert "unsafe" not in headers["Content-Security-Policy"]
        assert headers["X-Content-Type-Options"] == "nosniff" and headers["Referrer-Policy"] == "no-referrer"
        assert headers["X-Frame-Options"] == "DENY" and headers["Cache-Control"] == "no-store"
        assert "Python" not in headers["Server"]
    assert "sha256-" in asking(asking.parts.path)[1]["Content-Security-Policy"]


def test_windows_are_sorted_filtered_and_bounded(asking: Asking, shown: Any) -> None:
    demo = key(shown, "demo")
    status, whole = asking.api("rows", run=demo, where='system == "ours"', sort="chrf", start=0, count=3)
    assert status == 200 and whole["total"] == 20 and len(whole["rows"]) == 3
    scores = [row["chrf"] for row in whole["rows"]]
    assert scores == sorted(scores)
    assert len(asking.api("rows", run=demo, count=999999999)[1]["rows"]) == 40
    assert asking.api("rows", run=demo, start=5000)[1] == {"total": 40, "rows": []}
    for wrong in ({"start": "-1"}, {"count": "x"}, {"where": "chfr < 3"}, {"sort": "nothing"}):
        status, whole = asking.api("rows", run=demo, **wrong)
        assert status == 400 and whole["error"], wrong
    status, whole = asking.api("row", run=demo, row=0)
    assert [row["system"] for row in whole["beside"]] == ["baseline", "ours"]
    assert asking.api("row", run=demo, row=40)[0] == 400
    assert asking.api("points", run=demo, x="chrf", y="bleu")[1]["total"] == 40
    assert asking.api("points", run=demo, x="chrf", y="comet")[0] == 400


def test_an_export_is_read_again_and_runs_in_no_spreadsheet(asking: Asking, shown: Any) -> None:
    demo, path = key(shown, "demo"), asking.parts.path
    status, headers, body = asking(f"{path}api/export?run={demo}&format=jsonl&where={quote('chrf < 50')}")
    rows = [json.loads(line) for line in body.splitlines()]
    assert status == 200 and rows and all(row["scores"]["chrf"] < 50 for row in rows)
    assert headers["Content-Disposition"] == 'attachment; filename="demo.jsonl"'
    body = asking(f"{path}api/export?run={demo}&format=csv")[2]
    table = list(csv.DictReader(io.StringIO(body)))
    assert len(table) == 40 and table[0]["system"] == "baseline" and float(table[0]["chrf"]) > 0
    assert asking(f"{path}api/export?run={demo}&format=exe")[0] == 400


def test_a_port_in_use_is_one_sentence(shown: Any, runs: Any) -> None:
    with pytest.raises(assay.InputError, match="is not available"):
        assay.view(runs, port=shown.server.server_port, browser=False)


def sent(shown: Any, request: bytes) -> bytes:
    with socket.create_connection(("127.0.0.1", shown.server.server_port), timeout=10) as connection:
        connection.sendall(request)
        return connection.recv(1 << 16)


@pytest.mark.parametrize("address", ["http://[x/", "//[", "/\\[", "http://[::1]:x/"])
def test_an_address_that_is_none_is_refused(shown: Any, address: str, capfd: pytest.CaptureFixture[str]) -> None:
    host = f"Host: 127.0.0.1:{shown.server.server_port}\r\n\r\n"
    assert sent(shown, f"GET {address} HTTP/1.1\r\n{host}".encode()).startswith((b"HTTP/1.1 400", b"HTTP/1.1 403"))
    assert capfd.readouterr().err == ""


def test_a_request_that_comes_byte_by_byte_is_ended(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "WAIT_SECONDS", 1.5)
    with socket.create_connection(("127.0.0.1", shown.server.server_port), timeout=10) as connection:
        begun = time.monotonic()
        with pytest.raises(OSError, match=r"peer|pipe|abort"):
            while time.monotonic() < begun + 20:
                connection.send(b"G")
                time.sleep(0.2)
        assert time.monotonic() < begun + 10


def test_connections_without_a_request_are_bounded(shown: Any, asking: Asking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(server, "MOST_WAITING", 5)
    held = [socket.create_connection(("127.0.0.1", shown.server.server_port), timeout=10) for _ in range(20)]
    try:
        assert asking(asking.parts.path)[0] == 200
        end = time.monotonic() + 10
        while len(shown.server._waiting) > 5 and time.monotonic() < end:
            time.sleep(0.05)
        assert len(shown.server._waiting) <= 5
    finally:
        for connection in held:
            connection.close()


def test_the_token_is_in_no_command_line(shown: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A browser is given a file that its user alone can read; it goes with the server."""
    opened: list[str] = []
    monkeypatch.setattr(webbrowser, "open", lambda address: not opened.append(address))
    assert shown.open() and shown.open()
    address, again = opened
    path = Path(unquote(urlsplit(address).path))
    assert address == again and address.startswith("file:") and shown.server.token not in address
    assert path.stat().st_mode & 0o777 == 0o600 and path.parent.stat().st_mode & 0o777 == 0o700
    assert f"url={shown.url}" in path.read_text()
    shown._redirect.cleanup()
    shown._redirect = None
    assert not path.parent.exists()
