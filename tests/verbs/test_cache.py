"""What the cache folder holds, counted by hand."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from assay.engine.progress_file import ProgressFile
from assay.engine.store import Store
from assay.io.files.paths import progress_dir, store_dir
from assay.verbs.cache import clear, info


def test_kept_scores_and_unfinished_runs_are_counted_and_cleared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    empty = info()
    assert (empty.folder, empty.scores, empty.unfinished) == (tmp_path / "cache", 0, 0)
    store = Store(store_dir())
    store.put_many([(bytes(16), b"one"), (bytes(15) + b"1", b"two")])
    store.close()
    run = ProgressFile.open("a run", progress_dir())
    run.put(0, bytes(16), {"values": np.zeros(3)})
    run.close()
    held = info()
    assert (held.scores, held.unfinished, held.damaged) == (2, 1, 0) and held.size > 0 and held.unfinished_size > 0
    assert {row["what"]: row["value"] for row in held.table().rows}["scores kept"] == "2"
    assert clear().unfinished == 1
    assert (info().scores, info().unfinished) == (0, 0)


def test_answers_were_paid_for_and_go_only_when_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ASSAY_CACHE_DIR", str(tmp_path / "cache"))
    store = Store(store_dir())
    store.put_many([(bytes(16), b"a score")])
    store.answers.put_many([(bytes(16), b"an answer")])
    clear()
    assert (info().scores, info().answers) == (0, 1)
    clear(answers=True)
    assert info().answers == 0
