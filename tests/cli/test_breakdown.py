from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pytest

from assay.cli.main import main


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """240 outcomes in two languages: texts with more wrong words break more often."""
    rng = np.random.default_rng(3)
    lines = ["id\tsource\ttranslation\treference\toutcome\tlanguage\tsplit"]
    for i in range(240):
        wrong = int(rng.integers(0, 5))
        words = [f"word{rng.integers(0, 50)}" for _ in range(8)]
        mt = ["other"] * wrong + words[wrong:]
        bad = rng.random() < 0.05 + 0.2 * wrong
        cells = [str(i), "src", " ".join(mt), " ".join(words), "bad" if bad else "good", "es" if i % 3 else "pt"]
        lines.append("\t".join([*cells, "dev" if i % 2 else "test"]))
    path = tmp_path / "outcomes.tsv"
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


def test_breakdown_prints_table_1(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["breakdown", "--data", str(table), "-m", "chrf", "-m", "bleu", "-m", "ter", "--samples", "50"]) == 0
    out = capsys.readouterr().out
    assert "macro-F1" in out and "MCC" in out and "random" in out and "majority of 3" in out


def test_breakdown_as_json_and_in_a_run_directory(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = tmp_path / "run"
    assert (
        main(
            [
                "breakdown",
                "--data",
                str(table),
                "-m",
                "chrf",
                "--format",
                "json",
                "--run-dir",
                str(run),
                "--samples",
                "50",
            ]
        )
        == 0
    )
    read = json.loads(capsys.readouterr().out)
    assert {"summary", "languages", "balance", "thresholds", "cases"} <= set(read["tables"])
    assert {"outcomes.tsv", "scores.parquet", "tables.json", "manifest.json", "cases.png"} <= {
        path.name for path in run.iterdir()
    }


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "pass either outcomes with --data"),
        (["--data", "DATA", "--task", "parsing"], "or a task with --task"),
        (["--task", "parsing"], "--langs es,pt"),
        (["--task", "parsng", "--langs", "es"], "unknown task 'parsng'. Did you mean parsing"),
        (["--task", "parsing", "--langs", "es", "--translator", "apertum"], "unknown translator 'apertum'"),
        (["--data", "DATA", "--langs", "fr"], "unknown language 'fr' in outcomes.tsv"),
        (["--data", "DATA", "--dev-share", "2"], "between 0 and 1"),
        (["--data", "DATA", "--table", "pseudo"], "unknown table 'pseudo' of these outcomes"),
        (["--data", "nowhere.tsv"], "nowhere.tsv"),
    ],
)
def test_wrong_wishes_end_in_one_line(
    table: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(table) if argument == "DATA" else argument for argument in arguments]
    assert main(["breakdown", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.startswith("assay: ") and error.count("\n") == 1


def test_a_table_without_a_split_is_split_on_request(table: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [line.rpartition("\t")[0] for line in table.read_text().splitlines()]
    table.write_text("\n".join(lines) + "\n")
    assert main(["breakdown", "--data", str(table), "-m", "chrf"]) == 2
    assert "--dev-share 0.5" in capsys.readouterr().err
    assert main(["breakdown", "--data", str(table), "-m", "chrf", "--dev-share", "0.5", "--samples", "50"]) == 0
    assert "120 development and 120 test" in capsys.readouterr().out


def test_a_person_names_the_error_types(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = tmp_path / "kept.jsonl"
    base = ["breakdown", "--data", str(table), "-m", "chrf", "--samples", "50", "--decisions", str(kept)]
    monkeypatch.setattr("sys.stdin", io.StringIO("m\nn\nt\n"))
    assert main([*base, "--review", "--table", "errors"]) == 0
    out = capsys.readouterr()
    assert "3 named" in out.err and "broke down, but chrf accepted it" in out.out
    assert "mistranslation" in out.out and "no error" in out.out
    assert main([*base, "--table", "errors", "--format", "json"]) == 0
    rows = json.loads(capsys.readouterr().out)["tables"]["errors"]
    assert {(row["error_type"], row["n"], row["task_model"]) for row in rows} == {
        ("mistranslation", 1, 1),
        ("no error", 1, 1),
    }


def test_fit_and_apply(table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rule, mt, ref = tmp_path / "rule.json", tmp_path / "mt", tmp_path / "ref"
    assert main(["decide", "fit", "--data", str(table), "-m", "chrf", "--goal", "catch 80%", "--out", str(rule)]) == 0
    out = capsys.readouterr()
    assert "catch 80% of breakdowns" in out.out and "caught, %" in out.out and "wrote" in out.err
    mt.write_text("word1 word2 word3\nother other other\n")
    ref.write_text("word1 word2 word3\nword4 word5 word6\n")
    base = ["decide", "apply", "--rule", str(rule), "--mt", str(mt), "--ref", str(ref), "--lang", "es"]
    assert main([*base, "--format", "jsonl"]) == 0
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [row["label"] for row in rows] == ["use", "reject"]
    assert rows[1]["breakdown_probability"] > 0.5 and rows[1]["reason"].startswith("chrf ")
    assert main([*base, "--format", "json"]) == 0
    assert json.loads(capsys.readouterr().out)["counts"] == {"use": 1, "review": 0, "reject": 1}
    assert main(base) == 0
    assert "use" in capsys.readouterr().out


def test_a_rule_learned_with_another_metric_is_refused(
    table: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rule = tmp_path / "rule.json"
    assert main(["decide", "fit", "--data", str(table), "-m", "chrf", "--goal", "catch 80%", "--out", str(rule)]) == 0
    read = json.loads(rule.read_text())
    read["metrics"][0]["signature"] = read["metrics"][0]["signature"].replace("nc:6", "nc:5")
    rule.write_text(json.dumps(read))
    capsys.readouterr()
    assert main(["decide", "apply", "--rule", str(rule), "--mt", str(table), "--ref", str(table)]) == 2
    assert "Learn the rule again" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["fit"], "--data outcomes.tsv"),
        (["apply"], "--rule rule.json"),
        (["apply", "--rule", "nowhere.json"], "nowhere.json does not exist"),
        (["fit", "--data", "DATA", "--goal", "be nice"], "is unknown. Use 'catch 95%'"),
        (["fit", "--data", "DATA", "--reject-at", "0"], "probability greater than 0"),
        (["apply", "--rule", "DATA", "--mt", "x"], "is not a rule"),
    ],
)
def test_wrong_decisions_end_in_one_line(
    table: Path, arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = [str(table) if argument == "DATA" else argument for argument in arguments]
    assert main(["decide", *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1


def test_a_terminal_shows_the_tables_by_language_and_one_language_has_none(
    table: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    command = ["breakdown", "--data", str(table), "-m", "chrf", "--samples", "50"]
    assert main(command) == 0
    out = capsys.readouterr().out
    assert "Macro-F1 by language" in out and "MCC by language" in out and out.count("seed 12345") == 1
    assert main([*command, "--langs", "es"]) == 0
    assert "by language" not in capsys.readouterr().out


def test_a_judge_on_the_command_line(
    table: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    command = ["breakdown", "--data", str(table), "-m", "chrf", "--samples", "50", "--judge"]
    judge = "cmd:sed -E 's/.*other other other.*/0.1/; t; s/.*other.*/0.6/; t; s/.*/1/'"
    assert main([*command, judge]) == 0
    assert "Graded outcomes" in capsys.readouterr().out
    assert len((tmp_path / "judged.jsonl").read_text().splitlines()) == 240
    assert main([*command, judge, "--success-at", "0.5", "--judged", str(tmp_path / "judged.jsonl")]) == 0
    assert "MCC" in capsys.readouterr().out
    for wrong, said in (
        ([*command, "sed"], "write cmd: followed by a command"),
        (["breakdown", "--task", "parsing", "--judge", "cmd:cat"], "require --data"),
        (["breakdown", "--data", str(table), "--judged", "x"], "--judged requires --judge"),
        (["decide", "apply", "--rule", "r.json", "--judge", "cmd:cat"], "--judge is an option of assay decide fit"),
    ):
        assert main(wrong) == 2
        assert said in capsys.readouterr().err
