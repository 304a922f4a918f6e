"""Benchmark: ``assay run demetr`` compared with the tools it replaces, which score the same requests one by one, in one run.

    python benchmarks/challenge_sets.py [PATH TO THE SHARED DATA]

assay: a new process, including loading and tables, with an empty store. The others: sacrebleu (BLEU, chrF, chrF++, TER),
rouge-score (ROUGE-2) and rapidfuzz (CER) in one process, on every `STEP`-th distinct request, scaled up, without loading.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from string_metrics import peers, requests

STEP = 20
METRICS = ["bleu", "chrf", "chrf++", "ter", "cer", "rouge2"]


def main() -> None:
    shared = Path(sys.argv[1]) if len(sys.argv) > 1 else Path(__file__).resolve().parents[2] / "shared"
    hypotheses, references = requests(shared)
    some = list(zip(hypotheses[::STEP], references[::STEP], strict=True))
    calls = peers()
    theirs = 0.0
    for name in METRICS:
        started = time.perf_counter()
        for hypothesis, reference in some:
            calls[name][1](hypothesis, reference)
        theirs += (time.perf_counter() - started) * len(hypotheses) / len(some)
    with tempfile.TemporaryDirectory() as cache:
        wanted = [argument for name in METRICS for argument in ("-m", name)]
        command = [
            sys.executable,
            "-m",
            "assay",
            "run",
            "demetr",
            *wanted,
            "--format",
            "json",
            "--quiet",
            "--out",
            f"{cache}/o",
        ]
        started = time.perf_counter()
        subprocess.run(
            command, check=True, env={**os.environ, "ASSAY_CACHE_DIR": cache, "ASSAY_DATA": str(shared / "data")}
        )
        ours = time.perf_counter() - started
    print(f"{len(hypotheses):,} requests, six metrics, one by one: {theirs:.1f} s")
    print(f"assay run demetr, a fresh process: {ours:.2f} s, {theirs / ours:.0f}x")


if __name__ == "__main__":
    main()
