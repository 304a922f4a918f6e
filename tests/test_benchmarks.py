"""The benchmarks run, and measure what they say."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
import torch

from assay.io.resources.mini import mini_folder
from assay.kernels._native import Mini
from assay.models.encoders.config import EncoderConfig
from benchmarks import cluster, comet_gpu, cut_model, fp8_variants, mini, shards, shards_gpu, span_agreement, view
from benchmarks.comet_gpu import random_model as random_xcomet
from tests.kernels.mini_model import random_model


def test_segments_alone_share_no_text() -> None:
    rows = [("a", "r", "s"), ("b", "r", "s"), ("c", "t", "u"), ("a", "v", "w")]
    assert mini.alone(rows) == [rows[0], rows[2]]
    assert len(mini.alone(mini.own_segments(10))) == 5


def test_batches_hold_every_text_once_by_length() -> None:
    ((ids, mask),) = mini.batches(Mini(random_model()), [("a b", "abc", "abc"), ("a b", "", "die katze schläft")])
    assert ids.shape[0] == 4
    assert mask.sum(axis=1).tolist() == sorted(mask.sum(axis=1).tolist())
    assert mask[0].sum() == 2 and (ids[mask == 0] == 1).all()


@pytest.mark.slow
def test_a_tiny_run(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    if mini_folder() is None:
        pytest.skip("assay-mini's weights are not installed")
    arguments = ["mini.py", "--segments", "6", "--rounds", "1", "--threads", "2", "--without-peers"]
    monkeypatch.setattr(sys, "argv", arguments)
    mini.main()
    printed = capsys.readouterr().out
    assert "6 segments that share, 3 that do not" in printed
    assert printed.count("assay-mini, cold, 14 bits") == printed.count("assay-mini, shared") == 2


def test_the_benchmark_of_a_gpu_runs_in_every_precision(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    model, rows = (
        random_xcomet(EncoderConfig("xlm-roberta", 32, 2, 2, 64, 500), torch.device("cpu")),
        comet_gpu.texts(6),
    )
    numbers = [[" ".join(map(str, comet_gpu.Numbers(500).pieces(text))) for text in column] for column in rows]
    cut_model.write(model, (numbers[0], numbers[1], numbers[2]), tmp_path / "cut.pt")
    monkeypatch.setattr(sys, "argv", ["comet_gpu.py", "--tiny", "--trained", str(tmp_path / "cut.pt")])
    comet_gpu.main()
    printed = capsys.readouterr().out
    assert "trained: 6 segments, 2 layers" in printed and "ms on the device for 16 segments" in printed
    for short in ("fp16", "bf16", "fp8"):
        assert (
            printed.count(f"{short} compared with fp32: Spearman of the passes' mean 0.9")
            + printed.count(f"{short} compared with fp32: Spearman of the passes' mean 1.0")
            == 2
        )
        assert f"tiny in {short}:" in printed
    assert printed.count("official batching, fp") == 2 and "times as fast as fp16; required 1.4" in printed


def test_ways_to_use_8_bits_are_told_apart(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("built", "own means: all but v", "all", "version 1, rotated", "version 1, ranges folded into weights")
    arguments = ["--segments", "24", "--layers", "2", "--hidden", "64", "--only", *names]
    monkeypatch.setattr(sys, "argv", ["fp8_variants.py", *arguments])
    fp8_variants.main()
    noise = {line[:44].strip(): float(line.split()[-4]) for line in capsys.readouterr().out.splitlines()[2:]}
    assert tuple(noise) == names
    assert noise["built"] == pytest.approx(noise["own means: all but v"], rel=0.6)  # the emulation is the thing
    assert noise["built"] < noise["version 1, rotated"] < noise["all"]


def test_a_tiny_run_of_the_page(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["view.py", "--items", "60", "--rows", "80", "--rounds", "2"])
    monkeypatch.setattr(view, "in_browser", lambda url, folder: None)
    view.main()
    printed = capsys.readouterr().out
    assert "60 items in a run directory" in printed and "80 segments in a table" in printed
    assert (
        printed.count("a regular expression") == printed.count("text, small or capital") == printed.count("MB\n") == 2
    )
    assert float(printed.split("page without data: ")[1].split()[0]) < 500


@pytest.mark.slow
def test_a_tiny_corpus(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    monkeypatch.setattr(
        sys,
        "argv",
        [
            "shards.py",
            "--rows",
            "400",
            "--shard",
            "100",
            "--workers",
            "1",
            "--folder",
            str(tmp_path),
            "--engine",
            "local",
        ],
    )
    shards.main()
    half, plain, whole = capsys.readouterr().out.splitlines()
    assert half.startswith("local, 1 workers: 200 rows in ") and whole.startswith("local, 1 workers: 400 rows in ")
    assert plain.startswith("a loop of assay.score: 200 rows in ") and "worker " in whole
    assert not list(tmp_path.iterdir()), "the corpus was left behind"


@pytest.mark.slow
def test_a_tiny_simulation(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    picture = tmp_path / "cluster.png"
    words = ["--shards", "40", "--no-ray", "--most", "1e7", "--figure", str(picture)]
    monkeypatch.setattr(sys, "argv", ["cluster.py", *words])
    cluster.main()
    measured, *points = capsys.readouterr().out.splitlines()
    assert "driver" in measured and points[0].startswith("rows 1,000,000: 4 shards, ")
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_the_simulation_by_hand() -> None:
    """Four tasks of 10 s on two workers, with nothing in the way: 20 s. A driver of 3 s a task begins them at 3, 6, 13 and 16: 29 s
    with the last; listing and reduction come before and after."""
    setting = cluster.Setting(
        rows=40, shard=10, nodes=1, cores=2, rate=1, row_bytes=0, latency=0, fails=1e12, stragglers=0
    )
    plain = cluster.simulate(setting, cluster.Costs(0, 0, 0, 0))
    pace = plain["work"] / 20  # the node's own speed
    assert plain["tasks"] == 4 and plain["perfect"] == pytest.approx(plain["work"]) and 0.5 < pace < 2
    busy = cluster.simulate(setting, cluster.Costs(1, 2 * pace, pace, 0.5))
    assert busy["listing"] == 4 and busy["reduction"] == 2 and busy["driver"] == pytest.approx(12 * pace)
    assert busy["work"] == pytest.approx(29 * pace) and busy["whole"] == pytest.approx(29 * pace + 6)
    failing = cluster.simulate(cluster.replace(setting, fails=60, repair=1, rows=400), cluster.Costs(0, 0, 0, 0))
    assert failing["lost"] > 0 and failing["work"] > 200 * pace


@pytest.mark.slow
def test_the_loop_of_a_worker_beside_a_plain_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ["shards_gpu.py", "--size", "tiny", "--rows", "60", "--shard", "20", "--rounds", "1", "--threads", "1"]
    monkeypatch.setattr(sys, "argv", words)
    torch = pytest.importorskip("torch")
    before = torch.get_num_threads()
    try:
        shards_gpu.main()
    finally:
        torch.set_num_threads(before)
    printed = capsys.readouterr().out
    assert "plain: 60 rows in" in printed and "loop: 60 rows in" in printed
    assert float(printed.partition("ratio ")[2].partition(";")[0]) > 0
    assert float(printed.partition("differ by ")[2].partition(" ")[0]) < 1e-5


def test_span_agreement_is_timed_next_to_plain_python(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["span_agreement.py", "--segments", "50"])
    span_agreement.main()
    assert capsys.readouterr().out.count("x\n") == len(span_agreement.VARIANTS)
