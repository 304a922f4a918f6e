"""Where spBLEU's models are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest
from sacrebleu.tokenizers.tokenizer_spm import SPM_MODELS as THEIRS

from assay.io.resources.spm import SPM_MODELS, find_spm, spm_home


def test_names_are_those_of_sacrebleu() -> None:
    for name, model in SPM_MODELS.items():
        assert model.sacrebleu_file == THEIRS[name]["url"].rpartition("/")[2]


def test_our_copy_comes_before_sacrebleus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "ours"))
    monkeypatch.setenv("SACREBLEU", str(tmp_path / "theirs"))
    assert find_spm("flores200") is None
    theirs = tmp_path / "theirs" / "models" / "flores200sacrebleuspm"
    for path in (theirs, spm_home("flores200")):
        path.parent.mkdir(parents=True)
        path.touch()
        assert find_spm("flores200") == path
    assert spm_home("flores200") == tmp_path / "ours" / "spm" / "flores200.model"


def test_without_variables_the_home_folder_counts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ASSAY_CACHE_DIR", raising=False)
    monkeypatch.delenv("SACREBLEU", raising=False)
    assert spm_home("flores101") == tmp_path / ".cache" / "assay" / "spm" / "flores101.model"
    theirs = tmp_path / ".sacrebleu" / "models" / "sacrebleu_tokenizer_spm.model"
    theirs.parent.mkdir(parents=True)
    theirs.touch()
    assert find_spm("flores101") == theirs
