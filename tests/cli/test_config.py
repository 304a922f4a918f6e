"""Defaults from assay.toml or pyproject.toml: what is typed wins, and no file decides what is run or written."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.config import ALLOWED
from assay.cli.main import main


@pytest.fixture(autouse=True)
def place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    Path("h").write_text("a cat\na dog\n")
    Path("r").write_text("a cat\nthe dog\n")
    return tmp_path


def metrics(capsys: pytest.CaptureFixture[str], *words: str) -> list[str]:
    assert main(["score", *words, "--format", "json"]) == 0
    return list(json.loads(capsys.readouterr().out)["systems"]["h"])


def test_the_file_fills_in_what_was_not_typed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("assay.toml").write_text(
        'metric = ["chrf", "bleu:tokenize=char"]\nseed = 7\n[score]\nref = "r"\n[run]\nsamples = 9\n'
    )
    assert metrics(capsys, "h") == ["chrf", "bleu:tokenize=char"]
    assert metrics(capsys, "h", "-m", "ter") == ["ter"]  # replaced, not added to
    assert main(["score", "h", "--ci", "--out", "o.json"]) == 0
    manifest = json.loads(Path("o.json.manifest.json").read_text())
    assert manifest["seed"] == 7 and manifest["call"]["arguments"]["samples"] == 1000
    assert main(["score", "h", "--no-config"]) == 2


def test_verbose_says_what_came_from_the_file(capsys: pytest.CaptureFixture[str]) -> None:
    Path("assay.toml").write_text('metric = ["chrf", "ter"]\nseed = 7\nci = true\n')
    assert main(["score", "h", "--ref", "r", "--seed", "8", "-v"]) == 0
    assert capsys.readouterr().err == " assay.toml sets metric = chrf ter, ci = True\n"
    assert main(["score", "h", "--ref", "r"]) == 0
    assert capsys.readouterr().err == " assay.toml sets metric = chrf ter\n"
    Path("assay.toml").write_text("seed = 7\nci = true\n")
    assert main(["score", "h", "--ref", "r", "-m", "chrf"]) == 0
    assert capsys.readouterr().err == ""


def test_a_table_in_pyproject_does_as_well(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pyproject.toml").write_text('[project]\nname = "x"\n[tool.assay]\nmetric = "chrf"\n')
    assert metrics(capsys, "h", "--ref", "r") == ["chrf"]
    Path("assay.toml").write_text('metric = "ter"\n')
    assert metrics(capsys, "h", "--ref", "r") == ["ter"]
    Path("assay.toml").unlink()
    Path("pyproject.toml").write_text("broken [")  # no affair of ours
    assert metrics(capsys, "h", "--ref", "r", "-m", "cer") == ["cer"]


def test_a_suffix_is_typed(capsys: pytest.CaptureFixture[str]) -> None:
    Path("assay.toml").write_text('format = "csv"\nmetric = "chrf"\n')
    assert main(["score", "h", "--ref", "r", "--out", "x.json"]) == 0
    assert json.loads(Path("x.json").read_text())["systems"]
    assert main(["score", "h", "--ref", "r"]) == 0
    assert capsys.readouterr().out.startswith("system,segment,mt,ref,chrf,flags\n")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ('metric = "evil:Metric"', "assay.toml: only the command line can name the metric 'evil:Metric'"),
        ('metric = "./folder"', "assay.toml: only the command line can name the metric './folder'"),
        ('[score]\nmetric = ["chrf", "evil:Metric"]', "only the command line can name the metric 'evil:Metric'"),
        ('out = "x.json"', "assay.toml: only the command line can set out"),
        ('[run]\nexport = "x"', "assay.toml: only the command line can set run.export"),
        ("trust = true", "assay.toml: only the command line can set trust"),
        ('[breakdown]\ntranslator = "cmd:touch ran"', "assay.toml: only the command line can set breakdown.translator"),
        ("metrix = 1", "unknown option 'metrix'. Did you mean metric?"),
        ("[scoree]\nseed = 1", "unknown verb 'scoree' in assay.toml. Did you mean score"),
        ("[score]\ntrials = 3", "unknown option 'trials' of assay score."),
        ('seed = "x"', "assay.toml: seed: 'x' is not a whole number"),
        ("seed = [1, 2]", "assay.toml: seed must be a single value, not a list"),
        ("seed = true", "assay.toml: seed must be a string or a number"),
        ("ci = 1", "assay.toml: ci must be true or false"),
        ('format = "htm"', "unknown format 'htm' in assay.toml. Did you mean html?"),
        ("= 3", "assay.toml is not valid TOML"),
    ],
)
def test_what_a_file_must_not_say(text: str, said: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("evil.py").write_text("open('ran', 'w')\n")
    Path("assay.toml").write_text(text + "\n")
    assert main(["score", "h", "--ref", "r", "-m", "chrf"]) == 2
    told = capsys.readouterr().err
    assert said in told and told.count("\n") == 1
    assert not Path("ran").exists()


def test_a_gate_takes_no_code_from_the_file_either(capsys: pytest.CaptureFixture[str]) -> None:
    """``check -m`` takes one metric, not a list: the same rule holds."""
    Path("assay.toml").write_text('[check]\nmetric = "evil:Metric"\n')
    assert main(["check", "--against", "card.json"]) == 2
    assert "only the command line can name the metric 'evil:Metric'" in capsys.readouterr().err


def test_nothing_that_runs_or_writes_is_allowed() -> None:
    assert not {"out", "run-dir", "export", "trust", "translator", "task", "error", "perturbation", "analysis"} & set(
        ALLOWED
    )


def test_one_column_cannot_be_translation_and_reference(capsys: pytest.CaptureFixture[str]) -> None:
    Path("t.tsv").write_text("mt\tref\na cat\tthe cat\n")
    Path("assay.toml").write_text('[score]\ncolumns = "mt=ref,ref=ref"\nmetric = "chrf"\n')
    assert main(["score", "--data", "t.tsv"]) == 2
    assert "chooses 'ref' of t.tsv as hypothesis and as reference" in capsys.readouterr().err


@pytest.mark.parametrize("name", ["src", "ref"])
@pytest.mark.parametrize("given", ["/etc/hostname", "../secret", "~/secret", "link"])
def test_a_file_names_inputs_of_its_own_folder_only(name: str, given: str, capsys: pytest.CaptureFixture[str]) -> None:
    Path("../secret").write_text("a\nb\n")
    Path("link").symlink_to(Path("../secret").absolute())
    Path("assay.toml").write_text(f'{name} = "{given}"\n')
    assert main(["score", "h", "-m", "chrf"]) == 2
    said = capsys.readouterr().err
    assert f"assay.toml sets {name} = {given}, which is outside this folder. Add --{name}" in said
    assert said.count("\n") == 1


@pytest.mark.parametrize("section", ["", "[fetch]\n"])
def test_a_file_does_not_say_where_fetch_writes(
    section: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("assay.toml").write_text(f'{section}data-dir = "{tmp_path / "made"}"\n')
    assert main(["fetch", "demetr"]) == 2
    assert "where assay fetch writes; only the command line can set it. Add --data-dir" in capsys.readouterr().err
    assert not (tmp_path / "made").exists()
