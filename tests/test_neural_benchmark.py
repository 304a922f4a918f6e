"""The benchmark of neural metrics on a tiny encoder, through the code that the large runs go through, half precision included."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("transformers", reason="transformers is not installed")

from benchmarks import neural, speeds

TINY = ["--size", "tiny", "--segments", "12", "--rounds", "1", "--device", "cpu"]


def test_a_tiny_run_of_every_case(tmp_path: Path) -> None:
    out = tmp_path / "lines.json"
    assert neural.main([*TINY, "--precision", "fp32", "bf16", "--out", str(out)]) == 0
    lines = json.loads(out.read_text())
    assert {(line["case"], line["precision"]) for line in lines} == {
        (name, precision) for name in neural.CASES for precision in ("fp32", "bf16")
    }
    assert all(line["ours segments/s"] > 0 for line in lines)


def test_a_peer_that_disagrees_fails_the_run(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    class Made(neural.Case):
        name, peer_module = "made", "json"

        def prepare(self, texts: neural.Texts) -> None:
            pass

        def ours(self, texts: neural.Texts) -> Sequence[float]:
            return [1.0] * len(texts)

        def peer(self, texts: neural.Texts) -> Sequence[float]:
            return [1.005] * len(texts)

    monkeypatch.setattr(neural, "CASES", {"made": Made})
    assert neural.main([*TINY, "--precision", "fp32"]) == 1
    assert neural.main([*TINY, "--precision", "fp16"]) == 0  # ten times the room
    first, second = map(json.loads, capsys.readouterr().out.splitlines())
    assert first["differs by"] == pytest.approx(0.005) and not first["agrees"] and second["agrees"]
    assert first["times"] > 0


def test_texts_are_those_of_several_systems() -> None:
    texts = neural.made_texts(10, 3)
    assert len(texts) == 30 and len(set(texts.references)) == 10 and len(set(texts.hypotheses)) == 30


def test_a_tiny_run_of_every_speed(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(speeds, "LEAST", 0.0)
    speeds.main(["--networks", "--tiny", "--segments", "32"])
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines] == list(speeds.NETWORKS)
    assert all(float(line.split()[1].replace(",", "")) > 0 for line in lines)
