"""``assay decide apply`` over many rows: the labels of one call, chunk by chunk, and nothing scored twice."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import polars
import pytest

import assay
from assay.cli.main import main
from assay.viewer.runs import find_runs
from tests.report.sheets import read

ROWS = 41_000  # two chunks and a bit


@pytest.fixture
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Outcomes in two languages and one with few, and new translations in those and in one that is unknown."""
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    rng = np.random.default_rng(3)
    words = np.array([f"word{i}" for i in range(50)])

    def texts(n: int) -> tuple[np.ndarray, list[str], list[str]]:
        wrong = rng.integers(0, 5, n)
        references = [" ".join(row) for row in words[rng.integers(0, 50, (n, 8))]]
        return (
            wrong,
            [" ".join(["other"] * k + r.split()[k:]) for k, r in zip(wrong.tolist(), references, strict=True)],
            references,
        )

    wrong, mt, ref = texts(620)
    outcome = np.where(rng.random(620) < 0.05 + 0.2 * wrong, "bad", "good")
    languages = ["es"] * 300 + ["pt"] * 300 + ["ro"] * 20
    table = {"source": mt, "translation": mt, "reference": ref, "outcome": outcome, "language": languages}
    polars.DataFrame(table).write_csv(tmp_path / "outcomes.tsv", separator="\t")
    _, mt, ref = texts(ROWS)
    spoken = [("es-en", "pt-en", "ro-en", "ja-en")[i % 4] for i in range(ROWS)]
    polars.DataFrame({"mt": mt, "ref": ref, "langpair": spoken}).write_csv(tmp_path / "new.tsv", separator="\t")
    assert main(["decide", "fit", "--data", str(tmp_path / "outcomes.tsv"), "--out", str(tmp_path / "rule.json")]) == 0
    return tmp_path


def apply(place: Path, format: str, out: str) -> list[str]:
    files = ["--rule", str(place / "rule.json"), "--data", str(place / "new.tsv"), "--out", str(place / out)]
    return ["decide", "apply", *files, "--format", format]


