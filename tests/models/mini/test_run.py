"""The recipe end to end on a made-up language: it learns, survives kills with the same bits, and packs what other code reads."""

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

import numpy as np
import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("yaml", reason="training needs the extra 'neural'")

from assay.core.errors import InputError
from assay.io.files.tensors import read_tensors
from assay.kernels import _native
from assay.models.mini.groups import load_groups
from assay.models.mini.pack import tensors_of
from assay.models.training.toy import toy_groups
from assay.verbs.train import _configuration, example, preview, train

CONFIG = """
architecture: mini
name: toy-mini
output: run
encoder: {name: tiny, tiny_hidden: 64, tiny_layers: 3, tiny_heads: 2, tiny_vocabulary: 120}
width: 64
data: [{path: toy.jsonl}]
documents: 40
errors: {toy: 0.2}
checkpoint_every: 7
stages:
  - {name: first, steps: 12, batch_tokens: 700, learning_rate: 2.0e-3, head_learning_rate: 2.0e-3}
  - {name: second, steps: 12, batch_tokens: 700, learning_rate: 2.0e-3, head_learning_rate: 2.0e-3, ranking: 3}
  - {name: student, steps: 60, batch_tokens: 700, learning_rate: 2.0e-3, head_learning_rate: 2.0e-3, teachers: [first, second]}
"""
KEPT = [
    *(f"{stage}/{file}" for stage in ("first", "second", "student") for file in ("weights.safetensors", "log.jsonl")),
    *(f"{stage}/predictions.safetensors" for stage in ("first", "second")),
    *(
        f"model/{part}"
        for part in ("model.safetensors", "embeddings.safetensors", "pieces.safetensors", "manifest.json")
    ),
]
ENVIRONMENT = {**os.environ, "OMP_NUM_THREADS": "1"}


def written(folder: Path) -> Path:
    folder.mkdir()
    (folder / "toy.jsonl").write_text("\n".join(map(json.dumps, toy_groups(210))) + "\n")
    (folder / "mini.yaml").write_text(CONFIG)
    return folder


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "assay", "train", str(folder / "mini.yaml"), "--resume", "--quiet"]


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = written(tmp_path_factory.mktemp("mini") / "whole")
    subprocess.run(command(folder), env=ENVIRONMENT, check=True)
    return folder


@pytest.mark.slow
def test_it_learns(whole: Path) -> None:
    said = [json.loads(line) for line in (whole / "run" / "student" / "log.jsonl").read_text().splitlines()]
    assert [entry["step"] for entry in said] == [1, 20, 40, 60]
    assert said[-1]["loss"] < 0.8 * said[0]["loss"]
    assert {"sums", "ranking", "tags", "taught", "taught_tags"} <= said[0].keys()
    figures = json.loads((whole / "run" / "student" / "figures.json").read_text())
    # A word of the source language in the translation is an error: half of the pairs are right by chance.
    assert figures["mqm"]["pairs"] > 0.9 and figures["mqm"]["pearson"] > 0.5


def done(folder: Path) -> int:
    return sum(len(path.read_bytes().splitlines()) for path in (folder / "run").glob("*/pace.jsonl"))


@pytest.mark.slow
def test_a_killed_and_resumed_run_ends_with_the_bits_of_an_unbroken_one(whole: Path, tmp_path: Path) -> None:
    broken = written(tmp_path / "broken")
    rng, killed = random.Random(3), 0
    for wanted in (2, 4, 6):
        running = subprocess.Popen(command(broken), env=ENVIRONMENT)
        while running.poll() is None and done(broken) < wanted:
            time.sleep(0.01)
        time.sleep(rng.random() * 0.2)
        if running.poll() is None:
            os.kill(running.pid, signal.SIGKILL)
            killed += 1
        running.wait()
    assert killed >= 2
    subprocess.run(command(broken), env=ENVIRONMENT, check=True)
    for name in KEPT:
        assert (broken / "run" / name).read_bytes() == (whole / "run" / name).read_bytes(), name


@pytest.mark.slow
def test_the_packed_model_says_what_the_trained_one_says(whole: Path) -> None:
    """The runtime and its twin, written from the description of the arithmetic alone, on texts they cut themselves."""
    twin = pytest.importorskip("assay.kernels.reference.mini", reason="the runtime is not here")
    config: Any = _configuration(whole / "mini.yaml")
    from assay.models.mini.corpus import PreparedCorpus
    from assay.models.mini.pack import round_all
    from assay.models.mini.run import held_out_rows
    from assay.models.mini.stage import Stage

    corpus = PreparedCorpus.open(config.prepared_folder)
    stage = Stage(config, 2, corpus)
    model = stage.trained()
    round_all(model)
    rows = held_out_rows(corpus)[:8]
    found, values, tags = stage.predicted(model, stage.planned(rows), 3)
    groups, _ = load_groups(config)
    texts = [(group.source, group.references[0], one.text) for group in groups for one in group.hypotheses]
    tensors = tensors_of(whole / "run" / "model")
    sources, references, hypotheses = (list(column) for column in zip(*(texts[row] for row in found), strict=True))
    for runtime in (twin.Mini(tensors), _native.Mini(tensors)):
        for view, (reference, source) in enumerate(((references, sources), (references, None), (None, sources))):
            expected, probabilities, *_ = runtime.score(hypotheses, reference, source, True, 1)
            assert np.abs(values[:, view] - expected).max() < 2e-3
            if view == 0:
                assert np.abs(tags / 255 - probabilities).max() < 0.01


def test_the_example_runs_as_written_and_stops_in_time(tmp_path: Path) -> None:
    path = example(tmp_path, "mini")
    first = train(path, minutes=0)
    assert not first.finished and first.table().rows[0]["stage"] == "teacher-1"
    with pytest.raises(InputError, match=r"already contains a run\. Use --resume"):
        train(path)
    assert (tmp_path / "run" / "prepared" / "features-000.safetensors").is_file()
    rows = {row["collection"]: row for row in preview(path).table().rows}
    # 300 sources, every third assessed; the last of every ten documents of five sources is held out.
    assert rows["toy"]["groups"] == 200 and rows["toy-da"]["groups"] == 100 and rows["toy"]["records"] == 800
    assert rows["toy"]["held_out"] + rows["toy-da"]["held_out"] == 30
    labels = read_tensors(tmp_path / "run" / "prepared" / "corpus.safetensors")["labels"]
    assert set(np.unique(labels).tolist()) == {0, 100}


def test_a_configuration_is_checked(tmp_path: Path) -> None:
    (tmp_path / "toy.jsonl").write_text("")
    wrong = {
        "unknown earlier stage": "[{name: a, steps: 1, teachers: [b]}]",
        "stage names must be unique": "[{name: a, steps: 1}, {name: a, steps: 1}]",
    }
    head = "architecture: mini\noutput: run\ndata: [{path: toy.jsonl}]\nstages: "
    for said, stages in wrong.items():
        (tmp_path / "mini.yaml").write_text(head + stages)
        with pytest.raises(Exception, match=said):
            train(tmp_path / "mini.yaml")
