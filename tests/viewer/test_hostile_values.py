"""Rows of others: whatever JSON a column holds, the page, its server and assay filter show it or refuse it in a sentence."""

from __future__ import annotations

import gzip
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from assay.cli.main import main
from assay.core.errors import AssayError
from assay.viewer import reader
from assay.viewer.live import LiveRows
from assay.viewer.page import one_file
from assay.viewer.rows import Rows
from assay.viewer.runs import LABELS, RunList, find_runs
from assay.viewer.server import Answers

HOSTILE = {
    "list": [1, "x"],
    "lists": [[["a"]], {}],
    "object": {"a": {"b": [1]}},
    "large number": 10**400,
    "negative": -(10**400),
    "infinite": float("inf"),
    "not a number": float("nan"),
    "true": True,
    "spans [3]": [3],
    "span": [{"start": "x", "end": None, "severity": ["a"], "category": {}, "metric": 5}],
    "span far": [{"start": -5, "end": 10**30, "severity": 3, "category": [1], "metric": "chrf"}],
    "text": "<script>\u202e\x1b[2J",
    "half": "\ud800",
    "empty": "",
}
COLUMNS = (*LABELS, "ref2", "chrf", "other", "chrf good", "chrf incorrect")
EXPRESSIONS = ("", "chrf > 1", 'system == "a"', "length(mt) > 2", 'mt ~ "x"', "segment is missing", "other")


