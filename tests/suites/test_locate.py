from __future__ import annotations

import dataclasses
import gzip
import hashlib
import http.server
import socket
import threading
from pathlib import Path

import pytest

from assay.core.errors import InputError, MissingPart, OutputError
from assay.core.suite import SuiteCard
from assay.suites.aces import Aces
from assay.suites.demetr import Demetr
from assay.suites.embedded import Embedded
from assay.suites.hallucinations import Hallucinations
from assay.suites.locate import fetch, locate, verify
from assay.suites.wmt import card_of
from tests.data import need

TEXT = b"source\tgood\n"
CARD = SuiteCard(
    name="toy",
    title="Toy",
    kind="contrastive",
    analysis="contrastive",
    origin="",
    licence="",
    citation="",
    languages="",
    folders=("toy", "toy_subset"),
    how_to_get="ask",
    checksums={"toy.tsv": hashlib.sha256(TEXT).hexdigest()},
    downloads={"toy.tsv": "http://127.0.0.1:9/toy.tsv"},
)


@pytest.fixture
def places(tmp_path, monkeypatch):
    for name in ("given", "environment", "cache/data"):
        (tmp_path / name).mkdir(parents=True)
    monkeypatch.setenv("ASSAY_DATA", str(tmp_path / "environment"))
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    return tmp_path


def test_the_order_of_places(places):
    (places / "cache/data/toy").mkdir()
    assert locate(CARD) == places / "cache/data/toy"
    (places / "environment/toy_subset").mkdir()
    assert locate(CARD) == places / "environment/toy_subset"
    (places / "given/toy").mkdir()
    assert locate(CARD, places / "given") == places / "given/toy"


def test_a_place_may_be_the_suite_itself(places):
    (places / "environment/toy.tsv.gz").write_bytes(gzip.compress(TEXT))
    assert locate(CARD) == places / "environment"
    (places / "given/toy").mkdir()
    assert locate(CARD, places / "given/toy") == places / "given/toy"


def test_an_explicit_folder_is_the_only_place_looked_at(places):
    (places / "cache/data/toy").mkdir()
    with pytest.raises(MissingPart, match=r"assay fetch toy, .*--data-dir or ASSAY_DATA .* toy or toy_subset"):
        locate(CARD, places / "given")
    with pytest.raises(InputError, match="does not exist"):
        locate(CARD, places / "nowhere")


def test_checksums(places):
    folder = places / "given"
    (folder / "toy.tsv").write_bytes(TEXT)
    (folder / "other.tsv").write_bytes(b"not ours")
    assert verify(folder, CARD) == ["toy.tsv"]
    (folder / "toy.tsv").unlink()
    (folder / "toy.tsv.gz").write_bytes(gzip.compress(TEXT))
    assert verify(folder, CARD) == ["toy.tsv.gz"]
    (folder / "toy.tsv.gz").write_bytes(gzip.compress(TEXT + b"!"))
    with pytest.raises(InputError, match=r"toy\.tsv\.gz differs from the official file of Toy: sha256 .* --verify"):
        verify(folder, CARD)


@pytest.mark.real
@pytest.mark.parametrize(("suite", "files"), [(Demetr, 35), (Aces, 1), (Hallucinations, 2)])
def test_the_real_copies_are_found_and_are_the_ones_on_the_cards(suite, files):
    folder = locate(suite.card, need("data"))
    assert len(verify(folder, suite.card)) == files


BODY = bytes(range(256)) * 1000


