# ruff: noqa: E402 (torch may be absent)
"""A grid of loss weights: what a try is, which is chosen, and that a search leaves no trace but the choice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("safetensors", reason="safetensors is not installed (pip install 'mt-assay[neural]')")

from assay.core.errors import AssayError, InputError, Interrupted
from assay.models.training import search
from assay.models.training.loop import TrainingStopped
from assay.models.training.search import Try, best
from assay.models.training.state import Listener
from assay.models.training.toy import write_example
from assay.models.training.trainer import PhaseRecipe, Trainer
from assay.verbs.train import preview, train
from tests.models.training.test_trainer import log, one_thread, small, weights

__all__ = ["one_thread"]

ALPHAS = [[0.08, 0.486, 0.505, 0.533], [1.0, 1.0, 1.0, 1.0]]
HELD = {"fraction": 0.3, "every": 0}


def searched(folder: Path, **changes: Any) -> Any:
    wanted = {"loss_lambda": [0.2, 0.983], "class_weights": ALPHAS, "steps": 2, **changes}
    return small(folder, {"search": wanted}, held_out=HELD)


def tries(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "run" / search.FILE).read_text().splitlines()]


def test_a_try_is_a_short_run_and_the_choice_is_trained_as_if_it_had_been_written_down(tmp_path: Path) -> None:
    notes: list[str] = []
    one, other = tmp_path / "one", tmp_path / "other"
    Trainer(searched(one, by="kendall"), listener=Listener(note=notes.append)).run()
    rows = tries(one)
    assert [(row["loss_lambda"], row["class_weights"]) for row in rows] == [
        (0.2, ALPHAS[0]), (0.2, ALPHAS[1]), (0.983, ALPHAS[0]), (0.983, ALPHAS[1]),
    ]  # fmt: skip
    # Each try saw what a run of two steps with these weights sees at its end.
    for row in rows:
        alone = tmp_path / f"{row['loss_lambda']} {row['class_weights'][0]}"
        given = {"loss_lambda": row["loss_lambda"], "class_weights": row["class_weights"], "max_steps": 2}
        Trainer(small(alone, given, held_out=HELD)).run()
        seen = log(alone)[-1]["held_out"]
        assert [row[key] for key in ("kendall", "pearson", "span_f1")] == [
            seen[key] for key in ("kendall", "pearson", "span_f1")
        ]
    chosen = max(rows, key=lambda row: row["kendall"])
    given = {"loss_lambda": chosen["loss_lambda"], "class_weights": chosen["class_weights"]}
    Trainer(small(other, given, held_out=HELD)).run()
    found, expected = weights(one), weights(other)
    assert all(torch.equal(found[name], expected[name]) for name in expected) and log(one) == log(other)
    hparams = "model/hparams.yaml"
    assert (one / "run" / hparams).read_text() == (other / "run" / hparams).read_text()
    assert (
        sum("try" in note and "of 4" in note for note in notes) == 4
        and "is the best of 4 tries by Kendall" in notes[-1]
    )


def test_the_highest_figure_wins_and_of_equal_ones_the_first() -> None:
    def one(lam: float, kendall: float | None, span_f1: float | None) -> Try:
        return Try(1, "", lam, (1.0, 1.0, 1.0, 1.0), 5, kendall, 0.5, span_f1)

    made = [one(0.1, 0.3, 0.3), one(0.2, 0.2, 0.5), one(0.3, 0.6, None), one(0.4, 0.35, 0.35)]
    # Means 0.30, 0.35, none, 0.35.
    assert best(made, "mean", "p").loss_lambda == 0.2
    assert best(made, "kendall", "p").loss_lambda == 0.3 and best(made, "pearson", "p").loss_lambda == 0.1
    with pytest.raises(InputError, match="no try has span F1"):
        best([made[2]], "span_f1", "p")


def test_a_try_that_breaks_is_not_chosen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step = PhaseRecipe.step

    def breaks(self: PhaseRecipe, *rest: Any) -> Any:
        if self.phase.loss_lambda == 0.983:
            raise TrainingStopped("the loss is no longer a finite number")
        return step(self, *rest)

    monkeypatch.setattr(PhaseRecipe, "step", breaks)
    result = train(searched(tmp_path))
    rows = result.tables["search"].rows
    assert [row["kendall"] is None for row in rows] == [False, False, True, True]
    assert [row["lambda"] for row in rows if row["chosen"]] == [0.2]


def test_finished_tries_are_not_made_again_and_other_beginnings_are(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[float] = []
    attempt = Trainer._try

    def counted(self: Trainer, recipe: PhaseRecipe, *rest: Any) -> Any:
        made.append(recipe.phase.loss_lambda)
        if len(made) == 3:
            raise RuntimeError("pulled the plug")
        return attempt(self, recipe, *rest)

    monkeypatch.setattr(Trainer, "_try", counted)
    with pytest.raises(RuntimeError, match="plug"):
        Trainer(searched(tmp_path)).run()
    assert len(tries(tmp_path)) == 2
    Trainer(searched(tmp_path), resume=True).run()
    assert made == [0.2, 0.2, 0.983, 0.983, 0.983]
    # Another seed is another beginning; without --resume nothing of before is kept.
    made.clear()
    (tmp_path / "run" / "state.safetensors").unlink()
    changed = small(tmp_path, {"search": {"loss_lambda": [0.2, 0.5]}}, held_out=HELD, seed=9)
    Trainer(changed, resume=True).run()
    assert made == [0.2, 0.5]


def test_ctrl_c_in_a_search_ends_after_the_step_and_it_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    step, calls = PhaseRecipe.step, []

    def stops(self: PhaseRecipe, *given: Any) -> Any:
        calls.append(1)
        self.trainer.listener.stop = len(calls) == 3  # the first step of the second try
        return step(self, *given)

    monkeypatch.setattr(PhaseRecipe, "step", stops)
    with pytest.raises(Interrupted, match=r"stopped in the search of phase 1\. Use --resume to continue"):
        Trainer(searched(tmp_path)).run()
    assert len(tries(tmp_path)) == 1
    monkeypatch.undo()
    assert Trainer(searched(tmp_path), resume=True).run().is_dir() and len(tries(tmp_path)) == 4


def test_what_a_search_needs_is_said(tmp_path: Path) -> None:
    for wanted, held, said in (
        ({"loss_lambda": [0.5]}, HELD, r"phase 1, search: 1 combinations; list 2 to 100"),
        ({"loss_lambda": [0.5, 1.5]}, HELD, r"search: loss_lambda cannot be \(0.5, 1.5\)"),
        ({"loss_lambda": [0.5, 0.6], "steps": -1}, HELD, "steps cannot be -1"),
        ({"class_weights": [[0, 0, 0, 0], [1, 1, 1, 1]]}, HELD, "class_weights cannot be"),
        ({"class_weights": [[1, 1], [1, 1]]}, HELD, "must have 4 values, not 2"),
        ({"lambda": [0.5, 0.6]}, HELD, "unknown key 'lambda'"),
        ({"loss_lambda": [0.5, 0.6], "by": "bleu"}, HELD, "unknown value 'bleu'"),
        ({"loss_lambda": [0.5, 0.6]}, {}, "a search requires held-out records, but there are none"),
    ):
        with pytest.raises(AssayError, match=said):
            small(tmp_path, {"search": wanted}, held_out=held)
    with pytest.raises(InputError, match="needs a phase that trains the tagger"):
        small(tmp_path, {"curriculum": 1, "search": {"loss_lambda": [0.5, 0.6]}}, held_out=HELD)
    rows = preview(searched(tmp_path)).table().rows
    assert [row["tries"] for row in rows] == [4] and not (tmp_path / "run").exists()


CONFIG = """
output: run
seed: 7
model: {tiny_hidden: 32, tiny_layers: 2, tiny_vocabulary: 200}
held_out: {fraction: 0.2, every: 10}
checkpoint_every: 5
phases:
  - curriculum: 1
    data: [{path: toy.jsonl, format: spans}]
    max_steps: 6
    learning_rate: 1.0e-3
    encoder_learning_rate: 1.0e-3
  - curriculum: 2
    search: {loss_lambda: [0.5, 0.9, 0.983], class_weights: [[0.08, 0.486, 0.505, 0.533], [1, 1, 1, 1]], steps: 6}
    data: [{path: toy.jsonl, format: spans}]
    max_steps: 12
    learning_rate: 1.0e-3
    encoder_learning_rate: 1.0e-3
