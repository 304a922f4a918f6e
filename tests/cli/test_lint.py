"""`assay lint` as typed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.cli.main import main


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "t.tsv"
    path.write_text(
        "src\tmt\tlangpair\nSigned in 1979.\tUnterzeichnet 1997.\ten-de\nThe house is old.\tDas Haus ist alt.\ten-de\n"
        "Hello {name}\tHallo\ten-de\n"
    )
    return str(path)


def test_json_lines_have_one_finding_each(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--data", table, "--format", "jsonl", "-q"]) == 0
    findings = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert [(f["row"], f["check"], f["start"], f["end"]) for f in findings] == [
        (1, "numbers", 14, 18),
        (3, "placeholders", 5, 5),
    ]
    assert set(findings[0]) >= {"source_start", "source_end", "category", "severity", "reason", "suggestion"}


def test_table_and_exit_code(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--data", table, "--fail-on", "major"]) == 1
    out = capsys.readouterr().out
    assert "1979 in the source, 1997 in the translation" in out and "2 findings in 2 of 3 translations" in out
    assert main(["lint", "--data", table, "--fail-on", "critical", "-q"]) == 0
    assert main(["lint", "--data", table, "--select", "repetition", "--fail-on", "minor"]) == 0


@pytest.mark.parametrize("format", ["json", "sarif", "github", "csv", "tsv", "xlsx", "md", "html"])
def test_formats(table: str, format: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / f"findings.{format}"
    assert main(["lint", "--data", table, "--format", format, "--out", str(out), "-q"]) == 0
    content = out.read_bytes()
    if format == "xlsx":
        assert content[:2] == b"PK"
    else:
        assert b"1997" in content
    if format == "github":
        assert content.decode().startswith(f"::error file={table},line=1::numbers: 1979 in the source")


def test_the_checks_are_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--list"]) == 0
    assert "placeholders" in capsys.readouterr().out


def test_an_unknown_check_is_named(table: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["lint", "--data", table, "--select", "number"]) == 2
    assert "number" in capsys.readouterr().err


def test_an_empty_table_does_not_pass(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.tsv").write_text("src\tmt\tlangpair\n")
    assert main(["lint", "--data", str(tmp_path / "t.tsv"), "--fail-on", "minor"]) == 2
    assert "has no translations to check" in capsys.readouterr().err


def test_missing_languages_and_sources_are_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "t.tsv").write_text("src\tmt\nOn Monday.\tAm Dienstag.\n\tWann?\n")
    assert main(["lint", "--data", str(tmp_path / "t.tsv")]) == 0
    err = " ".join(capsys.readouterr().err.split())
    assert "2 translations without a language pair" in err and "1 translation without a source" in err


def test_the_suffix_selects_sarif(table: str, tmp_path: Path) -> None:
    assert main(["lint", "--data", table, "--out", str(tmp_path / "x.sarif"), "-q"]) == 0
    assert json.loads((tmp_path / "x.sarif").read_text())["version"] == "2.1.0"
