from __future__ import annotations

from pathlib import Path

import pytest

from assay.io.files.paths import cache_dir, progress_dir, store_dir


def test_where_the_cache_lives(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.delenv("ASSAY_CACHE_DIR", raising=False)
    monkeypatch.delenv("XDG_CACHE_HOME", raising=False)
    assert cache_dir() == tmp_path / ".cache" / "assay"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative")
    assert cache_dir() == tmp_path / ".cache" / "assay"
    monkeypatch.setenv("XDG_CACHE_HOME", "/xdg")
    assert cache_dir() == Path("/xdg/assay")
    monkeypatch.setenv("ASSAY_CACHE_DIR", "~/mine")
    assert cache_dir() == tmp_path / "mine"
    assert store_dir().parent == progress_dir().parent == tmp_path / "mine"
