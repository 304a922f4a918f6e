"""Benchmark: assay-mini compared with an encoder of its size in transformers and in onnxruntime, alternating in one run.

    python benchmarks/mini.py --demetr ../shared/data/demetr      # DEMETR's segments, the installed weights
    python benchmarks/mini.py --segments 24 --rounds 1            # a few built-in sentences

A segment is a translation with its reference and its source. Cold: every text is new to a new model. Shared: the set in its
order (the beginning of each file), in which many translations share one source and one reference. The others do what
bert-score does, without its matching: distinct texts by length, in padded batches of 64, through a random encoder of 12
layers, 384 and 1,536 units. They get assay-mini's subwords, so tokenizing costs them nothing. onnxruntime runs the same
encoder with 8-bit numbers (dynamic quantisation), if onnx and onnxruntime are installed in addition to torch.
"""

from __future__ import annotations

import argparse
import gzip
import importlib.util
import itertools
import json
import os
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from assay.io.resources.mini import load_mini
from assay.kernels._native import Mini

Segment = tuple[str, str, str]
Times = tuple[float, float]
Encode = Callable[[np.ndarray, np.ndarray], object]
BATCH, VOCABULARY = 64, 30_000
WORDS = "the treaty was signed by two countries in a small town near the northern border after many years of war"


def own_segments(count: int) -> list[Segment]:
    """Return sentences of about DEMETR's length; two translations share a source and a reference."""
    rng = random.Random(1)
    rows: list[Segment] = []
    while len(rows) < count:
        source, reference = (" ".join(rng.choices(WORDS.split(), k=22)) + "." for _ in range(2))
        rows += [(" ".join(rng.sample(reference.split(), 20)) + ".", reference, source) for _ in range(2)]
    return rows[:count]


def demetr_segments(folder: Path) -> list[list[Segment]]:
    """Return the original and the changed translation of every item, file by file."""
    files = []
    for path in sorted(folder.glob("*.jsonl.gz")):
        with gzip.open(path, "rt", encoding="utf-8") as lines:
            items = map(json.loads, lines)
            sides = ("mt_sent", "pert_sent")
            files.append([(row[side], row["eng_sent"], row["src_sent"]) for row in items for side in sides])
    return files


def alone(rows: list[Segment]) -> list[Segment]:
    """Return the rows whose texts did not occur before."""
    seen: set[str] = set()
    out = []
    for row in rows:
        if not seen.intersection(row):
            out.append(row)
        seen.update(row)
    return out


def timed(call: Callable[[], object]) -> Times:
    """Return seconds by the clock and of the processor, which other work on the machine affects less."""
    started, spent = time.perf_counter(), time.process_time()
    call()
    return time.perf_counter() - started, time.process_time() - spent


def score(tensors: dict[str, Any], rows: list[Segment], precise: bool, workers: int) -> Times:
    """Return the times of a new model for the rows; the model is made before."""
    model = Mini(tensors)
    columns = [list(column) for column in zip(*rows, strict=True)]
    return timed(lambda: model.score(columns[0], columns[1], columns[2], precise, workers))


def batches(model: Mini, rows: list[Segment]) -> list[tuple[np.ndarray, np.ndarray]]:
    """Return the distinct texts' subwords and masks, by length."""
    ids, starts, *_ = model.pieces(list(dict.fromkeys(text for row in rows for text in row)))
    texts = sorted((np.r_[0, ids[a:b][:400], 2] % VOCABULARY for a, b in itertools.pairwise(starts)), key=len)
    out = []
    for i in range(0, len(texts), BATCH):
        part = texts[i : i + BATCH]
        padded = np.ones((len(part), len(part[-1])), np.int64)
        for row, text in zip(padded, part, strict=True):
            row[: len(text)] = text
        lengths = np.array([len(text) for text in part])
        out.append((padded, (np.arange(padded.shape[1]) < lengths[:, None]).astype(np.int64)))
    return out


def torch_encoder(threads: int) -> tuple[Any, Encode]:
    """Build a BERT of assay-mini's size with random weights."""
    import torch
    from transformers import BertConfig, BertModel

    torch.set_num_threads(threads)
    torch.manual_seed(0)
    config = BertConfig(
        vocab_size=VOCABULARY, hidden_size=384, num_hidden_layers=12, num_attention_heads=12, intermediate_size=1536
    )
    model = BertModel(config, add_pooling_layer=False).eval()

    def encode(ids: np.ndarray, mask: np.ndarray) -> object:
        with torch.inference_mode():
            return model(input_ids=torch.from_numpy(ids), attention_mask=torch.from_numpy(mask)).last_hidden_state

    return model, encode


