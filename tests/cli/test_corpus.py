"""The door of the command line to a corpus in many files."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.corpus import ShardsProgress
from assay.cli.main import main
from assay.corpus.driver import CorpusProgress
from tests.corpus.corpora import contents, corpus, write


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    corpus(tmp_path / "in", 4)
    return tmp_path


def test_a_command_and_its_rerun(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ["score", "in/", "-m", "chrf", "--keep", "chrf > 60", "--out", "out/", "--workers", "1"]
    assert main(words) == 0
    told = capsys.readouterr()
    assert "4 shards · 32 rows" in told.out and " kept" in told.out and "wrote out/" in told.err
    before = contents(folder / "out")
    assert main([*words, "--format", "json"]) == 0
    again = capsys.readouterr()
    whole = json.loads(again.out)
    assert whole["counts"]["shards"] == 4 and "shards" not in whole
    assert whole["scores"] == json.loads(before["_manifest.json"])["scores"]
    assert "4 from an earlier run" in again.err and contents(folder / "out") == before


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["in/"], "in/ is a sharded corpus. Add --out FOLDER/"),
        (["in/*.tsv"], "in/*.tsv is a sharded corpus"),
        (["in/part-0000.jsonl", "--data", "x", "--batch", "9"], "--batch requires a corpus"),
        (["--data", "in/part-0002.tsv", "--on-error", "skip"], "--on-error requires a corpus"),
        (["in/", "--out", "out/", "--ci"], "--ci cannot be used with a sharded corpus"),
        (["in/", "--out", "out/", "-b"], "-b cannot be used with a sharded corpus"),
        (["in/", "--out", "out/", "--format", "tsv"], "shards keep their own format"),
        (["in/", "--out", "out/", "--dedup", "all"], "unknown dedup 'all'"),
        (["in/", "--out", "out/", "--engine", "lokal"], "Did you mean local?"),
        (["in/", "--out", "in/"], "--out in/ contains the input"),
        (["in/", "--out", "out.jsonl"], "are a folder of shards, but out.jsonl is a file name. Use --out out/"),
        (["in/", "--out", "out.tsv.gz"], "out.tsv.gz is a file name. Use --out out/"),
        (["in/", "--mt", "in/", "--out", "out/"], "not both"),
        (["in/", "-m", "judge-mqm", "--llm", "x", "--out", "out/"], "judge-mqm asks a language model"),
        (["in/", "--ref", "in/", "--out", "out/"], "--ref and --src require --mt"),
        (["nowhere/", "--out", "out/"], "nowhere/ does not exist"),
        (["'in/*.zip'", "--out", "out/"], "no file matches"),
    ],
)
def test_refusals(folder: Path, capsys: pytest.CaptureFixture[str], words: list[str], said: str) -> None:
    assert main(["score", "-m", "chrf", *words]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert not (folder / "out").exists()


def test_shards_without_rows_are_named_and_nothing_has_no_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "in" / "a.jsonl").write_text("")
    (folder / "in" / "broken.jsonl").write_text("{")
    words = ["score", "-m", "chrf", "--workers", "1", "--on-error", "skip"]
    assert main([*words, "in/", "--out", "out/"]) == 0
    told = capsys.readouterr()
    assert "5 shards · 32 rows · 1 shard failed" in told.out and "⚠ 1 of 5 shards has no rows: a.jsonl." in told.err
    assert main([*words, "in/a.jsonl", "--out", "none/"]) == 0
    told = capsys.readouterr()
    assert not told.out and "these shards have no rows, so there are no results." in told.err
    assert contents(folder / "none")["a.jsonl"] == b""


def test_the_line_of_progress() -> None:
    line = ShardsProgress(quiet=True)
    seen = CorpusProgress(
        shards=200, done=50, rows=1000, bytes=100, all_bytes=400, failed=2, crashes=1, phase="scoring"
    )
    line.update(seen)
    shown = line._line(line._since + 10)
    assert shown == " scoring 50 of 200 shards · 1,000 rows · 100/s · 30 s left · 2 failed · 1 worker crash"


def test_answers_of_judges_and_rows_of_a_corpus_are_kept_by_other_options(folder: Path) -> None:
    assert main(["score", "--data", "in/part-0002.tsv", "-m", "chrf", "-q", "--no-keep"]) == 0


def test_labels_and_items_of_what_stands_bare(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"mt": "m" * (1 + i % 9), "src": "s", "ref": "m" * 9, "success": int(i % 9 > 3)} for i in range(90)]
    write(folder / "outcomes.jsonl", rows)
    assert (
        main(
            ["decide", "fit", "--data", "outcomes.jsonl", "-m", "chrf", "--goal", "at most 50% bad", "--out", "r.json"]
        )
        == 0
    )
    given = ["--workers", "1", "-q"]
    assert main(["decide", "apply", "r.json", "in", "--out", "bare/", *given]) == 0
    assert main(["decide", "apply", "--rule", "r.json", "--data", "in/", "--out", "named/", *given]) == 0
    assert contents(folder / "bare") == contents(folder / "named")
    assert main(["make", "-p", "word-swap", "in/*", "--langpair", "en-de", "--out", "set/", *given]) == 0
    assert main(["make", "-p", "word-swap", "in/part-0002.tsv", "--langpair", "en-de", "--out", "one.jsonl", "-q"]) == 0
    assert (folder / "one.jsonl").read_bytes() == (folder / "set" / "part-0002.tsv.jsonl").read_bytes()
    assert main(["decide", "fit", "outcomes.jsonl"]) == 0
    capsys.readouterr()
    for words, said in (
        (
            ["make", "-p", "word-swap", "in", "--data", "demo", "--out", "x/"],
            "specify the input as an argument (in) or with --data, not both",
        ),
        (
            ["make", "-p", "word-swap", "a.tsv", "b.tsv", "--out", "x.jsonl"],
            "a challenge set is made from one input file",
        ),
        (["decide", "apply"], "assay decide apply requires a rule"),
        (["decide", "fit"], "requires exactly one table of outcomes: --data outcomes.tsv"),
    ):
        assert main(words) == 2
        assert said in capsys.readouterr().err
