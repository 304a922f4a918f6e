"""Fetching by name, as a program does it, from a server of its own."""

from __future__ import annotations

import dataclasses
import hashlib
import http.server
import re
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.core.errors import MissingPart, UnknownName
from assay.core.suite import Suite
from assay.metrics import METRICS
from assay.suites.embedded import Embedded
from assay.verbs.fetch import fetch

BODY = b"id\tsource\n1\tHallo\n"


class OneFile(http.server.BaseHTTPRequestHandler):
    def do_GET(self) -> None:
        self.send_response(200)
        self.send_header("Content-Length", str(len(BODY)))
        self.end_headers()
        self.wfile.write(BODY)

    def log_message(self, *args: object) -> None:
        pass


class Theirs(Suite):
    """Somebody's own suite, whose card the fixture completes."""

    card = Embedded.card

    def load(self, folder: Path | None = None) -> list[object]:  # type: ignore[override]
        return []


@pytest.fixture
def theirs() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), OneFile) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        address = f"http://127.0.0.1:{running.server_address[1]}/data.tsv"
        sums = {"data.tsv": hashlib.sha256(BODY).hexdigest()}
        Theirs.card = dataclasses.replace(
            Embedded.card, folders=("theirs",), downloads={"data.tsv": address}, checksums=sums
        )
        yield "tests.verbs.test_fetch:Theirs"
        running.shutdown()
        thread.join()


def test_a_suite_is_fetched_into_the_folder_that_was_named(theirs: str, tmp_path: Path) -> None:
    seen: list[tuple[str, int, int | None]] = []
    fetched = fetch(theirs, data_dir=tmp_path, progress=lambda *step: seen.append(step))
    assert fetched.path == tmp_path / "theirs" and (fetched.path / "data.tsv").read_bytes() == BODY
    assert seen[-1] == ("data.tsv", len(BODY), len(BODY))
    assert [dict(row) for row in fetched.table().rows] == [{"name": theirs, "path": str(tmp_path / "theirs")}]


def test_what_cannot_be_fetched_is_named() -> None:
    with pytest.raises(MissingPart, match="assay cannot download"):
        fetch("embedded")
    with pytest.raises(UnknownName, match="Did you mean demetr"):
        fetch("demeter")


@pytest.mark.parametrize("name", METRICS.entries)
def test_what_a_metric_needs_is_fetched_by_its_name_or_told(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """As ``assay list metrics`` says: assay fetch METRIC."""
    asked: list[str] = []

    def fetching(what: str, *_: object) -> Path:
        asked.append(what)
        return Path(what)

    monkeypatch.setattr("assay.verbs.fetch.fetch_published", fetching)
    monkeypatch.setattr("assay.verbs.fetch.fetch_prompts", lambda *_: fetching("gemba"))
    monkeypatch.setattr("assay.verbs.fetch.download", lambda *_, **__: fetching("flores200"))
    needed = METRICS.resolve(name).card.weights
    if needed is not None and needed.get.startswith("assay fetch "):
        fetch(name)
        assert asked == [needed.get.removeprefix("assay fetch ")]
    else:
        with pytest.raises(MissingPart, match=f"(?:^|download ){re.escape(name)}[. ]"):
            fetch(name)
        assert not asked
