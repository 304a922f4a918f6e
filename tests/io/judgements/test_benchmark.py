"""A folder of tables, laid out as Moghe et al. (2023) released theirs; the texts are made up."""

from __future__ import annotations

from pathlib import Path

import pytest

import assay
from assay.core.errors import InputError, UnknownName
from assay.io.judgements.benchmark import read_benchmark


def write(path: Path, rows: int, score: bool = True) -> None:
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
            write(tmp_path / "parsing" / part / f"task_{task}_test_{test}.tsv", 30)
    write(tmp_path / "question_answering" / "task_en_test_ar.tsv", 230)
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
    with pytest.raises(InputError, match=r"task_en_test_de.tsv has no translation column. It has 'a', 'b', 'c', 'd'"):
        read_benchmark(folder)
    named = {"source": "a", "translation": "b", "reference": "c", "outcome": "d"}
    assert len(read_benchmark(folder, named)) == 6 * 30 + 230


def test_what_is_missing_is_said(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    with pytest.raises(InputError, match=r"without tables called task_XX_test_YY\.tsv"):
        assay.breakdown(tmp_path / "empty")
    with pytest.raises(UnknownName, match="COMET-MQM"):
        assay.breakdown(folder, [], scores=["COMET-MQM"])
