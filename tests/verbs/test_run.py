"""What a suite's result leaves behind for people: figures beside the tables, and its part of an HTML page."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import assay
from assay.cli.main import main
from assay.core.batch import Batch
from assay.core.errors import AssayError, UnknownName
from assay.core.judged import Judged
from assay.suites.embedded import Embedded
from assay.verbs.run import run
from assay.verbs.shared.pages import page_of
from assay.verbs.shared.suites import SuiteResult, of_langpair
from tests.viewer.in_page import embedded


@pytest.fixture(scope="module")
def result() -> SuiteResult:
    return run("embedded", ["chrf", "bleu"], samples=20)


def test_a_run_directory_has_the_figures_asked_for(result: SuiteResult, tmp_path: Path) -> None:
    result.write(tmp_path / "default")
    result.write(tmp_path / "both", figures=("svg", "png"))
    result.write(tmp_path / "none", figures=())
    always = {"manifest.json", "rows.jsonl.gz", "scores.parquet", "tables.json", "view.json"}
    names = {folder.name: {path.name for path in folder.iterdir()} for folder in tmp_path.iterdir()}
    assert names == {
        "default": always | {"phenomena.svg"},
        "both": always | {"phenomena.svg", "phenomena.png"},
        "none": always,
    }


def test_without_matplotlib_a_run_directory_has_no_figures(
    result: SuiteResult, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.report.figures.available", lambda: False)
    result.write(tmp_path)
    assert not list(tmp_path.glob("*.svg"))
    assert result.section().figures == {}


def test_the_section_explains_every_table(result: SuiteResult) -> None:
    section = result.section()
    assert section.lead == f"{len(Embedded().load()):,} pairs · chrf, bleu"
    assert len(section.tables) == len(result.tables) and all(table.reading for table in section.tables)
    assert list(section.figures) == ["phenomena"]


def test_html_on_the_command_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert main(["run", "-m", "chrf", "--samples", "20", "--format", "html", "--out", str(page)]) == 0
    found = embedded(page.read_text(encoding="utf-8"))
    (detail,) = found["details"].values()
    assert any("All items of a language pair together." in table["reading"] for table in detail["tables"])
    (columns,) = found["rows"].values()
    assert (
        len(columns["chrf good"]) == len(Embedded().load()) == detail["head"]["rows"]
        and detail["phenomena"]["cells"]["chrf"]
    )
    assert main(["run", "-m", "chrf", "--samples", "20", "--format", "html", "--table", "phenomena"]) == 0
    (detail,) = embedded(capsys.readouterr().out)["details"].values()
    assert [table["name"] for table in detail["tables"]] == ["phenomena"]


def test_a_page_leaves_out_rows_that_are_too_many(result: SuiteResult, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("assay.viewer.page.MOST_ROWS", len(result) + 5)
    found = embedded(page_of([result, result]))
    first, second = found["rows"].values()
    assert len(first["good"]) == len(result) and second["good"] == []
    said = [head["problems"] for head in found["runs"]]
    assert said[0] == [] and f"its {len(result):,} rows are not in this file" in said[1][0]
    assert [detail["phenomena"] is not None for detail in found["details"].values()] == [True, True]


def test_missing_figures_are_noted_once_where_they_would_be(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("assay.report.figures.available", lambda: False)
    asked = ["run", "embedded", "-m", "chrf", "--samples", "20"]
    main([*asked, "--run-dir", str(tmp_path)])
    assert capsys.readouterr().err.count("pip install 'mt-assay[figures]'") == 1
    main([*asked, "--format", "json"])
    assert "figures" not in capsys.readouterr().err


def test_an_unknown_figure_format(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "--figures", "pdf"]) == 2
    assert "'pdf' is not a figure format" in capsys.readouterr().err


def test_a_language_pair_is_taken_alone(result: SuiteResult, tmp_path: Path) -> None:
    pairs = {item.langpair for item in result.content}  # type: ignore[union-attr]
    assert {"de-en", "en-de"} < pairs
    one = run("embedded", ["chrf"], langpair="de-en", samples=5)
    expected = [item.id for item in result.content if item.langpair == "de-en"]  # type: ignore[union-attr]
    assert [item.id for item in one.content] == expected  # type: ignore[union-attr]
    with pytest.raises(UnknownName, match=r"unknown language pair 'en-zz' in .*embedded suite"):
        run("embedded", ["chrf"], langpair="en-zz")
    with pytest.raises(UnknownName, match="unknown langpair 'en-zz' of dfki"):
        run("dfki", ["chrf"], langpair="en-zz")
    file = tmp_path / "pairs.tsv"
    file.write_text("good\tincorrect\treference\tlangpair\na\tb\ta\tde-en\nc\td\tc\tfr-en\n")
    assert len(run(str(file), ["chrf"], langpair="fr-en", samples=5)) == 1
    file.write_text("good\tincorrect\treference\na\tb\ta\nc\td\tc\n")
    assert len(run(str(file), ["chrf"], langpair="fr-en", samples=5)) == 2


def test_judged_segments_of_a_language_pair() -> None:
    judged = Judged(Batch(["a", "b", "c"], langpairs=["x-y", "z-y", "x-y"]), {"da": np.array([1.0, 2.0, 3.0])})
    part = of_langpair(judged, "x-y", "a set")
    assert isinstance(part, Judged) and part.batch.hypotheses == ["a", "c"] and part.scores["da"].tolist() == [1.0, 3.0]


def test_what_cannot_be_is_refused_before_anything_is_scored(tmp_path: Path) -> None:
    """A judge is paid and a network takes hours: a mistyped analysis must not be found out afterwards."""
    asked: list[int] = []

    @assay.metric(needs="translation")
    def dear(hypotheses, references, sources):  # type: ignore[no-untyped-def]
        asked.append(len(hypotheses))
        return [1.0] * len(hypotheses)

    for wrong in (
        {"analysis": "no_such_module:tables"},
        {"analysis": "demet"},
        {"analysis": "judged"},
        {"labels": {"chrf": "another metric"}},
        {"metric_files": [str(tmp_path / "none.tsv")]},
    ):
        with pytest.raises(AssayError):
            run("embedded", [dear], **wrong)  # type: ignore[arg-type]
    (tmp_path / "pairs.jsonl").write_text('{"source": "a", "good": "b", "incorrect": "c", "reference": "b"}\n')
    for wrong in ({"analysis": "demet"}, {"labels": {"bleu": "another metric"}}):
        with pytest.raises(AssayError):
            assay.run(tmp_path / "pairs.jsonl", ["chrf"], out=tmp_path / "out", **wrong)  # type: ignore[arg-type]
        assert not (tmp_path / "out").exists()
    assert not asked
    run("embedded", [dear], samples=2)
    assert asked
