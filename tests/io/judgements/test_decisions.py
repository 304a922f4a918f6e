from __future__ import annotations

import json
import multiprocessing
from pathlib import Path

import pytest

from assay.core.errors import InputError, OutputError
from assay.io.judgements.decisions import Decision, append, decision_key, latest, read


def decision(key: str, choice: str) -> Decision:
    return Decision(key, choice, "2026-11-15T10:00:00+00:00", "ann")


def test_last_decision_wins_and_undo_takes_back(tmp_path: Path) -> None:
    path = tmp_path / "new" / "decisions.jsonl"
    assert latest(path) == {}
    for key, choice in [("a", "pass"), ("b", "fail"), ("a", "fail"), ("b", "undo")]:
        append(path, decision(key, choice))
    assert latest(path) == {"a": "fail"}
    assert next((d.key, d.choice, d.who) for d in read(path)) == ("a", "pass", "ann")
    assert all(set(json.loads(line)) == {"key", "choice", "time", "who"} for line in path.read_text().splitlines())


@pytest.mark.parametrize("cut", [1, 2, 10, 60])
def test_torn_last_line_is_passed_over_and_mended(tmp_path: Path, cut: int) -> None:
    path = tmp_path / "decisions.jsonl"
    append(path, decision("a", "pass"))
    append(path, decision("b", "fail"))
    path.write_bytes(path.read_bytes()[:-cut])
    # Only the newline is missing when one byte was cut: the decision itself is whole.
    survivors = {"a": "pass", "b": "fail"} if cut == 1 else {"a": "pass"}
    assert latest(path) == survivors
    append(path, decision("c", "skip"))
    assert latest(path) == survivors | {"c": "skip"}
    assert path.read_bytes().endswith(b"}\n")


def test_torn_line_longer_than_a_block_in_a_file_of_one_line(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    path.write_bytes(b'{"key": "' + b"x" * 10_000)
    append(path, decision("a", "pass"))
    assert latest(path) == {"a": "pass"}


def test_malformed_line_inside_is_named(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    append(path, decision("a", "pass"))
    path.write_text(path.read_text() + '{"key": 1}\n' + path.read_text())
    with pytest.raises(InputError, match=r"decisions\.jsonl, line 2"):
        read(path)


def _append_many(path: Path, name: str) -> None:
    for i in range(50):
        append(path, decision(f"{name}{i}", "pass" if i % 2 else "fail"))


def test_several_processes_append(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    context = multiprocessing.get_context("spawn")
    writers = [context.Process(target=_append_many, args=(path, name)) for name in "abc"]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [writer.exitcode for writer in writers] == [0, 0, 0]
    assert latest(path) == {f"{name}{i}": "pass" if i % 2 else "fail" for name in "abc" for i in range(50)}
    assert len(path.read_text().splitlines()) == 150


def test_what_cannot_be_written_is_said(tmp_path: Path) -> None:
    with pytest.raises(OutputError, match="not saved"):
        append(tmp_path, decision("a", "pass"))


def test_full_disk_is_said() -> None:
    if not Path("/dev/full").exists():
        pytest.skip("no /dev/full on this system")
    with pytest.raises(OutputError, match="not saved"):
        append(Path("/dev/full"), decision("a", "pass"))


def test_key_depends_on_subject_and_folded_text() -> None:
    import hashlib

    expected = hashlib.blake2b(b"He eats.", digest_size=16).hexdigest()
    assert decision_key("dfki:de-en:1", " He  eats.\t") == f"dfki:de-en:1:{expected}"
    assert decision_key("dfki:en-de:1", "He eats.") != decision_key("dfki:de-en:1", "He eats.")
