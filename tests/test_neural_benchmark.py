"""The benchmark of neural metrics on a tiny encoder, through the code that the large runs go through, half precision included."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch", reason="torch is not installed (pip install 'mt-assay[neural]')")
pytest.importorskip("transformers", reason="transformers is not installed")

SCRIPT = Path(__file__).resolve().parents[1] / "benchmarks" / "neural.py"


def test_a_tiny_run_of_every_case(tmp_path: Path) -> None:
    out = tmp_path / "lines.json"
    command = [sys.executable, str(SCRIPT), "--size", "tiny", "--segments", "12", "--rounds", "1", "--device", "cpu"]
    done = subprocess.run(
        [*command, "--precision", "fp32", "bf16", "--out", str(out)], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    lines = json.loads(out.read_text())
    assert {line["precision"] for line in lines} == {"fp32", "bf16"}
    assert all(line["ours segments/s"] > 0 for line in lines)
