from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import assay
from assay.core.errors import AssayError, InputError, UnknownName
from assay.io.judgements.outcomes import as_tsv, read_benchmark, read_outcomes, write_outcomes


def write(path: Path, text: str) -> Path:
    path.write_text(text, encoding="utf-8")
    return path


def test_columns_by_the_names_people_use(tmp_path: Path) -> None:
    path = write(
        tmp_path / "o.csv",
        "src,MT,Ref,label,lang,Split,Error Type\na,b,c,bad,es,validation,omission\nd,e,f,1,pt,test,\n",
    )
    found = read_outcomes(path)
    assert found.success.tolist() == [False, True]
    assert list(found.languages) == ["es", "pt"] and list(found.splits) == ["dev", "test"]
    assert list(found.error_types) == ["omission", ""]
    assert found.batch[0].references == ("c",) and found.batch[0].source == "a"


def test_json_lines_and_mapped_columns(tmp_path: Path) -> None:
    path = write(
        tmp_path / "o.jsonl", '{"out": "x", "ok": true, "comet": 0.5}\n{"out": "y", "ok": false, "comet": null}\n'
    )
    found = read_outcomes(path, {"translation": "out", "outcome": "ok"}, ["comet"])
    assert found.success.tolist() == [True, False] and list(found.splits) == ["", ""]
    assert found.scores["comet"][0] == 0.5 and np.isnan(found.scores["comet"][1])


def test_parts_of_one_example(tmp_path: Path) -> None:
    rows = [
        "id\tpart\tlanguage\ttranslation\toutcome",
        "1\tquestion\tes\ta\t0",
        "1\tcontext\tes\tb\t0",
        "1\tquestion\tpt\tc\t1",
    ]
    found = read_outcomes(write(tmp_path / "o.tsv", "\n".join(rows) + "\n"))
    assert len(found) == 2 and len(found.batch) == 3 and found.example.tolist() == [0, 0, 1]
    assert found.fold(np.array([3.0, 1.0, 7.0]), True).tolist() == [1.0, 7.0]
    assert np.isnan(found.fold(np.array([3.0, np.nan, 7.0]), True)).tolist() == [True, False]
    only = found.select([False, True])
    assert list(only.ids) == ["1"] and only.batch.hypotheses == ["c"] and only.example.tolist() == [0]
    rows[2] = "1\tcontext\tes\tb\t1"
    with pytest.raises(AssayError, match=r"example '1' .*different outcomes"):
        read_outcomes(write(tmp_path / "o.tsv", "\n".join(rows) + "\n"))