def onnx_encoder(model: Any, threads: int, folder: Path) -> Encode:
    """Build the same encoder in onnxruntime, with 8-bit matrices."""
    import onnxruntime
    import torch
    from onnxruntime.quantization import QuantType, quantize_dynamic

    class Vectors(torch.nn.Module):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.encoder = model

        def forward(self, ids: Any, mask: Any) -> Any:
            return self.encoder(input_ids=ids, attention_mask=mask).last_hidden_state

    plain, small = folder / "encoder.onnx", folder / "encoder.int8.onnx"
    example = torch.ones(2, 9, dtype=torch.int64)
    axes = {name: {0: "texts", 1: "pieces"} for name in ("input_ids", "attention_mask", "vectors")}
    names = {"input_names": ["input_ids", "attention_mask"], "output_names": ["vectors"], "dynamic_axes": axes}
    torch.onnx.export(Vectors(), (example, example), str(plain), dynamo=False, opset_version=17, **names)
    quantize_dynamic(str(plain), str(small), weight_type=QuantType.QInt8)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    session = onnxruntime.InferenceSession(str(small), options, providers=["CPUExecutionProvider"])
    return lambda ids, mask: session.run(None, {"input_ids": ids, "attention_mask": mask})


def run_all(encode: Encode, parts: list[tuple[np.ndarray, np.ndarray]]) -> Times:
    return timed(lambda: [encode(ids, mask) for ids, mask in parts])


def measure(contenders: dict[str, Callable[[], Times]], rounds: int) -> dict[str, Times]:
    """Return the best times of each; they alternate, so that other work on the machine affects all equally."""
    best: dict[str, Times] = {}
    for _ in range(rounds):
        for name, run in contenders.items():
            wall, processor = run()
            before = best.get(name, (wall, processor))
            best[name] = min(wall, before[0]), min(processor, before[1])
    return best


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument(
        "--demetr", type=Path, help="folder with DEMETR's .jsonl.gz files (default: built-in sentences)"
    )
    parser.add_argument("--weights", type=Path, help="folder of assay-mini's weights (default: the installed ones)")
    parser.add_argument("--segments", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument("--threads", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--without-peers", action="store_true", help="run only assay-mini")
    args = parser.parse_args()
    files = demetr_segments(args.demetr) if args.demetr else [own_segments(args.segments)]
    rows = [row for file in files for row in file[: -(-args.segments // len(files))]]
    cold = alone([row for file in files for row in file])[: args.segments]
    started = time.perf_counter()
    tensors = dict(load_mini(args.weights).tensors)
    model = Mini(tensors)
    print(
        f"{len(rows):,} segments that share, {len(cold):,} that do not; {model.processor}; load average {os.getloadavg()[0]:.1f}"
    )
    print(f"weights verified and loaded in {time.perf_counter() - started:.2f} s")
    for threads in dict.fromkeys((1, args.threads)):
        with tempfile.TemporaryDirectory() as folder:
            contenders = ours(tensors, rows, cold, threads)
            if not args.without_peers:
                contenders |= peers(batches(model, cold), threads, Path(folder))
            found = measure(contenders, args.rounds)
        print(
            f"\n{threads} thread{'s' * (threads > 1)}, best of {args.rounds}: segments/s (by the clock, by processor time)"
        )
        for name, times in found.items():
            wall, processor = ((len(rows) if "shared" in name else len(cold)) / seconds for seconds in times)
            print(f"  {name:<34}{wall:>8.1f}{processor:>8.1f}", flush=True)


def ours(
    tensors: dict[str, Any], rows: list[Segment], cold: list[Segment], threads: int
) -> dict[str, Callable[[], Times]]:
    return {
        "assay-mini, cold": lambda: score(tensors, cold, False, threads),
        "assay-mini, cold, 14 bits": lambda: score(tensors, cold, True, threads),
        "assay-mini, shared": lambda: score(tensors, rows, False, threads),
    }


def peers(parts: list[tuple[np.ndarray, np.ndarray]], threads: int, folder: Path) -> dict[str, Callable[[], Times]]:
    model, plain = torch_encoder(threads)
    out: dict[str, Callable[[], Times]] = {"transformers, fp32, encoder alone": lambda: run_all(plain, parts)}
    if all(importlib.util.find_spec(name) for name in ("onnx", "onnxruntime")):
        small = onnx_encoder(model, threads, folder)
        out["onnxruntime, int8, encoder alone"] = lambda: run_all(small, parts)
    return out


if __name__ == "__main__":
    main()
