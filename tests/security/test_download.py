"""Servers that lie, dawdle, send elsewhere or ask for secrets: nothing unchecked passes in silence, one line says why."""

from __future__ import annotations

import hashlib
import http.server
import json
import os
import shutil
import socket
import ssl
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.core.errors import InputError, MissingPart, OutputError
from assay.data.checkpoints import checkpoints
from assay.io.files import server as asking
from assay.io.files.download import download, first_record
from assay.models.files.published import fetch_published

BODY = b"x" * 1000
SUM = hashlib.sha256(BODY).hexdigest()


class Server(http.server.BaseHTTPRequestHandler):
    """Does what the test says; keeps what it was asked."""

    behave: Callable[[Server], None]
    asked: list[tuple[str, str, str | None]]

    def do_GET(self) -> None:
        self.asked.append((self.command, self.path, self.headers.get("Authorization")))
        type(self).behave(self)

    def do_HEAD(self) -> None:
        self.do_GET()

    def give(self, body: bytes = BODY, status: int = 200, **headers: str) -> None:
        self.send_response(status)
        for name, value in {
            "Content-Length": str(len(body)),
            **{k.replace("_", "-"): v for k, v in headers.items()},
        }.items():
            self.send_header(name, value)
        self.end_headers()
        if self.command == "GET":
            self.wfile.write(body)

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def address(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    Server.asked, Server.behave = [], Server.give
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    for name in ("http_proxy", "HTTP_PROXY", "HF_TOKEN", "HF_ENDPOINT"):
        monkeypatch.delenv(name, raising=False)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        running.daemon_threads = True
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def headers(**headers: str) -> Callable[[Server], None]:
    return lambda server: server.give(**headers)


def redirect(to: str) -> Callable[[Server], None]:
    return lambda server: server.give(b"", 302, Location=to)


def garbage(server: Server) -> None:
    server.wfile.write(b"\x00\x01garbage\r\n\r\n")


@pytest.mark.parametrize(
    ("behave", "said"),
    [
        (headers(Content_Length="abc"), "Content-Length: abc, which is not a number of bytes"),
        (headers(Content_Length="-5"), "Content-Length: -5, which is not a number"),
        (headers(Content_Length="1_0"), "which is not a number"),
        (headers(Content_Length="9" * 5000), "which is not a number of bytes"),
        (headers(Content_Length=str(10**15)), "too full"),
        (headers(Content_Length="2000"), "ended after 1,000 of 2,000 bytes"),
        (lambda server: server.give(b"", 204), "the server answered 204"),
        (lambda server: server.give(b""), "an empty file"),
        (lambda server: server.give(b"", 416), "answered 416"),
        (lambda server: server.give(b"", 416, Content_Range="bytes */0"), "answered 416"),
        (redirect("file:///etc/passwd"), "could not be downloaded"),
        (redirect("ftp://127.0.0.1:1/x"), "from http to ftp://127.0.0.1:1/x"),
        (redirect("http://[::1"), "malformed"),
        (redirect("http://127.0.0.1:port/"), "could not be downloaded"),
        (redirect("/again"), "could not be downloaded"),
        (garbage, "could not be downloaded"),
    ],
)
def test_a_server_that_lies_gets_one_sentence(
    address: str, tmp_path: Path, behave: Callable[[Server], None], said: str
) -> None:
    Server.behave = behave
    with pytest.raises((MissingPart, OutputError), match=said):
        download("it", f"{address}/file", tmp_path / "file")
    assert not (tmp_path / "file").exists()


@pytest.mark.parametrize(
    "behave",
    [headers(Content_Length="abc"), headers(X_Repo_Commit="../../evil", ETag='"' + "0" * 64 + '"'), garbage],
)
def test_on_the_command_line_it_is_one_line_and_exit_2(
    address: str,
    tmp_path: Path,
    behave: Callable[[Server], None],
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    Server.behave = behave
    monkeypatch.setenv("HF_ENDPOINT", address)
    assert main(["fetch", "comet-22", "--data-dir", str(tmp_path / "data"), "--quiet"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "bug" not in said
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file()]
    assert not [path for _, path, _ in Server.asked if "evil" in path]


def test_an_address_that_is_none(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HF_ENDPOINT", "not an address")
    with pytest.raises(MissingPart, match="could not be downloaded from not an address"):
        fetch_published("comet-22", str(tmp_path))


def test_a_server_that_says_nothing_and_one_that_drips(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "TIMEOUT", 0.5)
    Server.behave = lambda server: time.sleep(2)
    with pytest.raises(MissingPart, match="timed out"):
        download("it", f"{address}/file", tmp_path / "file")

    def drip(server: Server) -> None:
        server.send_response(200)
        server.send_header("Content-Length", "1000")
        server.end_headers()
        for _ in range(100):
            try:
                server.wfile.write(b"x")
            except OSError:
                return
            time.sleep(0.05)

    monkeypatch.setattr(asking, "TIMEOUT", 30.0)
    monkeypatch.setattr(asking, "PATIENCE", 0.5)
    Server.behave = drip
    with pytest.raises(MissingPart, match=r"bytes in 0 seconds, which is too slow"):
        download("it", f"{address}/file", tmp_path / "file")


def test_what_nothing_vouches_for_is_said_once_and_remembered(address: str, tmp_path: Path) -> None:
    heard: list[str] = []
    download("it", f"{address}/file", tmp_path / "one", say=heard.append)
    assert len(heard) == 1 and f"{tmp_path / 'one'} was not verified, because it has no known checksum." in heard[0]
    record = first_record(f"{address}/file")
    assert json.loads(record.read_text()) == {"address": f"{address}/file", "sha256": SUM} and str(record) in heard[0]
    download("it", f"{address}/file", tmp_path / "two", say=heard.append)
    assert len(heard) == 1 and (tmp_path / "two").read_bytes() == BODY
    Server.behave = lambda server: server.give(b"y" * 1000)
    with pytest.raises(
        InputError,
        match=f"has changed since its first download: its sha256 is .*, it was {SUM[:12]}.*remove {record}",
    ):
        download("it", f"{address}/file", tmp_path / "three", say=heard.append)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["cache", "one", "two"]
    (tmp_path / "two").write_bytes(b"changed")
    with pytest.raises(InputError, match="has changed since its first download"):
        download("it", f"{address}/file", tmp_path / "two")
    record.unlink()
    download("it", f"{address}/file", tmp_path / "three", say=heard.append)
    assert (tmp_path / "three").read_bytes() == b"y" * 1000 and len(heard) == 2


@pytest.mark.parametrize("content", ["", "[]", '{"sha256": ', "[" * 100_000, '{"sha256": 5}'])
def test_a_damaged_memory_is_named(address: str, tmp_path: Path, content: str) -> None:
    download("it", f"{address}/file", tmp_path / "one")
    first_record(f"{address}/file").write_text(content)
    with pytest.raises(InputError, match=str(first_record(f"{address}/file"))):
        download("it", f"{address}/file", tmp_path / "two")


def test_without_a_checksum_no_part_is_continued(address: str, tmp_path: Path) -> None:
    """A part of another file could not be told from one of this."""
    (tmp_path / "file.part").write_bytes(b"old" * 10)
    Server.behave = lambda server: server.give(BODY, 206 if server.headers.get("Range") else 200)
    download("it", f"{address}/file", tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == BODY


def test_a_part_that_is_a_link_is_not_written_to(address: str, tmp_path: Path) -> None:
    (tmp_path / "precious").write_text("precious")
    (tmp_path / "file.part").symlink_to("precious")
    with pytest.raises(OutputError, match=r"file\.part is not a regular file\. Remove it, or choose another folder"):
        download("it", f"{address}/file", tmp_path / "file", SUM)
    assert (tmp_path / "precious").read_text() == "precious"


def hub_of(checksum: str | None) -> Callable[[Server], None]:
    return headers(ETag=f'"{checksum}"') if checksum else Server.give


def test_a_checkpoint_without_a_checksum_is_named(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", address)
    assert main(["fetch", "comet-22", "--data-dir", str(tmp_path / "a"), "--quiet"]) == 0
    assert capsys.readouterr().err.count("was not verified") == 3
    Server.behave = hub_of(SUM)
    assert main(["fetch", "comet-22", "--data-dir", str(tmp_path / "b")]) == 0
    assert "not verified" not in capsys.readouterr().err
    # The server's own checksum agrees with what it sends, which is not what it sent before.
    Server.behave = lambda server: server.give(b"evil", ETag=f'"{hashlib.sha256(b"evil").hexdigest()}"')
    assert main(["fetch", "comet-22", "--data-dir", str(tmp_path / "c")]) == 2
    assert "has changed since its first download" in capsys.readouterr().err
    assert not [path for path in (tmp_path / "c").rglob("*") if path.is_file()]


@pytest.mark.parametrize("named", [SUM, None])
def test_a_pin_counts_for_more_than_the_hub(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str | None
) -> None:
    pins = {"hparams.yaml": "1" * 64}
    known = {**checkpoints(), "comet-22": replace(checkpoints()["comet-22"], sha256=pins)}
    monkeypatch.setattr("assay.models.files.hub.checkpoints", lambda: known)
    monkeypatch.setenv("HF_ENDPOINT", address)
    Server.behave = hub_of(named)
    with pytest.raises(InputError, match="expected 111111111111"):
        fetch_published("comet-22", str(tmp_path))
    assert len([how for how, _, _ in Server.asked if how == "GET"]) == (0 if named else 1)
    pins["hparams.yaml"] = SUM
    folder = fetch_published("comet-22", str(tmp_path))
    assert (folder / "hparams.yaml").read_bytes() == BODY
    assert not first_record(f"{address}/Unbabel/wmt22-comet-da/resolve/main/hparams.yaml").exists()


def test_the_token_does_not_travel_in_the_open(address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The server plays the proxy, so that a request to any host comes to it."""
    monkeypatch.setenv("HF_TOKEN", "SECRET")
    monkeypatch.setenv("HF_ENDPOINT", address)
    fetch_published("comet-22", str(tmp_path / "here"))
    assert {token for _, _, token in Server.asked} == {"Bearer SECRET"}  # to this machine itself
    Server.asked.clear()
    monkeypatch.setenv("http_proxy", address)
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.example")
    heard: list[str] = []
    fetch_published("comet-22", str(tmp_path / "there"), say=heard.append)
    assert {token for _, _, token in Server.asked} == {None} and Server.asked[0][1].startswith("http://hub.example/")
    assert heard[0] == "HF_TOKEN is not sent to http://hub.example, since the connection is not encrypted."
    Server.asked.clear()
    with pytest.raises(
        MissingPart, match=r"the connection is not encrypted, but xcomet-xl requires the token\. Set HF_ENDPOINT"
    ):
        fetch_published("xcomet-xl", str(tmp_path / "there"))
    download("it", "http://hub.example/file", tmp_path / "file", headers={"Authorization": "Bearer SECRET"})
    assert {token for _, _, token in Server.asked} == {None}


def test_https_does_not_become_http(address: str, tmp_path: Path) -> None:
    if shutil.which("openssl") is None:
        pytest.skip("openssl is not installed, which makes the certificate")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2", "-subj", "/CN=localhost", "-addext",
         "subjectAltName=DNS:localhost", "-out", str(certificate), "-keyout", str(key)], check=True, capture_output=True,
    )  # fmt: skip

    class Secure(Server):
        behave = redirect(f"{address}/plain")
        asked: list[tuple[str, str, str | None]] = []  # noqa: RUF012

    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Secure) as running:
        running.socket = context.wrap_socket(running.socket, server_side=True)
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        home = {"HF_ENDPOINT": f"https://localhost:{running.server_address[1]}", "HF_TOKEN": "SECRET"}
        done = subprocess.run(
            [sys.executable, "-m", "assay", "fetch", "comet-22", "--data-dir", str(tmp_path / "data")],
            env={**os.environ, **home, "SSL_CERT_FILE": str(certificate)}, capture_output=True, text=True, check=False,
        )  # fmt: skip
        running.shutdown()
        thread.join()
    assert (done.returncode, done.stderr.count("\n")) == (2, 1)
    assert f"the server redirects from https to {address}/plain, which is not encrypted" in done.stderr
    assert {token for _, _, token in Secure.asked} == {"Bearer SECRET"} and Server.asked == []
    assert not [path for path in (tmp_path / "data").rglob("*") if path.is_file()]


def test_a_closed_port_is_no_bug(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with pytest.raises(MissingPart, match="refused"):
        download("it", f"http://127.0.0.1:{port}/file", tmp_path / "file")