def test_chunks_are_labelled_as_the_whole(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    new = polars.read_csv(place / "new.tsv", separator="\t")
    whole = assay.apply_rule(
        place / "rule.json", new["mt"].to_list(), new["ref"].to_list(), languages=new["langpair"].to_list()
    )
    capsys.readouterr()
    assert main(apply(place, "tsv", "out.tsv")) == 0
    said = " ".join(capsys.readouterr().err.split())
    rows = polars.read_csv(place / "out.tsv", separator="\t")
    new_columns = ["label", "breakdown_probability", "language", "reason", "chrf", "flags"]
    assert rows.columns == [*new.columns, *new_columns] and rows["mt"].to_list() == new["mt"].to_list()
    assert rows["label"].to_list() == whole.labels and rows["reason"].to_list() == whole.columns()["reason"]
    assert rows["language"].unique(maintain_order=True).to_list() == ["es", "pt", "ro", "ja-en"]
    assert "⚠ the guarantee is weaker for ro (90%, from 9 breakdowns)" in said
    assert "⚠ no guarantee for ja-en (10,250 translations) alone" in said
    counts = whole.tally.shares()
    shares = ", ".join(f"{label} {n:,} ({n / ROWS:.1%})" for label, n in counts.items())
    assert f"{ROWS:,} translations: {shares}" in said
    assert main(apply(place, "json", "out.json")) == 0
    read = json.loads((place / "out.json").read_text())
    assert read["counts"] == whole.tally.shares() and read["segments"][-1]["label"] == whole.labels[-1]
    assert read["warnings"] == whole.warnings


def test_a_stopped_run_goes_on(
    place: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main(apply(place, "jsonl", "whole")) == 0
    with monkeypatch.context() as stopping:
        from assay.cli.progress import Progress

        def stop(self: Progress, rows: int, reused: bool = False) -> None:
            self.done += rows
            if self.done >= 40_000:
                raise KeyboardInterrupt

        stopping.setattr(Progress, "add", stop)
        capsys.readouterr()
        assert main(apply(place, "jsonl", "out")) == 130
        assert "the same command again" in capsys.readouterr().err and not (place / "out").exists()
    assert main(apply(place, "jsonl", "out")) == 0
    assert (place / "out").read_bytes() == (place / "whole").read_bytes()
    manifest = json.loads((place / "out.manifest.json").read_text())
    assert (manifest["chunks_reused"], manifest["chunks_scored"]) == (2, 1)
    assert [Path(file["path"]).name for file in manifest["inputs"]] == ["new.tsv", "rule.json"]


def test_a_stopped_run_goes_on_under_the_name_that_the_metric_has_now(
    place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    rule = json.loads((place / "rule.json").read_text())
    with monkeypatch.context() as stopping:
        from assay.cli.progress import Progress

        def stop(self: Progress, rows: int, reused: bool = False) -> None:
            raise KeyboardInterrupt

        stopping.setattr(Progress, "add", stop)
        assert main(apply(place, "jsonl", "out")) == 130
    rule["metrics"][0]["name"] = "chrf:word_order=0"  # another way to ask for the same metric
    (place / "rule.json").write_text(json.dumps(rule))
    assert main(apply(place, "jsonl", "out")) == 0


def test_ready_scores_are_learned_from_and_applied(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    outcomes = polars.read_csv(place / "outcomes.tsv", separator="\t")
    scores = assay.score(outcomes["translation"].to_list(), outcomes["reference"].to_list()).scores["chrf"].values
    outcomes.with_columns(mine=polars.Series(100 - scores)).write_csv(place / "scored.tsv", separator="\t")
    rule, table = place / "mine.json", str(place / "scored.tsv")
    assert main(["decide", "fit", "--data", table, "--score", "mine:lower", "--out", str(rule)]) == 0
    capsys.readouterr()
    assert main(["decide", "apply", "--rule", str(rule), "--data", table, "--format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    # chrF taken from 100 is chrF read the other way round: the labels are those of the rule about chrF.
    texts = outcomes["translation"].to_list(), outcomes["reference"].to_list()
    whole = assay.apply_rule(place / "rule.json", *texts, languages=outcomes["language"].to_list())
    assert [row["label"] for row in rows] == whole.labels
    assert rows[0]["reason"].startswith("mine ") and ", used below " in rows[0]["reason"]
    assert main(["decide", "apply", "--rule", str(rule), "--data", str(place / "new.tsv")]) == 2
    assert "new.tsv. Available: mt, ref, langpair" in capsys.readouterr().err
    (place / "none.tsv").write_text("mine\n")
    assert main(["decide", "apply", "--rule", str(rule), "--data", str(place / "none.tsv"), "--format", "json"]) == 2
    said = capsys.readouterr()
    assert "none.tsv contains no rows to label." in said.err and not said.out
    assert main(["decide", "apply", str(rule), table, "--lang", "es", "--format", "jsonl"]) == 0
    assert len(capsys.readouterr().out.splitlines()) == 620
    (place / "text").write_text("one\n")
    assert main(["decide", "apply", "--rule", str(rule), "--mt", str(place / "text")]) == 2
    assert "Specify a table that contains them: --data FILE (mine)" in capsys.readouterr().err


@pytest.mark.parametrize("twice", [["-m", "chrf", "--score", "chrf"], ["--score", "chrf", "--score", "chrf:lower"]])
@pytest.mark.parametrize("verb", [["decide", "fit"], ["breakdown", "--dev-share", "0.5"]])
def test_a_metric_and_a_column_of_one_name_are_refused(
    verb: list[str], twice: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [f"a b\ta c\t{('bad', 'good')[i % 2]}\tes\t{i}" for i in range(40)]
    table = tmp_path / "outcomes.tsv"
    table.write_text("\n".join(["translation\treference\toutcome\tlanguage\tchrf", *rows]) + "\n")
    assert main([*verb, "--data", str(table), *twice]) == 2
    assert "chrf is requested twice. Remove one of the requests, or rename the score column" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit", "--data", "outcomes.tsv", "--lang", "es"], "--lang is an option of assay decide apply, not of assay decide fit."),
        (["fit", "--mt", "x"], "--mt is an option of assay decide apply, not of assay decide fit."),
        (["apply", "--rule", "rule.json", "--data", "new.tsv", "--goal", "catch 90%"],
         "--goal is an option of assay decide fit, not of assay decide apply."),
        (["apply", "--rule", "rule.json", "--data", "new.tsv", "--reject-at", "0.3"],
         "--reject-at is an option of assay decide fit, not of assay decide apply."),
    ],
)  # fmt: skip
def test_options_of_the_other_action_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["decide", *arguments]) == 2
    assert capsys.readouterr().err == f"assay: {message}\n"


@pytest.mark.parametrize("suffix", ["parquet", "xlsx"])
def test_labels_in_forms_for_other_tools(suffix: str, place: Path) -> None:
    """The rows of the TSV, whole; the suffix alone chooses the form."""
    few = polars.read_csv(place / "new.tsv", separator="\t").head(50)
    few.write_csv(place / "few.tsv", separator="\t")
    words = [
        "decide",
        "apply",
        "--rule",
        str(place / "rule.json"),
        "--data",
        str(place / "few.tsv"),
        "--quiet",
        "--out",
    ]
    assert main([*words, str(place / f"x.{suffix}")]) == 0
    assert main([*words, str(place / "x.tsv")]) == 0
    plain = polars.read_csv(place / "x.tsv", separator="\t")
    if suffix == "parquet":
        found = polars.read_parquet(place / "x.parquet")
        assert found.columns == plain.columns and found["label"].to_list() == plain["label"].to_list()
    else:
        heading, *rows = read(place / "x.xlsx")["segments"]
        assert heading == plain.columns
        assert [row[heading.index("label")] for row in rows] == plain["label"].to_list()


@pytest.mark.parametrize("format", ["tsv", "csv", "jsonl", "parquet", "json"])
def test_labels_keep_id_document_scores_flags_and_texts(
    place: Path, capsys: pytest.CaptureFixture[str], format: str
) -> None:
    (place / "new.tsv").write_text(
        "id\tdoc\tmt\tref\tlp\nx1\td\tword1, word2\tword1 word2\tes-en\nx2\td\t\tword3\tes-en\n"
    )
    out = f"out.{format}"
    assert main([*apply(place, format, out), "--texts"]) == 0
    path = place / out
    if format == "parquet":
        rows = polars.read_parquet(path).to_dicts()
    elif format == "json":
        whole = json.loads(path.read_text())
        rows = whole["segments"]
        assert whole["flags"] == {"new.tsv": {"empty_hypothesis": 1}}
    elif format == "jsonl":
        rows = [json.loads(line) for line in path.read_text().splitlines()]
    else:
        rows = polars.read_csv(path, separator="\t" if format == "tsv" else ",").fill_null("").to_dicts()
        assert list(rows[0])[:5] == ["id", "doc", "mt", "ref", "lp"]
        rows = [{**row, "flags": row["flags"].split(",") if row["flags"] else []} for row in rows]
    assert [(row["id"], row["doc"], row["mt"], row["ref"]) for row in rows] == [
        ("x1", "d", "word1, word2", "word1 word2"),
        ("x2", "d", "", "word3"),
    ]
    assert [row["flags"] for row in rows] == [[], ["empty_hypothesis"]]
    expected = assay.score(["word1, word2", ""], ["word1 word2", "word3"], metrics=["chrf"]).segments["chrf"]
    assert [row.get("scores", row)["chrf"] for row in rows] == expected.tolist()


def test_ready_scores_keep_id_and_document(place: Path) -> None:
    (place / "ready.tsv").write_text(
        "mt\tlanguage\tz\toutcome\n" + "".join(f"m\tes\t{i % 7}\t{i % 7 > 2:d}\n" for i in range(200))
    )
    rule = str(place / "ready.json")
    assert main(["decide", "fit", "--data", str(place / "ready.tsv"), "--score", "z", "--out", rule]) == 0
    (place / "new.tsv").write_text("seg_id\tdoc\tz\n7\ta\t6\n8\tb\t0\n")
    out = place / "out.jsonl"
    data = ["--data", str(place / "new.tsv"), "--format", "jsonl", "--out", str(out)]
    assert main(["decide", "apply", "--rule", rule, "--lang", "es", *data]) == 0
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["seg_id"], row["doc"], row["z"]) for row in rows] == [("7", "a", "6"), ("8", "b", "0")]
    assert [row["label"] for row in rows] == ["use", "reject"]


def test_rows_that_score_wrote_bring_their_scores(place: Path) -> None:
    """Scores inside `scores` are read by fit and by apply, and stay where they are."""
    table, rule = place / "scored.jsonl", place / "ready.json"
    assert main(["score", "-m", "chrf", "--data", str(place / "outcomes.tsv"), "--out", str(table)]) == 0
    assert main(["decide", "fit", "--data", str(table), "--score", "chrf", "--out", str(rule)]) == 0
    out = place / "labels.jsonl"
    assert main(["decide", "apply", "--rule", str(rule), "--data", str(table), "--out", str(out)]) == 0
    before, after = ([json.loads(line) for line in path.read_text().splitlines()] for path in (table, out))
    assert [{name: row[name] for name in before[0]} for row in after] == before
    assert {row["label"] for row in after} <= {"use", "review", "reject"} and "chrf" not in after[0]


def test_a_run_directory_keeps_every_label_for_the_page(place: Path) -> None:
    """Labels that were scored chunk by chunk are kept as they went out, and the limits count them all."""
    assert main([*apply(place, "jsonl", "out.jsonl"), "--run-dir", str(place / "run"), "--quiet"]) == 0
    (run,) = find_runs([place / "run"])
    sent = [json.loads(line) for line in (place / "out.jsonl").read_text().splitlines()]
    assert len(run.rows) == ROWS and list(run.rows.columns["label"]) == [row["label"] for row in sent]
    assert list(run.rows.columns["segment"]) == list(range(1, ROWS + 1)) and run.rows.columns["mt"][0]
    assert run.deciding is not None
    every, *languages = run.deciding.sweeps
    assert every.used[0] + every.review[0] + every.rejected[0] == ROWS
    assert [one.language for one in languages] == ["es", "pt", "ro", "ja-en"]
    fit = [
        "decide",
        "fit",
        "--data",
        str(place / "outcomes.tsv"),
        "--dev-share",
        "0.5",
        "--run-dir",
        str(place / "rule"),
    ]
    assert main([*fit, "--quiet"]) == 0
    (run,) = find_runs([place / "rule"])
    assert run.deciding is not None and run.deciding.goal == "catch 95% of breakdowns" and len(run.rows) == 620
