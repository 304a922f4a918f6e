"""Runs that are killed and go on end with the same bits as runs that are not."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("tokenizers", reason="tokenizers is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("safetensors", reason="safetensors is not installed (pip install 'mt-assay[neural]')")

from assay.models.training.toy import write_example

CONFIG = """
output: run
seed: 7
model: {tiny_hidden: 48, tiny_layers: 2, tiny_vocabulary: 200}
held_out: {fraction: 0.1, every: 7}
checkpoint_every: 5
phases:
  - curriculum: 1
    data: [{path: toy.jsonl, format: spans}]
    batch_size: 16
    max_steps: 23
    learning_rate: 1.0e-3
    encoder_learning_rate: 1.0e-3
  - curriculum: 2
    data: [{path: toy.jsonl, format: spans}]
    hallucinations: {random: 0.05, similar: 0.05, oscillatory: 0.05}
    batch_tokens: 500
    micro_batch: 11
    epochs: 2.5
    warmup_steps: 10
    learning_rate: 1.0e-3
    encoder_learning_rate: 1.0e-3
    keep_embeddings_frozen: false
"""


def command(folder: Path) -> list[str]:
    return [sys.executable, "-m", "assay", "train", str(folder / "train.yaml"), "--resume", "--quiet"]


def prepared(folder: Path) -> Path:
    write_example(folder, 350)
    (folder / "train.yaml").write_text(CONFIG)
    return folder


def steps(folder: Path) -> int:
    path = folder / "run" / "log.jsonl"
    return path.read_bytes().count(b"\n") if path.exists() else 0


@pytest.mark.slow
def test_a_killed_and_resumed_run_ends_with_the_bits_of_an_unbroken_one(tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    whole, broken = prepared(tmp_path / "whole"), prepared(tmp_path / "broken")
    subprocess.run(command(whole), env=environment, check=True)
    rng = random.Random(5)
    killed = 0
    for share in (0.02, 0.3, 0.7):
        # Wait until the run has come some way, then kill it at an arbitrary moment.
        wanted = steps(broken) + max(1, int(share * 30))
        running = subprocess.Popen(command(broken), env=environment)
        while running.poll() is None and steps(broken) < wanted:
            time.sleep(0.005)
        time.sleep(rng.random() * 0.05)
        if running.poll() is None:
            os.kill(running.pid, signal.SIGKILL)
            killed += 1
        running.wait()
    assert killed >= 2
    assert not (broken / "run" / "model").exists()
    subprocess.run(command(broken), env=environment, check=True)
    for name in ("state.safetensors", "log.jsonl", "tokenizer.json", "model/hparams.yaml"):
        assert (broken / "run" / name).read_bytes() == (whole / "run" / name).read_bytes(), name


@pytest.mark.slow
def test_ctrl_c_ends_after_the_step_and_the_run_goes_on(tmp_path: Path) -> None:
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    folder = prepared(tmp_path)
    running = subprocess.Popen(command(folder), env=environment, stderr=subprocess.PIPE, text=True)
    while running.poll() is None and steps(folder) < 6:
        time.sleep(0.005)
    running.send_signal(signal.SIGINT)
    _, said = running.communicate(timeout=60)
    assert running.returncode == 130, said
    assert "Use --resume to continue" in said
    assert subprocess.run(command(folder), env=environment, check=False).returncode == 0
