"""Benchmark: a base-size COMET model on the CPU, assay and unbabel-comet alternating on the same checkpoint and segments.

    python benchmarks/comet_cpu.py --official comet-env/bin/python --tokenizer tokenizer.json --demetr ../shared/data/demetr

The other Python belongs to an environment with unbabel-comet (tests/fixtures/comet/make_reference.py says how to make one). The
tokenizer is XLM-R's. assay writes the checkpoint with random weights, and both sides must agree on its scores.
"""

from __future__ import annotations

import argparse
import gzip
import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import torch

from assay.models.encoders.config import EncoderConfig, ModelConfig
from assay.models.heads.checkpoint import load, save
from assay.models.heads.comet import build_model
from assay.models.heads.inference import Predictor
from assay.models.runtime.precision import DTYPES

THEIRS = """
import json, sys, time, warnings, logging
warnings.filterwarnings("ignore"); logging.disable(logging.CRITICAL)
import torch
torch.set_num_threads(int(sys.argv[3]))
from comet import load_from_checkpoint
model = load_from_checkpoint(sys.argv[1] + "/checkpoints/model.ckpt", local_files_only=True)
rows = json.load(open(sys.argv[2]))
print("ready", flush=True)
for line in sys.stdin:
    part = rows[:8] if line.strip() == "warm" else rows
    started, spent = time.perf_counter(), time.process_time()
    found = model.predict(part, batch_size=16, gpus=0, progress_bar=False, num_workers=0)
    times = [time.perf_counter() - started, time.process_time() - spent]
    print(json.dumps({"seconds": times, "scores": found["scores"]}), flush=True)
"""
MODELS = {
    "xCOMET": {
        "class_identifier": "xcomet_metric",
        "encoder_model": "XLM-RoBERTa",
        "word_layer": 12,
        "hidden_sizes": [768, 384],
    },
    "COMET-22": {"class_identifier": "regression_metric", "hidden_sizes": [3072, 1024]},
}


def segments(folder: Path, count: int) -> list[dict[str, str]]:
    """Return segments from all parts of DEMETR, in random order."""
    rows = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            rows += [json.loads(line) for line in lines]
    chosen = np.random.default_rng(1).choice(len(rows), count, replace=False)
    return [{"src": rows[i]["src_sent"], "mt": rows[i]["pert_sent"], "ref": rows[i]["eng_sent"]} for i in chosen]


def checkpoint(folder: Path, hparams: dict[str, Any], tokenizer: Path) -> Path:
    """Write a base-size model with random weights in the official format."""
    encoder = EncoderConfig("xlm-roberta", 768, 12, 12, 3072, 250002)
    home = folder / "encoder"
    home.mkdir(exist_ok=True)
    (home / "tokenizer.json").write_bytes(tokenizer.read_bytes())
    (home / "config.json").write_text(json.dumps(encoder.to_json()))
    torch.manual_seed(0)
    config = ModelConfig.from_hparams({**hparams, "pretrained_model": str(home)})
    model = build_model(config, encoder)
    for parameter in model.encoder.parameters():  # type: ignore[attr-defined]
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.02)
    return save(model, folder / config.class_identifier, tokenizer)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--official", required=True, help="the Python of an environment with unbabel-comet")
    parser.add_argument("--tokenizer", type=Path, required=True, help="XLM-R's tokenizer.json")
    parser.add_argument("--demetr", type=Path, required=True, help="folder with DEMETR's .jsonl.gz files")
    parser.add_argument("--segments", type=int, default=96)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--models", default=",".join(MODELS))
    parser.add_argument("--precision", default="fp32,bf16")
    args = parser.parse_args()
    torch.set_num_threads(args.threads)
    rows = segments(args.demetr, args.segments)
    columns = [[row[side] for row in rows] for side in ("mt", "src", "ref")]
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "rows.json"
        data.write_text(json.dumps(rows))
        for name in args.models.split(","):
            place = checkpoint(Path(folder), MODELS[name], args.tokenizer)
            compare(name, place, data, columns, args)


def compare(name: str, place: Path, data: Path, columns: list[list[str]], args: argparse.Namespace) -> None:
    theirs = subprocess.Popen(
        [args.official, "-c", THEIRS, str(place), str(data), str(args.threads)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert theirs.stdin is not None and theirs.stdout is not None

    def ask(what: str) -> dict[str, Any]:
        theirs.stdin.write(what + "\n")  # type: ignore[union-attr]
        theirs.stdin.flush()  # type: ignore[union-attr]
        return json.loads(theirs.stdout.readline())  # type: ignore[union-attr, no-any-return]

    if theirs.stdout.readline().strip() != "ready":
        sys.exit(f"{args.official} could not load the checkpoint with unbabel-comet")
    wanted = args.precision.split(",")
    ours = {p: Predictor(load(place, dtype=DTYPES[p]), dtype=DTYPES[p], decoder="exact") for p in wanted}
    ask("warm")
    best: dict[str, list[float]] = {}
    scores: dict[str, Any] = {}
    for predictor in ours.values():
        predictor.predict(*(column[:8] for column in columns))
    for _ in range(args.rounds):
        answer = ask("all")
        scores["official"] = np.array(answer["scores"])
        keep(best, "official", answer["seconds"])
        for precision, predictor in ours.items():
            started, spent = time.perf_counter(), time.process_time()
            scores[precision] = predictor.predict(*columns).values
            keep(best, precision, [time.perf_counter() - started, time.process_time() - spent])
    theirs.stdin.close()
    theirs.wait()
    count = len(columns[0])
    print(f"{name}, base size, {count} segments of DEMETR, {args.threads} threads, best of {args.rounds}")
    print(f"  unbabel-comet fp32   {count / best['official'][0]:6.2f} segments/s")
    for precision in wanted:
        gap = np.abs(scores[precision] - scores["official"]).max()
        wall, processor = (theirs / ours for theirs, ours in zip(best["official"], best[precision], strict=True))
        print(
            f"  assay {precision}           {count / best[precision][0]:6.2f} segments/s   {wall:.2f}x by the clock, "
            f"{processor:.2f}x in processor time   differs by {gap:.1e}"
        )


def keep(best: dict[str, list[float]], name: str, times: list[float]) -> None:
    """Return the better of two runs, by the clock and in processor time (which other work on the machine affects less)."""
    best[name] = [min(pair) for pair in zip(best.get(name, times), times, strict=True)]


if __name__ == "__main__":
    main()
