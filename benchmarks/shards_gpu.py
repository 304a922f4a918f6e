"""Benchmark: a learned metric over shards in a worker's loop (this process, without Ray), compared with a plain run of
`assay.score`.

    PYTHONPATH=src:. python benchmarks/shards_gpu.py                   # COMET of base size in fp32, on the GPU if there is one
    PYTHONPATH=src:. python benchmarks/shards_gpu.py --precision fp16 --rows 100000 --shard 50000     # Python is the limit
    PYTHONPATH=src:. python benchmarks/shards_gpu.py --size tiny --rows 2000 --threads 1      # on a CPU

The checkpoint has random weights and a vocabulary trained on the texts (those of `benchmarks/shards.py`). The plain run scores
all rows of one file and writes nothing; the loop reads them from shards and writes shards. Both load their model before the
clock starts, and they alternate. The last line has the median of each and their ratio. Scores must agree.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from benchmarks.shards import rows, sentences

SHAPES = {"tiny": (64, 2, 4, 128), "base": (768, 12, 12, 3072), "large": (1024, 24, 16, 4096)}
"""Width, layers, heads and feed-forward width of the encoder."""


def checkpoint(folder: Path, shape: str, texts: list[str]) -> Path:
    """Write COMET with random weights in the official format."""
    import torch
    from tokenizers import Tokenizer, models, pre_tokenizers, trainers

    from assay.models.encoders.config import EncoderConfig, ModelConfig
    from assay.models.heads.checkpoint import save
    from assay.models.heads.comet import build_model

    learned = Tokenizer(models.BPE(unk_token="<unk>"))
    learned.pre_tokenizer = pre_tokenizers.Metaspace()
    special = ["<s>", "<pad>", "</s>", "<unk>"]
    learned.train_from_iterator(
        texts, trainers.BpeTrainer(vocab_size=7000, special_tokens=special, show_progress=False)
    )
    learned.save(str(folder / "tokenizer.json"))
    torch.manual_seed(0)
    config = ModelConfig.from_hparams(
        {"class_identifier": "regression_metric", "hidden_sizes": [SHAPES[shape][0], 64], "pretrained_model": "."}
    )
    model = build_model(config, EncoderConfig("xlm-roberta", *SHAPES[shape], learned.get_vocab_size()))
    for parameter in model.encoder.parameters():  # type: ignore[attr-defined]
        if parameter.dim() > 1:
            torch.nn.init.normal_(parameter, std=0.02)
    return save(model, folder / "model", folder / "tokenizer.json")


def main() -> None:
    """Measure, and print a line for each run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=30_000)
    parser.add_argument("--shard", type=int, default=15_000, help="rows in a shard")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--precision", default="fp32", help="fp32, fp16, bf16, auto (default: %(default)s)")
    parser.add_argument(
        "--threads", type=int, help="CPU threads (default: torch's); use 1 if other work keeps cores busy"
    )
    parser.add_argument("--size", choices=list(SHAPES), default="base")
    args = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="assay-shards-") as folder:
        measure(Path(folder), args)


def measure(folder: Path, args: argparse.Namespace) -> None:
    """Run plain and loop alternately."""
    import torch

    import assay
    from assay.corpus.discovery import table_shards
    from assay.corpus.execution import work
    from assay.corpus.job import ShardTask
    from assay.metrics import build_metrics
    from assay.verbs.shared.corpora import CorpusRun

    if args.threads:
        torch.set_num_threads(args.threads)
    known = sentences()
    place = checkpoint(folder, args.size, [text for pair in known for text in pair])
    made = [json.dumps(row, ensure_ascii=False) + "\n" for row in rows(known, args.rows, 1)]
    (folder / "in").mkdir()
    (folder / "whole.jsonl").write_text("".join(made), encoding="utf-8")
    for number, start in enumerate(range(0, len(made), args.shard)):
        (folder / "in" / f"{number:05}.jsonl").write_text("".join(made[start : start + args.shard]), encoding="utf-8")
    spec = f"{place}:precision={args.precision}"
    metrics = build_metrics([spec])
    shards = table_shards(folder / "in")[0]
    run = CorpusRun(str(folder / "out"), shards, {})
    job = replace(run.scoring_job(metrics, seed=1), threads=torch.get_num_threads())
    warm = replace(job, out=str(folder / "warm"))
    few = _few(folder, made)
    assay.score(data=few, metrics=list(metrics.values()), store=False)
    work(warm, ShardTask("shard", table_shards(few)[0][0]))

    def plain() -> list[float]:
        result = assay.score(
            data=folder / "whole.jsonl", metrics=list(metrics.values()), store=False, workers=job.threads
        )
        with result:
            return [float(value) for values in result.segments.values() for value in values]

    def loop() -> list[float]:
        for shard in shards:
            work(job, ShardTask("shard", shard))
        return []

    took: dict[str, list[float]] = {"plain": [], "loop": []}
    wanted: list[float] = []
    for _ in range(args.rounds):
        for name, run in (("plain", plain), ("loop", loop)):
            seconds, found = _timed(run)
            took[name].append(seconds)
            wanted = found or wanted
            print(f"{name}: {args.rows:,} rows in {seconds:.1f} s, {args.rows / seconds:,.0f} rows/s", flush=True)
    got = [
        json.loads(line)["scores"][spec]
        for shard in shards
        for line in (folder / "out" / shard.name).read_text(encoding="utf-8").splitlines()
    ]
    worst = max(abs(a - b) for a, b in zip(got, wanted, strict=True))
    rates = {name: args.rows / statistics.median(seconds) for name, seconds in took.items()}
    device = torch.cuda.get_device_name() if torch.cuda.is_available() else f"CPU, {torch.get_num_threads()} threads"
    print(
        f"{device}: plain {rates['plain']:,.0f} rows/s, loop {rates['loop']:,.0f} rows/s, ratio "
        f"{rates['loop'] / rates['plain']:.3f}; scores differ by {worst:.1e} at most",
        flush=True,
    )


def _few(folder: Path, made: list[str]) -> Path:
    (folder / "few").mkdir()
    few = folder / "few" / "few.jsonl"
    few.write_text("".join(made[:64]), encoding="utf-8")
    return few


def _timed(run: Callable[[], list[float]]) -> tuple[float, list[float]]:
    started = time.perf_counter()
    found = run()
    return time.perf_counter() - started, found


if __name__ == "__main__":
    main()
