"""Whatever dies may die, and whatever is wrong is told in one line: nothing is lost."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import assay
from assay.core.errors import AssayError, InputError, OutputError
from assay.corpus.engines import local
from assay.verbs.score import score
from tests.corpus.corpora import contents, corpus, read, write

ODD = "tests.corpus.odd_metrics"
ROOT = Path(__file__).resolve().parents[2]


def command(source: Path, out: Path, *more: str, limit: int | None = None) -> subprocess.Popen[str]:
    """The command line in a process of its own."""
    return started(["score", str(source), "--out", f"{out}/", "--workers", "2", "-q", *more], limit)


def started(words: list[str], limit: int | None = None) -> subprocess.Popen[str]:
    """The command line with these words."""
    import resource

    paths = os.pathsep.join([str(ROOT), *sys.path])
    return subprocess.Popen(
        [sys.executable, "-m", "assay", *words],
        env=os.environ | {"PYTHONPATH": paths},
        stderr=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        text=True,
        preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None,  # noqa: PLW1509
    )


def workers_of(process: subprocess.Popen[str]) -> list[int]:
    """The processes that a driver has started."""
    try:
        told = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text()
    except OSError:
        return []
    return [int(pid) for pid in told.split()]


def begun(process: subprocess.Popen[str], out: Path, shards: int = 3) -> None:
    """Wait until some shards are written."""
    end = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < end:
        if len([path for path in out.glob("*") if path.name[0] not in "._"]) >= shards:
            return
        time.sleep(0.01)


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")
def test_workers_and_drivers_that_are_killed_lose_nothing(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 60)
    metrics = ("-m", f"{ODD}:Slow", "-m", "chrf")
    whole = command(tmp_path / "in", tmp_path / "whole", *metrics)
    assert whole.wait() == 0, whole.stderr and whole.stderr.read()
    out = tmp_path / "out"
    first = command(tmp_path / "in", out, *metrics)
    begun(first, out)
    for pid in workers_of(first)[:1]:  # a worker dies, and is replaced
        os.kill(pid, signal.SIGKILL)
    begun(first, out, 8)
    orphans = workers_of(first)
    first.send_signal(signal.SIGKILL)
    first.wait()
    wait_for(lambda: not any(_assay(pid) for pid in orphans), 10)
    assert not any(_assay(pid) for pid in orphans), "workers outlive their driver"
    before = contents(out)
    wanted = contents(tmp_path / "whole")
    finished = {name for name in before if not name.startswith(("_", "."))}
    assert 3 <= len(finished) < 60 and all(before[name] == wanted[name] for name in finished)
    stamps = {name: (out / name).stat().st_mtime_ns for name in finished}
    second = command(tmp_path / "in", out, *metrics)
    _, said = second.communicate()
    assert second.returncode == 0, said
    assert contents(out) == wanted
    kept = [name for name in finished if (out / name).stat().st_mtime_ns == stamps[name]]
    assert len(kept) >= len(finished) - 2, "finished shards were done again"


def _assay(pid: int) -> bool:
    try:
        return b"assay" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


@pytest.mark.parametrize("kind", ["SIGKILL", "SIGINT"])
def test_a_driver_that_ends_takes_temporary_files_along(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    scratch = tmp_path / "scratch"
    scratch.mkdir()
    monkeypatch.setenv("TMPDIR", str(scratch))
    rows = corpus(tmp_path / "all", 4, 400)
    for shard in range(4):
        (tmp_path / "in").mkdir(exist_ok=True)
        write(tmp_path / "in" / f"{shard}.parquet", rows[400 * shard : 400 * shard + 400])
    process = command(tmp_path / "in", tmp_path / "out", "-m", f"{ODD}:Slow", "--batch", "4")
    wait_for(lambda: len(list(scratch.glob("*/*/*.parquet"))) > 3)
    process.send_signal(getattr(signal, kind))
    process.communicate()
    wait_for(lambda: not list(scratch.iterdir()))
    assert not list(scratch.iterdir())


def wait_for(true: Callable[[], object], seconds: float = 30) -> None:
    """Wait until it is so, or long enough."""
    end = time.monotonic() + seconds
    while not true() and time.monotonic() < end:
        time.sleep(0.02)


def test_two_drivers_refuse_each_other(tmp_path: Path) -> None:
    from assay.io.files.folders import open_folder, owner

    corpus(tmp_path / "in", 1)
    held = open_folder(str(tmp_path / "out")).locked("_lock", json.dumps(owner()))
    said = rf"out is being written by process {os.getpid()} on .*, since 20"
    with held, pytest.raises(OutputError, match=said):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")
    score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")
    assert sorted(contents(tmp_path / "out")) == ["_manifest.json", "part-0000.jsonl"]


def test_a_garbled_shard_stops_or_is_left_out(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 12)
    packed = (tmp_path / "in" / "part-0005.jsonl.gz").read_bytes()
    (tmp_path / "in" / "part-0005.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    frame = (tmp_path / "in" / "part-0007.parquet").read_bytes()
    (tmp_path / "in" / "part-0007.parquet").write_bytes(frame[:200] + b"\0" * 100 + frame[300:])
    with pytest.raises(
        AssayError, match=r"part-000[57]\..*(incomplete|damaged).*of 12 shards are finished.*--on-error skip"
    ):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")
    result = score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], workers=2, on_error="skip")
    assert list(result.failed) == ["part-0005.jsonl.gz", "part-0007.parquet"], "in the order of the shards"
    score(data=tmp_path / "in", out=tmp_path / "back", metrics=["chrf"], engine="inline", on_error="skip")
    assert contents(tmp_path / "back") == contents(tmp_path / "out"), "whoever came first"
    assert result.counts["shards"] == 10 and "is incomplete" in result.failed["part-0005.jsonl.gz"]
    assert len(contents(tmp_path / "out")) == 11, "nothing of a failed shard is left"
    corpus(tmp_path / "in", 12)  # made again: a rerun does the two
    again = score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], workers=2)
    assert again.counts["shards"] == 12 and not again.failed
    with pytest.raises(
        InputError, match=r"each of 2 shards failed, so there are no results\. .*a\.jsonl line 1: not JSON"
    ):
        (tmp_path / "bad").mkdir()
        for name in ("a.jsonl", "b.jsonl"):
            (tmp_path / "bad" / name).write_text("{")
        score(data=tmp_path / "bad", out=tmp_path / "none", metrics=["chrf"], engine="inline", on_error="skip")
    (tmp_path / "in" / "part-0000.jsonl").write_text("{")
    score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline", on_error="skip")
    assert "part-0000.jsonl" not in contents(tmp_path / "out"), "a shard of an older version is left"


def test_a_first_shard_that_is_mended_or_new_leaves_the_others_done(tmp_path: Path) -> None:
    rows = corpus(tmp_path / "in", 4)
    write(tmp_path / "in" / "part-.parquet", rows[:8])
    whole = (tmp_path / "in" / "part-.parquet").read_bytes()
    (tmp_path / "in" / "part-.parquet").write_bytes(whole[:300])
    given = {"out": tmp_path / "out", "metrics": ["chrf"], "engine": "inline"}
    assert len(score(data=tmp_path / "in", on_error="skip", **given).failed) == 1  # type: ignore[arg-type]
    (tmp_path / "in" / "part-.parquet").write_bytes(whole)
    again = score(data=tmp_path / "in", **given)  # type: ignore[arg-type]
    assert again.reused == 4 and again.counts["shards"] == 5
    write(tmp_path / "in" / "new.tsv", rows[8:16])
    assert score(data=tmp_path / "in", **given).reused == 5  # type: ignore[arg-type]


def test_a_full_disk_is_one_line_and_loses_nothing(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 8)
    write(
        tmp_path / "in" / "part-0004.jsonl",
        [{"id": str(i), "src": "s", "mt": "a" * 90, "ref": "b"} for i in range(900)],
    )
    process = command(tmp_path / "in", tmp_path / "out", "-m", "chrf", limit=40_000)
    _, said = process.communicate()
    assert process.returncode == 2
    assert said.count("\n") == 1 and "the disk is full" in said and "are finished" in said
    assert "part-0004.jsonl" not in contents(tmp_path / "out")
    process = command(tmp_path / "in", tmp_path / "out", "-m", "chrf")
    assert process.communicate()[1] == "" and process.returncode == 0
    score(data=tmp_path / "in", out=tmp_path / "other", metrics=["chrf"], engine="inline")
    assert contents(tmp_path / "out") == contents(tmp_path / "other")


@pytest.mark.parametrize("form", ["jsonl", "parquet"])
def test_a_row_that_no_metric_takes_is_found_and_put_aside(tmp_path: Path, form: str) -> None:
    (tmp_path / "in").mkdir()
    rows = [{"id": str(i), "src": "s", "mt": "POISON" if i in (7, 40) else f"m {i}"} for i in range(50)]
    write(tmp_path / "in" / f"a.{form}", rows)
    result = score(data=tmp_path / "in", out=tmp_path / "out", metrics=[f"{ODD}:Raises"], engine="inline")
    assert result.counts == {"shards": 1, "failed": 0, "rows": 50, "duplicates": 0, "rejected": 2, "kept": 48}
    assert [row["id"] for row in read(tmp_path / "out")] == [str(i) for i in range(50) if i not in (7, 40)]
    lines = [json.loads(line) for line in (tmp_path / "out" / "_rejected.jsonl").read_text().splitlines()]
    noun = "row" if form == "parquet" else "line"
    assert (
        [(line["shard"], line[noun], line["row"]["mt"]) for line in lines]
        == [
            (f"a.{form}", 8, "POISON"),
            (f"a.{form}", 41, "POISON"),
        ]
        if noun == "line"
        else [line["row"]["id"] for line in lines] == ["7", "40"]
    )
    assert "a word of no weight" in lines[0]["reason"]
    before = contents(tmp_path / "out")
    assert score(data=tmp_path / "in", out=tmp_path / "out", metrics=[f"{ODD}:Raises"], engine="inline").reused == 1
    assert contents(tmp_path / "out") == before


def test_a_row_that_kills_its_worker_is_found_and_put_aside(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(
        tmp_path / "in" / "a.jsonl", [{"id": str(i), "src": "s", "mt": "POISON" if i == 5 else "m"} for i in range(16)]
    )
    write(tmp_path / "in" / "b.jsonl", [{"id": "b", "src": "s", "mt": "m"}])
    result = score(data=tmp_path / "in", out=tmp_path / "out", metrics=[f"{ODD}:Lethal"], workers=2)
    assert result.counts["rejected"] == 1 and result.counts["kept"] == 16
    (line,) = [json.loads(line) for line in (tmp_path / "out" / "_rejected.jsonl").read_text().splitlines()]
    assert (line["shard"], line["line"], line["reason"]) == ("a.jsonl", 6, "every worker that scored it crashed")
    assert sorted(contents(tmp_path / "out")) == ["_manifest.json", "_rejected.jsonl", "a.jsonl", "b.jsonl"]


def test_where_all_rows_fail_it_is_not_the_rows(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(tmp_path / "in" / "a.jsonl", [{"id": str(i), "src": "s", "mt": "POISON"} for i in range(300)])
    with pytest.raises(
        AssayError, match=r"a\.jsonl: more than 100 rows cannot be scored. The last one failed because: .*weight"
    ):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=[f"{ODD}:Raises"], engine="inline")


def test_where_all_rows_of_small_shards_fail_nothing_is_done(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for shard in "ab":
        write(tmp_path / "in" / f"{shard}.tsv", [{"id": str(i), "src": "s", "mt": "POISON"} for i in range(8)])
    write(tmp_path / "in" / "c.tsv", [{"id": "1", "src": "s", "mt": "POISON"}])
    given = {"out": tmp_path / "out", "metrics": [f"{ODD}:Raises"], "engine": "inline"}
    with pytest.raises(
        AssayError, match=r"[ab]\.tsv: none of its 8 rows can be scored. The last one failed because: .*weight"
    ):
        score(data=tmp_path / "in", **given)  # type: ignore[arg-type]
    result = score(data=tmp_path / "in", on_error="skip", **given)  # type: ignore[arg-type]
    assert list(result.failed) == ["a.tsv", "b.tsv"] and result.counts["rejected"] == 1
    assert sorted(contents(tmp_path / "out")) == ["_manifest.json", "_rejected.jsonl", "c.tsv"]


def test_too_little_memory_halves_the_batch(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    write(tmp_path / "in" / "a.jsonl", [{"id": str(i), "src": "s", "mt": "m" * i} for i in range(50)])
    result = score(data=tmp_path / "in", out=tmp_path / "out", metrics=[f"{ODD}:Hungry"], engine="inline")
    assert result.counts["rejected"] == 0
    assert [row[f"{ODD}:Hungry"] for row in read(tmp_path / "out")] == [float(i) for i in range(50)]
    assert result.system[f"{ODD}:Hungry"] == sum(range(50)) / 50


def test_folders_that_are_not_meant(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 4)
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match="empty contains no shards"):
        score(data=tmp_path / "empty", out=tmp_path / "out", metrics=["chrf"])
    with pytest.raises(InputError, match=r"notes\.txt\)\. Supported suffixes are .*For parallel text, use --mt"):
        (tmp_path / "texts").mkdir()
        (tmp_path / "texts" / "notes.txt").write_text("x\n")
        score(data=tmp_path / "texts", out=tmp_path / "out", metrics=["chrf"])
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "mine.txt").write_text("mine")
    with pytest.raises(InputError, match=r"out has files that assay did not write: mine\.txt"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"])
    score(data=tmp_path / "in", out=tmp_path / "scored", metrics=["chrf"], engine="inline")
    before = contents(tmp_path / "scored")
    with pytest.raises(InputError, match="scored has files of another run"):
        score(data=tmp_path / "in", out=tmp_path / "scored", metrics=["bleu"])
    (tmp_path / "in" / "part-0002.tsv").unlink()
    with pytest.raises(InputError, match=r"that match no input of this one: part-0002\.tsv"):
        score(data=tmp_path / "in", out=tmp_path / "scored", metrics=["chrf"])
    assert contents(tmp_path / "scored") == before
    for out in (tmp_path / "in", tmp_path / "in" / "deeper"):
        with pytest.raises(InputError, match="Choose a different folder"):
            score(data=tmp_path / "in", out=out, metrics=["chrf"])


def test_shards_with_different_columns(tmp_path: Path) -> None:
    corpus(tmp_path / "in", 3)
    write(tmp_path / "in" / "x.tsv", [{"id": "1", "mt": "a", "ref": "b", "domain": "news"}])
    with pytest.raises(AssayError, match=r"x\.tsv .*the first shard"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")
    write(tmp_path / "in" / "x.tsv", [{"id": "1", "src": "s", "mt": "a", "ref": "b", "chrf": "3"}])
    made = score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")
    assert "the input column 'chrf' is written as 'input_chrf', because assay adds a column 'chrf'." in made.notes
    header, row, *_ = (tmp_path / "out" / "x.tsv").read_text().split("\n")
    assert dict(zip(header.split("\t"), row.split("\t"), strict=True))["input_chrf"] == "3"


def test_a_worker_with_other_metrics_is_refused() -> None:
    from dataclasses import replace

    from assay._version import __version__
    from assay.corpus.job import Job
    from assay.corpus.records import WorkerRefused, metrics_of

    job = Job("out", ("chrf",), {"chrf": "chrF2|case:mixed|eff:yes|nc:6|nw:0|space:no|v:0"}, __version__)
    with pytest.raises(WorkerRefused, match="a worker computes chrf differently from the driver"):
        metrics_of(job)
    known = {name: str(metric.signature) for name, metric in _chrf().items()}
    with pytest.raises(WorkerRefused, match=r"a worker runs assay .*, but the driver runs 9\.9"):
        metrics_of(replace(job, signatures=known, version="9.9"))
    assert list(metrics_of(replace(job, signatures=known))) == ["chrf"]


def _chrf() -> dict[str, object]:
    from assay.metrics import build_metrics

    return dict(build_metrics(["chrf"]))


@pytest.mark.slow
@pytest.mark.parametrize("verb", ["label", "make", "run"])
def test_labels_items_and_pairs_go_on_after_a_kill(tmp_path: Path, verb: str) -> None:
    """The driver is killed in the middle; the same command ends with the bytes of a run that nobody disturbed."""
    found = corpus(tmp_path / "in", 30, 12)
    write(tmp_path / "outcomes.jsonl", [{**row, "success": int(len(row["mt"]) > 20)} for row in found])
    assay.fit_rule(tmp_path / "outcomes.jsonl", [f"{ODD}:Slow"], "at most 60% bad").save(tmp_path / "rule.json")
    assay.make(["word-swap"], tmp_path / "in", out=tmp_path / "set", langpair="en-de", engine="inline")
    words = {
        "label": ["decide", "apply", "--rule", f"{tmp_path}/rule.json", "--trust", "--data", f"{tmp_path}/in"],
        "make": ["make", "-p", "word-swap", "--data", f"{tmp_path}/in", "--langpair", "en-de"],
        "run": ["run", f"{tmp_path}/set", "-m", f"{ODD}:Slow", "-m", "chrf"],
    }[verb]
    first = started([*words, "--out", f"{tmp_path}/out/", "--workers", "2", "-q"])
    begun(first, tmp_path / "out")
    first.send_signal(signal.SIGKILL)
    first.communicate()
    for out in ("out", "whole"):
        process = started([*words, "--out", f"{tmp_path}/{out}/", "--workers", "2", "-q"])
        _, said = process.communicate()
        assert process.returncode == 0, said
    assert contents(tmp_path / "out") == contents(tmp_path / "whole")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="needs POSIX")
@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_a_pipe_or_a_device_among_the_shards_is_refused(kind: str, tmp_path: Path) -> None:
    corpus(tmp_path / "in", 2)
    if kind == "pipe":
        os.mkfifo(tmp_path / "in" / "x.tsv")
    else:
        (tmp_path / "in" / "x.tsv").symlink_to("/dev/zero")
    with pytest.raises(InputError, match=r"x\.tsv is a pipe or a device, but shards must be files"):
        score(data=tmp_path / "in", out=tmp_path / "out", metrics=["chrf"], engine="inline")


@pytest.mark.skipif(not Path("/proc/self/task").is_dir(), reason="looks for processes in /proc")
def test_folders_of_workers_that_were_killed_with_their_driver_go(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tmp").mkdir()
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr(tempfile, "tempdir", None)
    corpus(tmp_path / "in", 30)
    process = command(tmp_path / "in", tmp_path / "out", "-m", f"{ODD}:Slow")
    begun(process, tmp_path / "out")
    folders = set((tmp_path / "tmp").glob("assay-worker-*"))
    assert folders
    local.remove_abandoned()
    assert set((tmp_path / "tmp").glob("assay-worker-*")) == folders, "a folder at work is left alone"
    for pid in [process.pid, *workers_of(process)]:
        os.kill(pid, signal.SIGKILL)
    process.wait()
    end = time.monotonic() + 10
    while set((tmp_path / "tmp").glob("assay-worker-*")) and time.monotonic() < end:
        local.remove_abandoned()
        time.sleep(0.1)
    assert not set((tmp_path / "tmp").glob("assay-worker-*"))