class Server(http.server.BaseHTTPRequestHandler):
    """Serves BODY with ranges; /cut.bin breaks off half-way the first time, /plain.bin knows no ranges."""

    asked: list[tuple[str, str | None]]
    broken: set[str]

    def do_GET(self):
        given = self.headers.get("Range")
        self.asked.append((self.path, given))
        if self.path == "/absent.bin":
            self.send_error(404, "Not Found")
            return
        start = int(given.removeprefix("bytes=").rstrip("-")) if given and self.path != "/plain.bin" else 0
        if start >= len(BODY):
            self.send_error(416)
            return
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(BODY) - start))
        self.end_headers()
        if self.path == "/cut.bin" and self.path not in self.broken:
            self.broken.add(self.path)
            self.wfile.write(BODY[: len(BODY) // 2])
            return
        self.wfile.write(BODY[start:])

    def log_message(self, *args):
        pass


@pytest.fixture
def server():
    Server.asked, Server.broken = [], set()
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Server) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def card(address, name, sha256=None):
    sums = {name: sha256 or hashlib.sha256(BODY).hexdigest()}
    return dataclasses.replace(CARD, downloads={name: f"{address}/{name}"}, checksums=sums)


def test_a_file_arrives_whole_with_progress_and_is_not_fetched_twice(server, tmp_path):
    seen = []
    folder = fetch(card(server, "whole.bin"), tmp_path, lambda *step: seen.append(step))
    assert folder == tmp_path / "toy"
    assert [path.name for path in folder.iterdir()] == ["whole.bin"] and (folder / "whole.bin").read_bytes() == BODY
    assert seen == sorted(seen) and seen[-1] == ("whole.bin", len(BODY), len(BODY))
    fetch(card(server, "whole.bin"), tmp_path)
    assert len(Server.asked) == 1


def test_a_broken_download_goes_on_from_where_it_was(server, tmp_path):
    with pytest.raises(MissingPart, match=r"/cut\.bin: .*resumes from there"):
        fetch(card(server, "cut.bin"), tmp_path)
    part = tmp_path / "toy/cut.bin.part"
    assert part.stat().st_size == len(BODY) // 2 and not (tmp_path / "toy/cut.bin").exists()
    fetch(card(server, "cut.bin"), tmp_path)
    assert (tmp_path / "toy/cut.bin").read_bytes() == BODY and not part.exists()
    assert Server.asked[1] == ("/cut.bin", f"bytes={len(BODY) // 2}-")


@pytest.mark.parametrize("name", ["plain.bin", "whole.bin"])
def test_a_part_is_dropped_where_it_cannot_be_continued(server, tmp_path, name):
    # plain.bin: the server knows no ranges; whole.bin: the part is as long as the file, and not the file.
    part = tmp_path / "toy" / f"{name}.part"
    part.parent.mkdir()
    part.write_bytes(b"x" * (10 if name == "plain.bin" else len(BODY)))
    fetch(card(server, name), tmp_path)
    assert (tmp_path / "toy" / name).read_bytes() == BODY


def test_another_checksum_keeps_nothing(server, tmp_path):
    with pytest.raises(InputError, match=r"whole\.bin has changed: its sha256 is .*, expected 000000000000"):
        fetch(card(server, "whole.bin", "0" * 64), tmp_path)
    assert list((tmp_path / "toy").iterdir()) == []


def test_what_failed_is_said_with_the_address_and_the_way_by_hand(server, tmp_path):
    with pytest.raises(
        MissingPart, match=r"/absent\.bin: the server answered 404 Not Found\. .*manually .*absent\.bin"
    ):
        fetch(card(server, "absent.bin"), tmp_path)
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        closed = f"http://127.0.0.1:{free.getsockname()[1]}"
    with pytest.raises(MissingPart, match=r"could not be downloaded from http://127.*refused"):
        fetch(card(closed, "whole.bin"), tmp_path)
    with pytest.raises(MissingPart, match=r"assay cannot download the embedded suite\. It is part of assay"):
        fetch("embedded", tmp_path)
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="--data-dir"):
        fetch(card(server, "whole.bin"), tmp_path / "file")


def test_every_address_is_pinned_and_checked_where_it_can_be():
    for suite in (Demetr, Hallucinations):
        for name, address in suite.card.downloads.items():
            assert name in suite.card.checksums and address.startswith("https://raw.githubusercontent.com/")
            assert address.endswith(name) and len(address.split("/")[5]) == 40
    assert len(Demetr.card.downloads) == 35
    assert list(Aces.card.downloads) == ["challenge_set.jsonl"] and not Embedded.card.downloads


def test_the_folder_of_mt_metrics_eval_is_searched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "home/.mt-metrics-eval/mt-metrics-eval-v2/wmt24").mkdir(parents=True)
    (tmp_path / "mtme/mt-metrics-eval-v2/wmt22").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    monkeypatch.setenv("MTME_DATA", str(tmp_path / "mtme"))
    monkeypatch.delenv("ASSAY_DATA", raising=False)
    assert locate(card_of("wmt24")) == tmp_path / "home/.mt-metrics-eval/mt-metrics-eval-v2/wmt24"
    assert locate(card_of("wmt22")) == tmp_path / "mtme/mt-metrics-eval-v2/wmt22"