def test_written_outcomes_are_read_again(tmp_path: Path) -> None:
    rows = ["id\tpart\tlanguage\ttranslation\toutcome\tback\tsrc\tref\tsplit\ttask\terror",
            '1\tq\tes\ta "b"\t0\t\tx\ty\tdev\tqa\tomission', "2\tq\tes\tc\t1\tz\tx\ty\ttest\tqa\t"]  # fmt: skip
    first = read_outcomes(write(tmp_path / "o.tsv", "\n".join(rows) + "\n"))
    write_outcomes(first, tmp_path / "again.tsv")
    second = read_outcomes(tmp_path / "again.tsv")
    assert as_tsv(first) == as_tsv(second)
    assert list(second.back or ()) == [None, "z"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("mt\toutcome\n", "no rows"),
        ("mt\tref\na\tb\n", "no outcome column"),
        ("ref\toutcome\na\t1\n", "no translation column"),
        ("mt\toutcome\na\t1\nb\tmaybe\n", "line 3: outcome 'maybe'"),
        ("mt\toutcome\na\t0.5\nb\t70\n", "line 3: outcome '70' is unknown.* or a grade between 0 and 1"),
        ("mt\toutcome\na\tnan\n", "line 2: outcome 'nan'"),
        ("mt\toutcome\tsplit\na\t1\ttrial\n", "split 'trial' is unknown"),
        ("mt\toutcome\na\n", "line 2: 1 column, but the header has 2: column 'outcome' is missing"),
        ("", "empty"),
    ],
)
def test_bad_tables_are_refused_with_the_place(tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(AssayError, match=message):
        read_outcomes(write(tmp_path / "o.tsv", text))


def test_bad_scores_are_refused(tmp_path: Path) -> None:
    path = write(tmp_path / "o.tsv", "mt\toutcome\tcomet\na\t1\thigh\n")
    with pytest.raises(AssayError, match="line 2: comet is 'high', not a number"):
        read_outcomes(path, scores=["comet"])
    with pytest.raises(AssayError, match="comte"):
        read_outcomes(path, scores=["comte"])
    with pytest.raises(AssayError, match="trans"):
        read_outcomes(path, {"trans": "mt"})


def test_grades_beside_yes_and_no(tmp_path: Path) -> None:
    rows = ["id\tsplit\ttranslation\toutcome", "1\tdev\ta\t0.75", "2\tdev\tb\tbreakdown", "3\ttest\tc\t1"]
    path = write(tmp_path / "o.tsv", "\n".join(rows) + "\n")
    found = read_outcomes(path)
    assert found.grades is not None and found.grades.tolist() == [0.75, 0.0, 1.0]
    assert as_tsv(read_outcomes(write(tmp_path / "again.tsv", as_tsv(found)))) == as_tsv(found)
    # A success from 0.8 on: the first is none. Without a grade between, nothing is graded and nothing is cut.
    cut = found.cut_at(0.8)
    assert cut.grades is None and cut.success.tolist() == [False, False, True]
    assert found.cut_at(0.75).success.tolist() == [True, False, True]
    plain = found.select([False, True, True])
    assert plain.grades is not None and read_outcomes(write(tmp_path / "p.tsv", "mt\toutcome\na\t1.0\n")).grades is None
    with pytest.raises(AssayError, match="above 0 and at most 1, not 0"):
        found.cut_at(0.0)


def test_outcomes_of_a_judge_and_rows_that_take_no_part(tmp_path: Path) -> None:
    path = write(tmp_path / "o.tsv", "id\ttranslation\n1\ta\n2\tb\n3\tc\n")
    found = read_outcomes(path, judged=[1.0, None, 0.25])
    assert list(found.ids) == ["1", "3"] and found.grades is not None and found.grades.tolist() == [1.0, 0.25]
    assert found.batch.hypotheses == ["a", "c"]


def test_one_graded_task_grades_the_others() -> None:
    from assay.core.batch import Batch
    from assay.core.outcomes import TaskOutcomes, concat_outcomes

    yes_no = TaskOutcomes.single(Batch(["a"]), np.array([True]), ["es"], ["dev"], scores={"m": np.array([3.0])})
    graded = TaskOutcomes.single(Batch(["b"]), np.array([False]), ["es"], ["dev"], scores={"m": np.array([4.0])})
    both = concat_outcomes([yes_no, replace(graded, grades=np.array([0.4]))])
    assert both.worth.tolist() == [1.0, 0.4] and both.scores["m"].tolist() == [3.0, 4.0]


def write_task(path: Path, rows: int, score: bool = True) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = ["src\tmt\tref\tlabel" + "\tCOMET-DA" * score]
    for i in range(rows):
        good = i % 3 > 0
        said = f"word{i} here" if good else f"other{i} there"
        lines.append(f"drow{i}\t{said}\tword{i} here\t{int(good)}" + f"\t{0.9 if good else 0.1}" * score)
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for part in ("dev", "test"):
        for task, test in (("en", "de"), ("en", "zh"), ("pt", "de")):
            write_task(tmp_path / "parsing" / part / f"task_{task}_test_{test}.tsv", 30)
    write_task(tmp_path / "question_answering" / "task_en_test_ar.tsv", 230)
    (tmp_path / "README.md").write_text("not a table")
    return tmp_path


def test_task_languages_and_parts_are_told_by_the_place(folder: Path) -> None:
    found = read_benchmark(folder, scores=["COMET-DA"])
    places = dict.fromkeys(zip(found.tasks, found.languages, found.splits, strict=True))
    # Parsing was run in two languages, so that a pair says which; the other task in one.
    assert [place for place in places if place[0] == "parsing"] == [
        ("parsing", "de-en", "dev"), ("parsing", "zh-en", "dev"), ("parsing", "de-pt", "dev"),
        ("parsing", "de-en", "test"), ("parsing", "zh-en", "test"), ("parsing", "de-pt", "test"),
    ]  # fmt: skip
    mine = [i for i, task in enumerate(found.tasks) if task == "question answering"]
    assert {found.languages[i] for i in mine} == {"ar"}
    # Appendix B: the first 200 examples choose the threshold, and all are reported on.
    assert [found.splits[i] for i in mine] == ["dev+test"] * 200 + ["test"] * 30
    assert len(found.scores["COMET-DA"]) == len(found) == 6 * 30 + 230


def test_every_door_takes_the_folder(folder: Path) -> None:
    result = assay.breakdown(folder, ["chrf"], scores=["COMET-DA"], samples=50)
    rows = {(row["task"], row["metric"]): row for row in result.table().rows}
    # The made-up scores are perfect, and so is chrF: another word is far away.
    assert rows["parsing", "COMET-DA"]["mcc"] == rows["question answering", "COMET-DA"]["mcc"] == 1.0
    assert rows["parsing", "COMET-DA"]["languages"] == 3 and rows["parsing", "chrf"]["n"] == 90
    one = assay.breakdown(folder / "parsing", ["chrf"], langs=["zh-en"], samples=50)
    assert [row["n"] for row in one.table().rows if row["metric"] == "chrf"] == [30]
    assert assay.fit_rule(folder / "parsing", ["chrf"], "catch 80%").rule.groups["zh-en"].n == 30


def test_other_names_of_columns_are_given_by_the_user(folder: Path) -> None:
    for path in folder.rglob("task_*.tsv"):
        path.write_text(path.read_text().replace("src\tmt\tref\tlabel", "a\tb\tc\td"))
    with pytest.raises(InputError, match=r"task_en_test_de.tsv has no translation column; it has 'a', 'b', 'c', 'd'"):
        read_benchmark(folder)
    named = {"source": "a", "translation": "b", "reference": "c", "outcome": "d"}
    assert len(read_benchmark(folder, named)) == 6 * 30 + 230


def test_what_is_missing_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"contains no tables named task_XX_test_YY\.tsv"):
        assay.breakdown(tmp_path / "empty")
    with pytest.raises(UnknownName, match="COMET-MQM"):
        assay.breakdown(folder, [], scores=["COMET-MQM"])
