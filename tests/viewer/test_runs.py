from __future__ import annotations

import gzip
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

import assay
from assay.core.errors import InputError
from assay.viewer.page import one_file
from assay.viewer.runs import find_runs
from assay.viewer.server import Answers
from assay.viewer.summary import summary
from tests.viewer.conftest import DEMO, keep


def test_every_verb_that_keeps_rows_is_read_back(runs: Path) -> None:
    found = {run.name: run for run in find_runs([runs])}
    assert set(found) == {"demo", "embedded", "hostile"}
    demo = found["demo"]
    assert (demo.kind, demo.verb, len(demo.rows)) == ("segments", "compare", 40)
    assert (
        demo.rows.row(0)["src"].startswith("Der Zug nach Hamburg") and demo.metrics["ter"]["higher_is_better"] is False
    )
    assert demo.head()["systems"] == ["baseline", "ours"]
    assert summary(demo)["distributions"]["chrf"]["systems"]["ours"]["n"] == 20
    embedded = found["embedded"]
    assert (embedded.kind, embedded.verb) == ("items", "run")
    assert {"good", "incorrect", "chrf good", "chrf incorrect"} <= set(embedded.rows.names)


def test_the_heat_map_counts_as_the_tables_do(runs: Path) -> None:
    run = next(run for run in find_runs([runs]) if run.name == "embedded")
    whole = summary(run)
    made = whole["phenomena"]
    places = {row["name"]: i for i, row in enumerate(made["phenomena"])}
    tables = {table["name"]: table for table in whole["tables"]}
    compared = 0
    for row in tables["phenomena"]["rows"]:
        cell = made["cells"][row["metric"]][places[row["phenomenon"]]]
        assert cell["n"] == row["n"] and cell["right"] / cell["n"] == pytest.approx(row["accuracy"])
        compared += 1
    assert compared > 20


def test_rows_of_a_lower_metric_are_right_the_other_way(tmp_path: Path) -> None:
    rows = [
        {"phenomenon": "p", "good": "a", "incorrect": "b", "m good": good, "m incorrect": bad}
        for good, bad in ((1, 2), (2, 2), (3, 2), (None, 1))
    ]
    path = keep(tmp_path / "run", rows, "items", ["m"])
    about = json.loads((path / "view.json").read_text())
    about["metrics"]["m"]["higher_is_better"] = False
    (path / "view.json").write_text(json.dumps(about))
    (run,) = find_runs([path])
    cell = summary(run)["phenomena"]["cells"]["m"][0]
    assert (cell["n"], cell["right"]) == (3, 1)
    # Wilson's interval of 1 in 3: (p + z²/2n ± z sqrt(p(1-p)/n + z²/4n²)) / (1 + z²/n) with z = 1.959964
    assert (cell["low"], cell["high"]) == (pytest.approx(0.0614919), pytest.approx(0.7923404))


def test_damage_is_said_and_the_rest_is_shown(runs: Path, tmp_path: Path) -> None:
    broken = tmp_path / "broken"
    shutil.copytree(runs / "demo", broken)
    rows = broken / "rows.jsonl.gz"
    rows.write_bytes(rows.read_bytes()[:1000])
    (broken / "tables.json").write_text("{")
    about = json.loads((broken / "manifest.json").read_text())
    (broken / "manifest.json").write_text(json.dumps(about | {"version": "0.0.1"}))
    (run,) = find_runs([broken])
    whole = summary(run)
    assert len(run.rows) == 0 and whole["tables"] == []
    said = " ".join(run.problems)
    assert (
        "written by assay 0.0.1; this is assay" in said and "tables.json is damaged" in said and "rows.jsonl.gz" in said
    )


