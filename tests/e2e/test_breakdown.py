"""A real task, a real translator, a real database: the command of the documentation, where Apertium is installed."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from assay.cli.main import main


@pytest.mark.slow
def test_parsing_through_apertium_and_a_rule_from_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    if shutil.which("apertium") is None:
        pytest.skip("apertium is not installed (apt-get install apertium apertium-eng-spa)")
    run = tmp_path / "run"
    metrics = [part for name in ("chrf", "bleu", "ter", "rouge2", "cer", "chrf++") for part in ("-m", name)]
    command = ["breakdown", "--task", "parsing", "--langs", "es", "--translator", "apertium", *metrics]
    assert main([*command, "--run-dir", str(run), "--format", "json", "--samples", "200"]) == 0
    tables = json.loads(capsys.readouterr().out)["tables"]
    assert [row["metric"] for row in tables["summary"]] == [
        "random", "chrf", "bleu", "ter", "rouge2", "cer", "chrf++", "majority of 3",
    ]  # fmt: skip
    balance = tables["balance"][0]
    assert balance["test_good"] > 20 and balance["test_bad"] > 20
    assert all(row["mcc"] > 0.1 for row in tables["summary"][1:]), "no metric is blind here"
    rule = tmp_path / "rule.json"
    assert (
        main(
            [
                "decide",
                "fit",
                "--data",
                str(run / "outcomes.tsv"),
                "-m",
                "chrf",
                "--goal",
                "catch 90%",
                "--out",
                str(rule),
            ]
        )
        == 0
    )
    checked = json.loads(rule.read_text())["card"]["checked"]["all"]
    assert checked["caught"] > 0.8
