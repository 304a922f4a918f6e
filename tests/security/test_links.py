"""A folder that came from somebody else: nothing is written through a link in it."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import pytest

import assay
from assay.core.errors import OutputError
from assay.io.files.atomic import atomic_write, make_output_folder, open_locked
from assay.io.files.folders import LocalFolder
from assay.io.judgements.decisions import Decision, append
from assay.verbs.shared.live_progress import Live
from assay.viewer.runs import find_runs


@pytest.fixture
def victim(tmp_path: Path) -> Path:
    path = tmp_path / "home"
    path.mkdir()
    (path / "notes").write_text("precious")
    return path / "notes"


@pytest.mark.parametrize("name", ["tables.json", "view.json", "rows.jsonl.gz", "scores.parquet", "manifest.json"])
def test_a_run_directory_is_not_written_through_links(tmp_path: Path, victim: Path, name: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / name).symlink_to(victim)
    assay.score(hypotheses=["a b"], references=["a b"], metrics=["chrf"]).write(run, figures=())
    assert victim.read_text() == "precious"
    assert not (run / name).is_symlink() or name == "scores.parquet"  # scores.csv without the extra


@pytest.mark.parametrize("name", ["rows.live.jsonl", ".progress.json.part", "progress.json"])
def test_progress_is_not_written_through_links(tmp_path: Path, victim: Path, name: str) -> None:
    run = tmp_path / "run"
    run.mkdir()
    (run / name).symlink_to(victim)
    writer = Live(run, "score", {}, 10)
    writer.metric("chrf", 1, 10)
    assert (run / "rows.live.jsonl").exists()
    assert victim.read_text() == "precious"


def test_the_lock_of_a_corpus_is_not_written_through_a_link(tmp_path: Path, victim: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "_lock").symlink_to(victim)
    with LocalFolder(str(out)).locked("_lock", "me"):
        assert not (out / "_lock").is_symlink()
    assert victim.read_text() == "precious"


def test_a_linked_subfolder_of_a_corpus_is_refused(tmp_path: Path, victim: Path) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (out / "sub").symlink_to(victim.parent)
    with pytest.raises(OutputError, match="a link points outside"):
        LocalFolder(str(out)).write("sub/notes", b"x")
    LocalFolder(str(out)).remove("sub")
    assert victim.read_text() == "precious"


def test_a_pipe_under_a_chosen_name_is_refused_and_does_not_hang(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "_lock")
    with pytest.raises(OSError, match="not a regular file"):
        open_locked(tmp_path / "_lock")
    assert stat.S_ISFIFO((tmp_path / "_lock").stat().st_mode)


@pytest.mark.parametrize("name", ["scores.csv", "scores.parquet", "rows.jsonl.gz", "tables.json"])
def test_a_run_directory_is_not_read_through_links(tmp_path: Path, name: str) -> None:
    secret, run, page = tmp_path / "secret.csv", tmp_path / "run", tmp_path / "page.html"
    secret.write_text("user,password\nme,hunter2\n")
    assay.score(hypotheses=["a b"], references=["a b"], metrics=["chrf"]).write(run, figures=())
    for stored in (name, "scores.csv", "scores.parquet", "rows.jsonl.gz"):
        (run / stored).unlink(missing_ok=True)
    (run / name).symlink_to(secret)
    (read,) = find_runs([str(run)])
    assert read.stored is None and "hunter2" not in str(vars(read))
    assert assay.view(str(run), out=str(page)).out == page


def test_decisions_are_not_written_through_a_link(tmp_path: Path, victim: Path) -> None:
    log = tmp_path / "set.jsonl.decisions.jsonl"
    log.symlink_to(victim)
    with pytest.raises(OutputError, match=r"it is a link\. Name the file that it leads to"):
        append(log, Decision("$(touch PWNED)", "good", "2026-01-01", "me"))
    assert victim.read_text() == "precious"


def test_a_linked_folder_of_a_training_run_is_refused(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "model").symlink_to(victim.parent)
    with pytest.raises(OutputError, match="it is a link"):
        make_output_folder(tmp_path / "model")


def test_a_typed_link_stays(tmp_path: Path, victim: Path) -> None:
    (tmp_path / "out.json").symlink_to(victim)
    with atomic_write(tmp_path / "out.json", "w", typed=True) as out:
        out.write("new")
    assert (tmp_path / "out.json").is_symlink() and victim.read_text() == "new"