@pytest.mark.parametrize(
    ("name", "change", "said"),
    [
        ("view.json", {"tables": 3}, "view.json: tables must be a list, not 3"),
        ("view.json", {"tables": [{"caption": "x"}]}, "view.json: tables[1] is missing 'name'"),
        (
            "view.json",
            {"metrics": {"chrf": None}},
            "view.json: metrics.chrf must be a mapping of names to values, not null",
        ),
        ("view.json", {"columns": [["mt"]]}, "view.json: columns[1] must be text"),
        ("view.json", {"rows": "many"}, "view.json: rows must be a whole number"),
        ("tables.json", {"tables": {"systems": [1]}}, "tables.json: tables.systems[1] must be"),
        ("tables.json", {"tables": [None]}, "tables.json: tables must be a mapping"),
        ("manifest.json", {"version": {}}, "manifest.json: version must be text"),
        ("manifest.json", {"signatures": [1]}, "manifest.json: signatures must be a mapping"),
    ],
)
def test_a_file_of_another_shape_is_left_out_and_its_first_wrong_place_is_said(
    runs: Path, tmp_path: Path, name: str, change: dict[str, Any], said: str
) -> None:
    shutil.copytree(runs / "demo", tmp_path / "run")
    path = tmp_path / "run" / name
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    answers = Answers(find_runs([tmp_path / "run"]))
    (head,) = answers.start({})["runs"]
    assert any(said in problem for problem in head["problems"]), head["problems"]
    assert answers.rows({"run": "r0"})["total"] == 40 and answers.detail({"run": "r0"})["head"]["rows"] == 40


def test_an_unfinished_run_and_a_later_form_are_said(runs: Path, tmp_path: Path) -> None:
    later = tmp_path / "later"
    shutil.copytree(runs / "demo", later)
    (later / "manifest.json").unlink()
    about = json.loads((later / "view.json").read_text())
    (later / "view.json").write_text(json.dumps(about | {"format": 99}))
    (run,) = find_runs([later])
    assert any("format 99" in problem for problem in run.problems)
    assert any("is unfinished" in problem for problem in run.problems)
    assert len(run.rows) == 40


def test_an_old_run_without_texts_and_a_bare_table_are_shown(runs: Path, tmp_path: Path) -> None:
    old = tmp_path / "old"
    assay.run("embedded", ["chrf"], samples=20).write(old, figures=())
    for name in ("view.json", "rows.jsonl.gz"):
        (old / name).unlink()
    table = tmp_path / "scores.tsv"
    table.write_text("system\tmt\tchrf\nx\tein Haus\t31.5\nx\tein Baum\t\n")
    found = {run.name: run for run in find_runs([old, table])}
    assert (found["old"].kind, list(found["old"].metrics)) == ("items", ["chrf"])
    assert summary(found["old"])["tables"]
    bare = found["scores.tsv"]
    assert (bare.verb, bare.kind, list(bare.metrics)) == ("table", "segments", ["chrf"])
    assert bare.rows.columns["chrf"] == [31.5, None]


def test_a_place_without_runs_is_one_sentence(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="is not a run or a table"):
        find_runs([tmp_path / "nothing"])
    with pytest.raises(InputError, match="does not contain a run"):
        find_runs([tmp_path])
    for name in ("empty.tsv", "empty.jsonl"):
        (tmp_path / name).write_text("")
        with pytest.raises(InputError, match="empty"):
            find_runs([tmp_path / name])


def test_rows_are_a_table_for_everybody(runs: Path) -> None:
    lines = gzip.decompress((runs / "demo" / "rows.jsonl.gz").read_bytes()).decode().splitlines()
    assert len(lines) == 40 and json.loads(lines[0])["system"] == "baseline"
    kept = assay.filter_rows("chrf < 50", runs / "demo" / "rows.jsonl.gz")
    assert kept.kept == sum(json.loads(line)["scores"]["chrf"] < 50 for line in lines)


def test_spans_are_kept_with_the_texts(tmp_path: Path) -> None:
    try:
        result = assay.score(data=DEMO, metrics=["assay-mini"], texts=True)
    except assay.MissingPart as error:
        pytest.skip(str(error))
    (run,) = find_runs([result.write(tmp_path / "run")])
    rows = [run.rows.row(i) for i in range(len(run.rows))]
    marked = [(row, span) for row in rows for span in row["spans"]]
    assert marked and all(0 <= span["start"] < span["end"] <= len(row["mt"]) for row, span in marked)


def test_one_file_refuses_more_rows_than_a_browser_holds(tmp_path: Path) -> None:
    path = keep(tmp_path / "run", [{"segment": 1, "mt": "a", "chrf": 1.0}] * 50_001)
    with pytest.raises(InputError, match="50,000 rows, but there are 50,001"):
        one_file(find_runs([path]))
