from __future__ import annotations

from pathlib import Path

import pytest

from assay.cli.main import main

pytest.importorskip("yaml", reason="training needs the extra 'neural'")


def test_the_example_is_written_and_a_dry_run_counts_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["train", "--example", str(tmp_path / "trial")]) == 0
    assert "Try: assay train" in capsys.readouterr().out
    assert main(["train", str(tmp_path / "trial" / "train.yaml"), "--dry-run"]) == 0
    told = capsys.readouterr()
    assert "0.983" in told.out
    assert "synthetic hallucinations added" in told.err
    assert not (tmp_path / "trial" / "run").exists()


def test_wrong_configurations_are_one_line_and_exit_2(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "train.yaml"
    path.write_text("output: run\nphasess: []\n")
    assert main(["train", str(path)]) == 2
    assert capsys.readouterr().err == "assay: unknown key 'phasess'. Did you mean phases? (in train.yaml)\n"
    assert main(["train"]) == 2
    assert "assay train requires a configuration" in capsys.readouterr().err
    path.write_text("output: run\nphases: [{data: [{path: gone.tsv, format: da}]}]\n")
    assert main(["train", str(path)]) == 2
    assert "the training data" in capsys.readouterr().err


def test_missing_torch_is_an_instruction(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    main(["train", "--example", str(tmp_path)])
    monkeypatch.setitem(__import__("sys").modules, "torch", None)
    assert main(["train", str(tmp_path / "train.yaml")]) == 2
    assert "pip install 'mt-assay[neural]'" in capsys.readouterr().err