"""


@pytest.mark.slow
def test_a_killed_search_ends_with_the_bits_of_an_unbroken_one(tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [sys.executable, "-m", "assay", "train", "train.yaml", "--resume", "--quiet"]
    folders = {name: tmp_path / name for name in ("whole", "broken")}
    for folder in folders.values():
        write_example(folder, 250)
        (folder / "train.yaml").write_text(CONFIG)
    said = subprocess.run(command, cwd=folders["whole"], env=environment, check=True, capture_output=True, text=True)
    assert "span F1" in said.stdout and said.stdout.count("*") == 2  # the chosen one, and what the star means
    broken, rng, killed = folders["broken"], random.Random(3), 0

    def done() -> int:
        path = broken / "run" / search.FILE
        return path.read_bytes().count(b"\n") if path.exists() else 0

    for wanted in (1, 3, 5):
        running = subprocess.Popen(command, cwd=broken, env=environment, stdout=subprocess.DEVNULL)
        while running.poll() is None and done() < wanted:
            time.sleep(0.005)
        time.sleep(rng.random() * 0.05)
        if running.poll() is None:
            os.kill(running.pid, signal.SIGKILL)
            killed += 1
        running.wait()
    assert killed >= 2
    subprocess.run(command, cwd=broken, env=environment, check=True, stdout=subprocess.DEVNULL)
    for name in ("state.safetensors", "log.jsonl", "search.jsonl", "model/hparams.yaml"):
        assert (broken / "run" / name).read_bytes() == (folders["whole"] / "run" / name).read_bytes(), name
