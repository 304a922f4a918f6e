from __future__ import annotations

from pathlib import Path

from assay.review.decisions import DecisionLog


def test_decisions_are_kept_overruled_and_taken_back(tmp_path: Path) -> None:
    path = tmp_path / "decisions.jsonl"
    decisions = DecisionLog(path, annotator="ann")
    decisions.record("a", "pass")
    decisions.record("b", "skip")
    decisions.record("a", "fail")
    decisions.undo("b")
    assert dict(decisions) == dict(DecisionLog(path)) == {"a": "fail"}
    assert path.read_text().count('"who": "ann"') == 4


def test_reload_brings_in_what_others_decided(tmp_path: Path) -> None:
    mine, theirs = DecisionLog(tmp_path / "d.jsonl", "ann"), DecisionLog(tmp_path / "d.jsonl", "bob")
    theirs.record("a", "pass")
    assert "a" not in mine
    mine.reload()
    assert mine["a"] == "pass"


def test_who_defaults_to_the_user(tmp_path: Path) -> None:
    assert DecisionLog(tmp_path / "d.jsonl").annotator
