"""Judges from the command line: killed and gone on, one line for every trouble, and a key that is written nowhere."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

import assay
from assay.cli.main import main
from assay.core.errors import InputError
from assay.engine.store import Store
from tests.chat_server import ChatServer, raw, status

KEY = "sk-very-secret-0123456789"
ROWS = 24


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    for name in ("ASSAY_LLM_ENDPOINT", "ASSAY_LLM_MODEL", "OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("ASSAY_LLM_KEY", KEY)
    monkeypatch.setenv("NO_PROXY", "*")
    Path("s").write_text("".join(f"Sentence {i}.\n" for i in range(ROWS)), encoding="utf-8")
    Path("h").write_text("".join(f"Satz Nummer {i}.\n" for i in range(ROWS)), encoding="utf-8")
    return tmp_path


@pytest.fixture
def server() -> Iterator[ChatServer]:
    with ChatServer(lambda body: 'Major:\naccuracy - "Nummer"\nMinor:\nno-error', key=KEY) as running:
        yield running


def command(server: ChatServer, *more: str, metric: str = "judge-mqm") -> list[str]:
    texts = ["--src", "s", "--mt", "h", "--langpair", "en-de"]
    return ["score", "-m", metric, *texts, "--endpoint", server.url, "--llm", "tiny", *more]


def failed(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    """The one line of a command that leaves with 2."""
    assert main(arguments) == 2
    captured = capsys.readouterr()
    lines = [line for line in captured.err.splitlines() if line.startswith("assay:")]
    assert len(lines) == 1 and captured.out == "" and "Traceback" not in captured.err
    assert KEY not in captured.err
    return lines[0]


def test_killed_in_the_middle_nothing_is_asked_twice(server, place):
    """The server lets twelve through and then holds its breath until the command is dead."""
    gate = threading.Semaphore(12)
    dead = threading.Event()

    original = server.answer

    def answer(body: dict[str, object]) -> object:
        if not dead.is_set() and not gate.acquire(blocking=False):
            dead.wait(240)
            raise ConnectionAbortedError  # nobody is there to hear it, and nobody is counted
        return original(body)

    server.answer = answer
    server.server.handle_error = lambda *_: None
    run = subprocess.Popen(
        [sys.executable, "-m", "assay", *command(server, "--concurrency", "4")], start_new_session=True
    )
    answers = Store(place / "cache" / "store" / "answers")
    deadline = time.monotonic() + 240
    while answers.info().entries < 12 and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(run.pid, signal.SIGKILL)
    assert run.wait(60) == -signal.SIGKILL
    dead.set()
    assert server.answered == 12
    done = subprocess.run(
        [sys.executable, "-m", "assay", *command(server, "--format", "json")],
        capture_output=True,
        text=True,
        timeout=240,
        check=True,
    )
    assert json.loads(done.stdout)["systems"]["h"]["judge-mqm"]["segments"] == [-5.0] * ROWS
    assert server.answered == len(server.questions) == ROWS
    assert set(server.questions.values()) == {1}


def test_the_key_is_written_nowhere(server, place, capsys):
    """Run directory, manifest, output, cache, notes; and a server that says the key back in every way it has."""
    server.answer = lambda body: f'Major:\naccuracy - "Nummer"\nMinor:\nstyle - "{KEY}"'
    server.model = f"tiny-{KEY}"
    server.faults = [status(500, {"message": f"for {KEY} it fell over"})]
    assert main(command(server, "--run-dir", "kept", "--out", "out.json", "--spans", "--retries", "3")) == 0
    assert main(["rerun", "kept", "--trust", "--endpoint", server.url, "--llm", "tiny"]) == 0
    captured = capsys.readouterr()
    assert KEY not in captured.out + captured.err
    server.always = status(400, {"message": f"no: {KEY}"})
    assert "no: [the key]" in failed(command(server, metric="judge-da"), capsys)
    written = [path for path in place.rglob("*") if path.is_file()]
    assert {"manifest.json", "out.json", "scores-1.sqlite"} <= {path.name for path in written}
    assert not [path for path in written if KEY.encode() in path.read_bytes()]


def test_a_run_is_done_again_without_a_request(server, capsys):
    assert main(command(server, "--run-dir", "kept")) == 0
    before = server.answered
    assert main(["rerun", "kept", "--trust", "--endpoint", server.url, "--llm", "tiny"]) == 0
    assert "equal" in capsys.readouterr().out
    assert server.answered == before


def test_spans(server, capsys):
    assert main(command(server, "--spans")) == 0
    assert "⟦Nummer⟧" in capsys.readouterr().out


def test_a_suite(server, capsys):
    server.answer = lambda body: "50"
    arguments = ["run", "embedded", "-m", "judge-da", "--langpair", "en-de", "--subsample", "1", "--format", "json"]
    assert main([*arguments, "--endpoint", server.url, "--llm", "tiny"]) == 0
    assert "judge-da" in capsys.readouterr().out
    assert main([*arguments[:-2], "--endpoint", server.url, "--llm", "tiny", "--estimate", "--format", "json"]) == 0
    assert '"requests": 0' in capsys.readouterr().out


def test_an_estimate_before(server, capsys):
    assert main(command(server, "--estimate", "--price", "2.5,10")) == 0
    out = capsys.readouterr().out
    assert "judge-mqm" in out and "24" in out and "no request was sent" in out
    assert server.bodies == []


def test_the_budget(server, capsys):
    said = failed(command(server, "--max-requests", "5", "--concurrency", "1"), capsys)
    assert "the 5 requests of --max-requests have been sent, 5 of 24 segments judged; their answers are cached" in said
    assert main(command(server)) == 0
    assert server.answered == ROWS
    capsys.readouterr()
    assert "--max-cost requires prices" in failed(command(server, "--max-cost", "1"), capsys)


@pytest.mark.parametrize(
    ("trouble", "said"),
    [
        (status(404, {"message": "no such model"}), "has no model 'tiny'"),
        (raw(b"<html></html>", "text/html"), "returned a web page"),
        (raw(b"", code=307, Location="http://127.0.0.1:1/v1"), "redirects to"),
        (status(429, {"message": "pay first", "code": "insufficient_quota"}), "no credit left"),
    ],
)
def test_one_line_for_each_trouble(server, capsys, trouble, said):
    server.always = trouble
    assert said in failed(command(server), capsys)


def test_one_line_more(server, capsys, monkeypatch):
    unreached = failed([*command(server)[:-3], "http://127.0.0.1:9/v1", "--llm", "tiny"], capsys)
    assert "cannot be reached" in unreached and unreached.endswith("Is the server running?")
    assert "requires an OpenAI-compatible endpoint" in failed(command(server)[:-4], capsys)
    assert "--llm NAME" in failed(command(server)[:-2], capsys)
    assert "unknown option 'key' of judge-mqm" in failed(command(server, metric=f"judge-mqm:key={KEY}"), capsys)
    assert "contains a key" in failed([*command(server)[:-3], f"http://x:{KEY}@127.0.0.1/v1", "--llm", "tiny"], capsys)
    monkeypatch.setenv("ASSAY_LLM_KEY", "sk-wrong")
    assert "rejects the key in ASSAY_LLM_KEY" in failed(command(server), capsys)
    monkeypatch.delenv("ASSAY_LLM_KEY")
    assert "requires a key (401). Set ASSAY_LLM_KEY" in failed(command(server), capsys)
    assert server.answered == 0


def test_a_file_may_name_the_model_but_neither_a_judge_nor_where_texts_go(server, capsys):
    Path("assay.toml").write_text('llm = "tiny"\nrpm = 100000\nprice = "1,2"\n')
    texts = ["--src", "s", "--mt", "h", "--langpair", "en-de"]
    assert main(["score", "-m", "judge-mqm", *texts, "--endpoint", server.url, "--signatures"]) == 0
    assert "model:tiny" in capsys.readouterr().out
    before = server.answered
    for judge in ("judge-mqm", "judge-da:model=tiny", "gemba-da", "automqm"):
        Path("assay.toml").write_text(f'metric = ["chrf", "{judge}"]\n')
        said = failed(["score", *texts, "--ref", "h", "--endpoint", server.url, "--llm", "tiny"], capsys)
        assert "only the command line can name the metric " in said
    assert server.answered == before
    Path("assay.toml").write_text(f'endpoint = "{server.url}"\n')
    assert "assay.toml: only the command line can set endpoint" in failed(["score", *texts, "-m", "chrf"], capsys)
    Path("assay.toml").write_text(f'metric = ["judge-mqm:endpoint={server.url}"]\n')
    assert "only the command line can name the metric" in failed(["score", *texts], capsys)


def test_a_price_from_a_file_does_not_weaken_a_typed_budget(server, capsys):
    Path("assay.toml").write_text('price = "0,0"\n')
    said = failed(command(server, "--max-cost", "0.0000001"), capsys)
    assert "assay.toml sets the price used for --max-cost" in said and "Add --price" in said
    assert server.answered == 0
    assert "of --max-cost" in failed(command(server, "--max-cost", "0.0000001", "--price", "1,1"), capsys)
    assert server.answered == 0


@pytest.mark.parametrize("judge", ["judge-mqm", "judge-da:model=gpt-5-pro", "gemba-da"])
def test_no_manifest_card_rule_or_receipt_asks_a_model_unless_it_is_trusted(server, judge, capsys, monkeypatch):
    """Finding C3: a manifest sent a file of the user, line by line, to the endpoint in the environment."""
    monkeypatch.setenv("ASSAY_LLM_ENDPOINT", server.url)
    monkeypatch.setenv("ASSAY_LLM_MODEL", "tiny")
    assert main(["score", "-m", "chrf", "--mt", "h", "--ref", "h", "--out", "o.json"]) == 0
    manifest = json.loads(Path("o.json.manifest.json").read_text())
    manifest["call"]["arguments"] |= {"metrics": [judge], "mt": ["/etc/passwd"], "ref": [], "langpair": "en-de"}
    manifest["inputs"] = []
    Path("o.json.manifest.json").write_text(json.dumps(manifest))
    assert "sends requests to an OpenAI-compatible endpoint" in failed(["rerun", "o.json"], capsys)
    with pytest.raises(InputError, match="sends requests to an OpenAI-compatible endpoint"):
        assay.rerun("o.json")
    Path("card.json").write_text(json.dumps(assay.card("chrf", ["embedded"], samples=2).to_dict() | {"metric": judge}))
    assert "sends requests to an OpenAI-compatible endpoint" in failed(["check", "--against", "card.json"], capsys)
    assert server.answered == 0
