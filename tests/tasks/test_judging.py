"""Outcomes by a command: what it says are kept, what it fails on is told, and nothing is asked twice."""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError
from assay.tasks.judging import judge_table

HEADER = "id\tsource\ttranslation\treference\tcall"

JUDGE = """
import json, sys
log = open(sys.argv[1], "a")
for line in sys.stdin:
    row = json.loads(line)
    log.write(row["id"] + "\\n")
    if row["translation"] == "crash": sys.exit("judge.py: no such tool")
    if row["translation"] == "odd": print("perhaps")
    elif row["translation"] == "human fails": print("skip")
    elif row["call"] == "graded": print(0.25)
    else: print("success" if row["translation"] == row["reference"] else "breakdown", flush=True)
"""


def table(path: Path, translations: Sequence[str], call: str = "book") -> Path:
    lines = [HEADER, *(f"{i}\tx\u2028y\t{text}\tright\t{call}" for i, text in enumerate(translations))]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def command(folder: Path) -> str:
    (folder / "judge.py").write_text(JUDGE)
    return f"cmd:{sys.executable} {folder / 'judge.py'} {folder / 'asked'}"


def asked(folder: Path) -> list[str]:
    return (folder / "asked").read_text().split()


def test_success_breakdown_grade_and_skip(tmp_path: Path) -> None:
    notes: list[str] = []
    path = table(tmp_path / "t.tsv", ["right", "wrong", "human fails"])
    assert judge_table(path, command(tmp_path), notes=notes) == [1.0, 0.0, None]
    assert notes == ["1 example skipped by the judge"]
    assert judge_table(table(tmp_path / "g.tsv", ["right"], "graded"), command(tmp_path)) == [0.25]


def test_what_was_said_is_not_asked_again_and_failures_are(tmp_path: Path) -> None:
    kept, notes = tmp_path / "judged.jsonl", []
    judge = command(tmp_path)
    path = table(tmp_path / "t.tsv", ["right", "crash", "odd", "wrong"])
    assert judge_table(path, judge, kept, notes=notes) == [1.0, None, None, 0.0]
    (said,) = notes
    assert "failed on 2 examples (line 3, line 4)" in said and "run again to retry" in said
    (tmp_path / "asked").unlink()
    table(path, ["right", "right now", "odd", "wrong"])
    assert judge_table(path, judge, kept) == [1.0, 0.0, None, 0.0]
    assert asked(tmp_path) == ["1", "2"]
    # Another command is another judge.
    assert judge_table(path, "cmd:sed s/.*/0.5/", kept) == [0.5] * 4


def test_a_torn_last_line_of_what_was_kept_costs_one_question(tmp_path: Path) -> None:
    kept, judge = tmp_path / "judged.jsonl", command(tmp_path)
    path = table(tmp_path / "t.tsv", ["right", "wrong"])
    judge_table(path, judge, kept)
    kept.write_bytes(kept.read_bytes()[:-20])
    (tmp_path / "asked").unlink()
    assert judge_table(path, judge, kept) == [1.0, 0.0] and asked(tmp_path) == ["1"]


def test_parts_of_one_example_are_judged_as_one() -> None:
    seen: list[Any] = []

    def judge(rows: Sequence[Mapping[str, Any]]) -> list[Any]:
        seen.extend(rows)
        return [len(row["parts"]) == 2 for row in rows]

    rows = {"id": ["1", "1", "2"], "part": ["question", "context", "question"], "translation": ["a", "b", "c"]}
    assert judge_table(rows, judge) == [1.0, 1.0, 0.0]
    assert [part["translation"] for part in seen[0]["parts"]] == ["a", "b"]


def test_a_function_that_fails_on_a_row_is_asked_about_the_others() -> None:
    def judge(rows: Sequence[Mapping[str, Any]]) -> list[Any]:
        if any(row["translation"] == "bad" for row in rows):
            raise ValueError("no tool")
        return [0.5] * len(rows)

    notes: list[str] = []
    assert judge_table({"translation": ["a", "bad", "b"]}, judge, notes=notes) == [0.5, None, 0.5]
    assert "(ValueError: no tool)" in notes[0]


@pytest.mark.parametrize(
    ("judge", "message"),
    [
        ("python judge.py", "is not valid: write cmd:"),
        ("cmd: ", "is not valid"),
        ("cmd:no_such_program_anywhere", "was not found"),
        ("cmd:cat >/dev/null; echo broken tool >&2; exit 3", r"returned no outcome \(broken tool\)"),
        ("cmd:cat", r"returned no outcome \(it returned .* which is not an outcome\)"),
        ("cmd:head -1", "returned no outcome"),
    ],
)
def test_a_judge_that_cannot_work_is_said_in_a_line(tmp_path: Path, judge: str, message: str) -> None:
    with pytest.raises(InputError, match=message):
        judge_table(table(tmp_path / "t.tsv", ["a", "b"]), judge)


def test_a_judge_that_breaks_halfway_is_given_up_and_what_it_said_is_kept(tmp_path: Path) -> None:
    kept, judge = tmp_path / "judged.jsonl", command(tmp_path)
    path = table(tmp_path / "t.tsv", ["right"] * 32 + ["crash"] * 64)
    with pytest.raises(InputError, match=r"no outcome for 32 rows in a row \(judge.py: no such tool\).*are reused"):
        judge_table(path, judge, kept)
    assert len(kept.read_text().splitlines()) == 32
    assert set(asked(tmp_path)) == {str(i) for i in range(64)}


def test_a_table_is_needed(tmp_path: Path) -> None:
    for data in ("-", tmp_path):
        with pytest.raises(InputError, match="requires a table in a file"):
            judge_table(data, "cmd:cat")
    with pytest.raises(InputError, match="no rows"):
        judge_table(table(tmp_path / "t.tsv", []), "cmd:cat")


def test_both_verbs_take_a_judge(tmp_path: Path) -> None:
    path = table(tmp_path / "t.tsv", ["right", "wrong", "rigth"] * 40)
    judge, kept = command(tmp_path), tmp_path / "judged.jsonl"
    result = assay.breakdown(path, ["chrf"], judge=judge, judged=kept, dev_share=0.5, samples=20)
    assert [row["mcc"] for row in result.table().rows if row["metric"] == "chrf"] == [1.0]
    (tmp_path / "asked").unlink()
    rule = assay.fit_rule(path, ["chrf"], "catch 90%", judge=judge, judged=kept)
    assert not (tmp_path / "asked").exists() and rule.rule.card["judge"] == judge
    # The card names the command for people; a rule from a file runs nothing.
    rule.save(tmp_path / "rule.json")
    assert json.loads((tmp_path / "rule.json").read_text())["card"]["judge"] == judge
    labels = assay.apply_rule(tmp_path / "rule.json", ["right", "wrong"], ["right", "right"]).labels
    assert labels[0] == "use" and labels[1] != "use" and not (tmp_path / "asked").exists()
