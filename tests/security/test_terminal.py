"""Foreign text on a terminal: names, notes, errors, progress and spans carry no escape codes and break no row."""

from __future__ import annotations

import http.server
import os
import pty
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.cli.main import main
from assay.cli.output import note
from assay.cli.progress import Progress
from assay.core.spans import ErrorSpan
from assay.core.table import Table, TableColumn
from assay.report import render
from assay.report.spans import SpanRow, as_terminal
from assay.report.text import visible

EVIL = "ok\x1b[2J\x1b]0;owned\x07\nfake  100.0\r\x9b31m\u202egnp\u2066\u2028\x7f"
SEEN = r"ok\x1b[2J\x1b]0;owned\x07\nfake  100.0\r\x9b31m\u202egnp\u2066\u2028\x7f"
STEERING = {
    *map(chr, range(32)),
    *map(chr, range(127, 160)),
    *"\u2028\u2029\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069",
}


def steering(text: str, but: str = "\n") -> set[str]:
    return (set(text) & STEERING) - set(but)


def test_what_steers_is_shown_and_what_scripts_need_stays() -> None:
    assert visible(EVIL) == SEEN
    assert all(visible(char) != char for char in STEERING)
    words = "नमस्ते क्‍ष می‌خواهم 👩‍👩‍👧 שלום‎ e\u0301 数字 \u00a0x"
    assert visible(words) == words


@pytest.mark.parametrize("width", [None, 40])
def test_a_table_keeps_its_rows(width: int | None) -> None:
    columns = (TableColumn("name", EVIL), TableColumn("x", kind="number"))
    table = Table("t", columns, [{"name": EVIL, "x": 1.0}, {"name": "b", "x": 2.0}], EVIL, (EVIL,))
    drawn = render([table], width=width, colour=True)
    assert steering(drawn, "\n\x1b") == set()
    assert drawn.replace("\x1b[1m", "").replace("\x1b[0m", "").count("\x1b") == 0 and "\x1b[1m" in drawn
    if width is None:
        assert len(drawn.splitlines()) == 5  # caption, headings, two rows, note
        assert drawn.count(SEEN) == 4


def test_pivoted_headings_too() -> None:
    from tests.report.tables import phenomena, row

    assert steering(render([phenomena([row("p", EVIL, 0.5), row("p", "m", 0.5)])])) == set()


def test_documents_have_one_line_a_row() -> None:
    table = Table(
        "t", (TableColumn("name"),), [{"name": "a|b\r\nc\u2028d\x1b[31m [x](http://y)"}], "one\n\ntwo", ("n\n\nm",)
    )
    markdown = render([table], "md")
    assert r"| a\|b c d\\x1b\[31m \[x](http://y) |" in markdown.splitlines()
    latex = render([table], "latex")
    assert "  a|b c d\\textbackslash{}x1b[31m [x](http://y) \\\\" in latex.splitlines()
    assert "\n\n" not in latex and steering(markdown) == steering(latex) == set()


def test_data_stays_as_it_is() -> None:
    import csv
    import io
    import json

    table = Table("t", (TableColumn("name"),), [{"name": EVIL}])
    assert json.loads(render([table], "json"))["tables"]["t"] == [{"name": EVIL}]
    assert next(csv.DictReader(io.StringIO(render([table], "csv"), newline="")))["name"] == EVIL


def test_spans_keep_their_colours_and_nothing_else() -> None:
    text = "a\x1b[5mb\nc"
    span = ErrorSpan.of(text, 1, 6, "critical", confidence=0.5)
    plain = as_terminal(SpanRow("s\x1b[7m", 1, "m", 0.5, text, (span,)))
    assert plain.splitlines()[0] == r" s\x1b[7m    1   0.50  a⟦\x1b[5mb⟧ᶜʳⁱᵗ\nc" and plain.count("\n") == 2
    coloured = as_terminal(SpanRow("s", 1, "m", 0.5, text, (span,)), colour=True)
    assert coloured.splitlines()[0] == " s    1   0.50  a\x1b[31m⟦\\x1b[5mb⟧ᶜʳⁱᵗ\x1b[0m\\nc"


def test_notes_and_progress(capsys: pytest.CaptureFixture[str]) -> None:
    note(f"wrote {EVIL}")
    assert capsys.readouterr().err == f" wrote {SEEN}\n"
    progress = Progress("m\x1b[2J\nx")
    progress.active = True
    progress.begin()
    assert capsys.readouterr().err.startswith("\r\x1b[K m\\x1b[2J\\nx 0")


def test_an_error_is_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", "chrf", "--mt", f"{tmp_path}/a\x1b[2J\u202eb\nc"]) == 2
    said = capsys.readouterr().err
    assert r"a\x1b[2J\u202eb c" in said and said.count("\n") == 1 and steering(said) == set()


def on_a_terminal(*words: str, **environment: str) -> str:
    """What a command shows on a terminal, stdout and stderr together."""
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "assay", *words]
    child = subprocess.Popen(command, stdout=theirs, stderr=theirs, env={**os.environ, "TERM": "xterm", **environment})
    os.close(theirs)
    shown = b""
    while True:
        try:
            block = os.read(ours, 65536)
        except OSError:  # Linux says so when the last writer is gone
            break
        if not block:
            break
        shown += block
    os.close(ours)
    assert child.wait() == 0 or shown.startswith(b"assay: ")
    return shown.decode()


def test_the_names_of_systems_on_a_real_terminal(tmp_path: Path) -> None:
    rows = [{"system": EVIL, "mt": "a b", "ref": "a b"}, {"system": "other", "mt": "a c", "ref": "a b"}]
    import json

    (tmp_path / "data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    shown = on_a_terminal(
        "score", "-m", "chrf", "--data", str(tmp_path / "data.jsonl"), ASSAY_CACHE_DIR=str(tmp_path / "cache")
    )
    assert steering(shown, "\r\n\x1b") == set()
    assert shown.replace("\x1b[1m", "").replace("\x1b[0m", "").count("\x1b") == 0
    assert r"\x1b[2J" in shown and r"\u202e" in shown


class Rude(http.server.BaseHTTPRequestHandler):
    def do_HEAD(self) -> None:
        self.send_response(404, "Not\x1b[31mFound\x1b[2J\x9b5m")
        self.end_headers()

    def log_message(self, *args: object) -> None:
        pass


@pytest.fixture
def rude() -> Iterator[str]:
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Rude) as running:
        thread = threading.Thread(target=running.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{running.server_address[1]}"
        running.shutdown()
        thread.join()


def test_a_servers_status_line(
    rude: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HF_ENDPOINT", rude)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path))
    assert main(["fetch", "comet-22"]) == 2
    said = capsys.readouterr().err
    assert r"the server answered 404 Not\x1b[31mFound\x1b[2J\x9b5m" in said and steering(said) == set()
