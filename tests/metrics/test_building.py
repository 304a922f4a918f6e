"""Metrics by name, several at a time: what is missing is said of all of them, before anything is fetched in vain."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli.main import main
from assay.core.errors import MissingPart
from assay.metrics import build_metrics

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")


@pytest.fixture(autouse=True)
def nothing_here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setenv("HF_HOME", str(tmp_path / "hub"))


def test_all_that_is_missing_is_said_in_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    names = ["chrf", "bertscore", "bleurt-20", "metricx-24-xl", "gemba-mqm", "prism:lang=de", "prism-qe"]
    assert main(["run", "embedded", *(word for name in names for word in ("-m", name))]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1
    for command in ("bert-base-multilingual-cased", "bleurt-20", "metricx-24-xl", "gemba", "m39v1"):
        assert f"assay fetch {command}" in said
    for name in (
        "bertscore: the encoder",
        "bleurt-20 is not",
        "metricx-24-xl is not",
        "prism: m39v1",
        "prism-qe: m39v1",
    ):
        assert name in said


@pytest.mark.parametrize("name", ["bartscore", "labse-sim", "yisi1:ngram=2", "comet-22"])
def test_one_that_is_missing_is_said_by_its_name(name: str) -> None:
    with pytest.raises(MissingPart, match=f"^{name.partition(':')[0]}(:| is not)"):
        build_metrics(["chrf", name])


@pytest.mark.parametrize(("name", "instead"), [("reuse", "labse-sim"), ("kg-bertscore", "bertscore")])
def test_a_metric_that_was_left_out_says_why(name: str, instead: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["score", "-m", name, "--data", "demo"]) == 2
    said = capsys.readouterr().err
    assert f"assay has no metric {name}" in said and instead in said and said.count("\n") == 1
