from __future__ import annotations

import json

import pytest

from assay.cli.main import main


def facts(capsys: pytest.CaptureFixture[str], *words: str) -> dict[str, str]:
    assert main(["list", *words, "--format", "json"]) == 0
    (rows,) = json.loads(capsys.readouterr().out)["tables"].values()
    return {row["field"]: row["value"] for row in rows}


def test_a_metric_in_full_has_its_options_as_they_are_typed(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "metrics", "bleu")
    assert found["option smooth_method"] == "exp, floor, add-k, none (default: exp)"
    assert found["option lowercase"] == "yes or no (default: no)"
    assert found["option smooth_value"] == "a number"


def test_a_suite_in_full_says_how_to_get_it(capsys: pytest.CaptureFixture[str]) -> None:
    found = facts(capsys, "suites", "demetr")
    assert found["licence"] == "MIT"
    assert "assay fetch demetr" in found["to get it"] and "--data-dir" in found["folder"]


@pytest.mark.parametrize(
    ("kind", "name", "about"),
    [
        ("perturbations", "word-swap", "two adjacent words swapped"),
        ("analyses", "demetr", "Karpinska"),
        ("tasks", "parsing", "flights"),
        ("translators", "cmd", "shell command"),
    ],
)
def test_one_of_every_kind(kind: str, name: str, about: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert about in facts(capsys, kind, name)["about"]
    assert main(["list", kind, f"{name}x"]) == 2
    assert f"Did you mean {name}" in capsys.readouterr().err


def test_bare_list_is_an_overview(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["list", "--format", "json"]) == 0
    rows = {row["kind"]: row for row in json.loads(capsys.readouterr().out)["tables"]["overview"]}
    assert list(rows) == ["metrics", "suites", "analyses", "perturbations", "tasks", "translators"]
    for kind, row in rows.items():
        assert main(["list", kind, "--format", "json"]) == 0
        assert (
            len(next(iter(json.loads(capsys.readouterr().out)["tables"].values()))) == row["n"]
            or kind == "perturbations"
        )
