"""Training as a program does it: an example, what it would train on, and a few steps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from assay.verbs.train import example, preview, train

pytest.importorskip("yaml", reason="training needs the extra 'neural'")


def test_the_data_of_every_phase_is_counted(tmp_path: Path) -> None:
    path = example(tmp_path)
    assert path == tmp_path / "train.yaml"
    data = preview(path)
    rows = {row["phase"]: row for row in data.table().rows}
    # 500 records are asked for in the first phase, some of them held out; every toy record has a score, tags and a reference.
    first = rows["sentences"]
    assert first["records"] + first["held_out"] == 500 and first["held_out"] > 0
    assert first["records"] == first["scores"] == first["spans"] == first["references"]
    assert [rows[name]["lambda"] for name in ("sentences", "words", "both")] == [0.0, 0.983, 0.055]
    assert any("hallucinations added" in note for note in data.notes)
    assert not (tmp_path / "run").exists()


class Watcher:
    def __init__(self) -> None:
        self.told: list[Any] = []

    def note(self, sentence: str) -> None:
        self.told.append(sentence)

    def phase(self, config: Any, records: int, first: int, steps: int) -> None:
        self.told.append((config.name, first, steps))

    def step(self, number: int, loss: float) -> None:
        self.told.append(number)

    def evaluated(self, config: Any, number: int, seen: Any) -> None:
        self.told.append("evaluated")


def test_a_few_steps_give_a_metric_that_scores(tmp_path: Path) -> None:
    pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
    import assay
    from tests.models.training.test_trainer import small

    watcher = Watcher()
    trained = train(small(tmp_path), listener=watcher)
    assert trained.path == tmp_path / "run" / "model" and trained.table().rows[0]["path"] == str(trained.path)
    assert [told for told in watcher.told if isinstance(told, int)] == [1, 2, 3, 4]
    assert any(isinstance(told, tuple) and told[1:] == (0, 4) for told in watcher.told)
    scored = assay.score(["ba"], ["ba"], sources=["ba"], metrics=[str(trained.path)], store=False)
    assert len(scored) == 1