def rows(name: str, value: Any, count: int) -> list[dict[str, Any]]:
    plain = {"src": "the cat", "mt": "die Katze", "ref": "eine Katze", "chrf": 50.0}
    found = [{**plain, "system": "ab"[i % 2], "segment": i // 2, "spans": [], "flags": []} for i in range(count)]
    for i, row in enumerate(found):
        row.setdefault(name, 1)
        if i % 2:
            row[name] = value
    return found


def looked_at(found: RunList, *, whole: bool = True) -> None:
    """Everything that a page asks; a sentence is an answer, any other error is a bug."""
    answers, key = Answers(found), found[0].key

    def asked(answer: Callable[[Any], Any], **question: str) -> None:
        try:
            made = answer({"run": key, **question})
            json.dumps(list(made[1]) if isinstance(made, tuple) else made, default=str)
        except AssayError as error:
            assert "\n" not in str(error)

    for answer in (answers.start, answers.detail, answers.live, answers.rows):
        asked(answer)
    names = found[0].rows.names
    for name in names:
        asked(answers.rows, sort=name)
        asked(answers.rows, sort=name, descending="1")
        asked(answers.groups, by=name, metric="chrf")
        asked(answers.groups, by="length(mt)", metric=name)
        asked(answers.points, x="chrf", y=name)
    for where in EXPRESSIONS:
        asked(answers.rows, where=where)
    asked(answers.rows, find="x")
    for row in ("0", "1"):
        asked(answers.row, row=row)
    chosen = "" if len(found[0].rows) < 100 else 'mt == "nothing"'  # of a frame, a cell is a question of its own
    for format in ("csv", "jsonl", "challenge"):
        asked(answers.export, format=format, where=chosen)
    if not whole:
        return
    asked(answers.compare, a=key, b=key)
    try:
        one_file(found)
    except AssayError as error:
        assert "\n" not in str(error)


@pytest.mark.parametrize("kind", HOSTILE)
@pytest.mark.parametrize("name", COLUMNS)
def test_a_value_of_another_kind(name: str, kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows(name, HOSTILE[kind], 12)))
    try:
        looked_at(find_runs([path]), whole=name in ("system", "segment", "spans", "flags", "mt", "chrf"))
    except AssayError as error:
        assert "\n" not in str(error)
    assert main(["filter", "chrf > 1", str(path), "--out", str(tmp_path / "b.jsonl")]) in (0, 2)
    assert capsys.readouterr().err.count("\n") <= 2


@pytest.mark.parametrize("kind", ["list", "object", "large number", "spans [3]", "span far"])
@pytest.mark.parametrize("typed", [True, False])
def test_many_rows_with_a_value_of_another_kind(kind: str, typed: bool, tmp_path: Path) -> None:
    """Ten thousand rows are a frame of polars; what view.json says of their types may be a lie."""
    run = tmp_path / "run"
    for number, name in enumerate(("system", "spans", "chrf")):
        run = tmp_path / str(number)
        run.mkdir()
        made = rows(name, HOSTILE[kind], 10_000)
        with gzip.open(run / "rows.jsonl.gz", "wt") as out:
            out.writelines(json.dumps(row) + "\n" for row in made)
        names = list(dict.fromkeys(key for row in made[:2] for key in row))
        types = {"chrf": "number", "segment": "integer", "spans": "spans", "flags": "texts"}
        about = {"format": 2, "kind": "segments", "rows": len(made), "columns": names, "systems": ["a", "b"]}
        metrics = {"chrf": {"label": "chrf", "decimals": 1, "higher_is_better": True}}
        about |= {"metrics": metrics, "tables": [], "types": {**dict.fromkeys(names, "text"), **types} if typed else {}}
        (run / "view.json").write_text(json.dumps(about))
        looked_at(find_runs([run]), whole=False)


def test_numbers_beyond_a_float_are_no_scores() -> None:
    assert Rows({"x": [1, 10**400]}).numbers("x") is None


@pytest.mark.parametrize("limit", ["MOST_ROWS", "MOST_COLUMNS", "MOST_CELLS", "MOST_BYTES"])
@pytest.mark.parametrize("form", ["jsonl.gz", "parquet", "tsv", "run"])
def test_a_table_that_is_too_large_is_one_line(
    limit: str, form: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Kilobytes that unpack to gigabytes, and millions of rows in a few pages of Parquet (here against smaller limits)."""
    pl = pytest.importorskip("polars")
    monkeypatch.setattr(
        reader, limit, {"MOST_ROWS": 11_000, "MOST_COLUMNS": 1, "MOST_CELLS": 20_000}.get(limit, 100_000)
    )
    made = [{"mt": "x" * 9, "chrf": 1.0} for _ in range(12_000)]
    place = tmp_path / (f"a.{form}" if form != "run" else "run")
    if form == "parquet":
        pl.DataFrame(made).write_parquet(place)
    elif form == "tsv":
        place.write_text("mt\tchrf\n" + "xxxxxxxxx\t1.0\n" * 12_000)
    else:
        (tmp_path / "run").mkdir()
        path = place if form != "run" else place / "rows.jsonl.gz"
        with gzip.open(path, "wt") as out:
            out.writelines(json.dumps(row) + "\n" for row in made)
        about = {
            "format": 2,
            "kind": "segments",
            "rows": 12_000,
            "columns": ["mt", "chrf"],
            "systems": [],
            "tables": [],
        }
        (tmp_path / "run" / "view.json").write_text(json.dumps(about | {"types": {"mt": "text", "chrf": "number"}}))
    if form == "run":
        (run,) = find_runs([place])
        assert len(run.rows) == 0 and any("has more than" in problem for problem in run.problems)
    else:
        assert main(["view", str(place), "--out", str(tmp_path / "x.html")]) == 2
        said = capsys.readouterr().err
        assert "has more than" in said and said.count("\n") == 1


@pytest.mark.parametrize("kind", ["pipe", "zero"])
def test_a_pipe_and_a_device_are_not_waited_for(kind: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "progress.json").write_text(
        '{"state": "running", "done": 1, "total": 2, "rate": 1, "verb": "score"}'
    )
    for path in (tmp_path / "a.tsv", tmp_path / "run" / "rows.live.jsonl", tmp_path / "run" / "scores.csv"):
        if kind == "pipe":
            os.mkfifo(path)
        else:
            path.symlink_to("/dev/zero")
    assert main(["view", str(tmp_path / "a.tsv"), "--out", str(tmp_path / "x.html")]) == 2
    assert capsys.readouterr().err.count("\n") == 1
    assert main(["view", str(tmp_path / "run"), "--out", str(tmp_path / "x.html")]) in (0, 2)


def test_live_rows_that_are_nested_deeply_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "rows.live.jsonl").write_text(
        '{"mt": "a"}\n{"mt": ' + "[" * 100_000 + "]" * 100_000 + '}\n{"mt": ["b"]}\n'
    )
    assert LiveRows(tmp_path).rows().columns == {"mt": ["a", '["b"]']}
