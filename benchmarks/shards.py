"""Benchmark: speed and memory of a corpus in many files, with local workers and Ray's, compared with a loop of `assay.score`.

    python benchmarks/shards.py --rows 20000000             # with half of them, and with all of them
    python benchmarks/shards.py --rows 2000000 --metric chrf --workers 2 --keep-data

The corpus is made from NTREX-128 (English to German, pairs of its lines joined), in JSON lines and in Parquet alternately, in
a folder that is removed afterwards. Memory is the largest resident size of the driver and of a worker, as the system counts it.
Processor time is that of all processes that the run has started, including Ray's own.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NTREX = Path(os.environ.get("ASSAY_SHARED", ROOT.parent / "shared")) / "data" / "ntrex"
FALLBACK = [
    ("The house is blue.", "Das Haus ist blau."),
    ("He did not come.", "Er kam nicht."),
    ("It rains.", "Es regnet heute."),
]


def sentences(folder: Path = NTREX) -> list[tuple[str, str]]:
    """Return English and German sentences: those of NTREX if available, otherwise a few built-in ones."""
    from assay.io.files.text import read_text

    files = [folder / "src.eng.txt.gz", folder / "ref.deu.txt.gz"]
    if not all(path.is_file() for path in files):
        return FALLBACK
    english, german = (read_text(path).splitlines() for path in files)
    return list(zip(english, german, strict=True))


def rows(known: list[tuple[str, str]], n: int, seed: int) -> Iterator[dict[str, str]]:
    """Return rows of two sentences each, with a translation that lacks some words."""
    rng = random.Random(seed)
    for i in range(n):
        (s1, r1), (s2, r2) = rng.choice(known), rng.choice(known)
        words = f"{r1} {r2}".split()
        cut = rng.randrange(len(words))
        yield {
            "id": f"{seed}-{i}",
            "src": f"{s1} {s2}",
            "mt": " ".join(words[:cut] + words[cut + 1 :]),
            "ref": f"{r1} {r2}",
        }


def make(folder: Path, total: int, shard: int, before: int = 0) -> None:
    """Write shards of equal size, JSON lines and Parquet alternately; those of the rows `before` exist already."""
    import polars

    known = sentences()
    for number, start in enumerate(range(0, total, shard)):
        if start + shard <= before:
            continue
        made = list(rows(known, min(shard, total - start), number))
        if number % 2:
            polars.DataFrame(made).write_parquet(folder / f"part-{number:05}.parquet")
        else:
            with (folder / f"part-{number:05}.jsonl").open("w", encoding="utf-8") as file:
                file.writelines(json.dumps(row, ensure_ascii=False) + "\n" for row in made)


def plain(folder: Path, metrics: list[str]) -> tuple[float, float, int]:
    """Score the shards in a loop of `assay.score` with texts; return seconds, processor seconds and rows."""
    import assay

    started, before, n = time.perf_counter(), time.process_time(), 0
    for path in sorted(folder.iterdir()):
        with assay.score(data=path, metrics=metrics, texts=True) as result:
            n += len(result)
            result.to_polars().write_parquet(folder.parent / "plain.parquet")
    return time.perf_counter() - started, time.process_time() - before, n


def local(folder: Path, out: Path, metrics: list[str], workers: int, engine: str = "local") -> dict[str, float]:
    """Score a corpus in a separate process; return seconds, rows, and the largest memory of the driver and of a worker in MB."""
    words = [sys.executable, __file__, "--one", str(folder), str(out), ",".join(metrics), str(workers), engine]
    done = subprocess.run(words, check=True, capture_output=True, text=True)
    found: dict[str, float] = json.loads(done.stdout)
    return found


def one(folder: str, out: str, metrics: str, workers: str, engine: str) -> None:
    """The process that `local` runs."""
    from assay.verbs.score import score

    most, used = {"driver": 0.0, "worker": 0.0}, dict[int, float]()

    def look(_: object) -> None:
        most["driver"] = max(most["driver"], largest(os.getpid()))
        for process in descendants(os.getpid()):
            used[process] = max(used.get(process, 0.0), processor(process))
            if b"ray" not in (told := command(process)) or told.startswith(b"ray::ShardWorker"):
                most["worker"] = max(most["worker"], largest(process))

    started = time.perf_counter()
    result = score(data=folder, out=out, metrics=metrics.split(","), workers=int(workers), engine=engine, progress=look)
    took = time.perf_counter() - started
    look(None)
    cpu = time.process_time() + sum(used.values())
    print(json.dumps({"seconds": took, "cpu": cpu, "rows": result.counts["rows"], **most}))


def processor(process: int) -> float:
    """Return the processor seconds of a process; 0 if the system does not report them."""
    try:
        told = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    except OSError:
        return 0.0
    return (int(told[11]) + int(told[12])) / os.sysconf("SC_CLK_TCK")


def command(process: int) -> bytes:
    """Return the command line of a process."""
    try:
        return Path(f"/proc/{process}/cmdline").read_bytes()
    except OSError:
        return b""


def descendants(process: int) -> list[int]:
    """Return the descendants of a process."""
    found = children(process)
    return found + [deeper for child in found for deeper in descendants(child)]


def children(process: int) -> list[int]:
    """Return the children of a process; none if the system does not report them."""
    try:
        return [int(pid) for pid in Path(f"/proc/{process}/task/{process}/children").read_text().split()]
    except OSError:
        return []


def largest(process: int) -> float:
    """Return the largest resident size of a process since its start in MB; 0 if the system does not report it.

    (`getrusage` for a child starts with the size of its parent.)
    """
    try:
        told = Path(f"/proc/{process}/status").read_text()
    except OSError:
        return 0.0
    found = [line.split()[1] for line in told.splitlines() if line.startswith("VmHWM:")]
    return float(found[0]) / 1024 if found else 0.0


def main() -> None:
    """Measure, and print a line for each run."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--shard", type=int, default=250_000, help="rows in a shard")
    parser.add_argument("--metric", action="append", default=None)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--engine", action="append", choices=("local", "ray"), help="default: both, ray if installed")
    parser.add_argument("--folder", help="folder for the corpus (default: temporary files)")
    parser.add_argument("--keep-data", action="store_true", help="keep the corpus")
    parser.add_argument("--one", nargs=5, help=argparse.SUPPRESS)
    args = parser.parse_args()
    if args.one:
        one(*args.one)
        return
    metrics = args.metric or ["chrf"]
    engines = args.engine or ["local", *(["ray"] if find_spec("ray") else [])]
    place = Path(tempfile.mkdtemp(prefix="assay-shards-", dir=args.folder))
    corpus, out, half = place / "in", place / "out", args.rows // 2
    corpus.mkdir()
    try:
        for total, before in ((half, 0), (args.rows, half)):
            make(corpus, total, args.shard, before)
            for engine in engines:
                ran = local(corpus, out, metrics, args.workers, engine)
                print(
                    f"{engine}, {args.workers} workers: {ran['rows']:,.0f} rows in {ran['seconds']:.1f} s, "
                    f"{ran['rows'] / ran['seconds']:,.0f} rows/s, {ran['rows'] / ran['cpu']:,.0f} rows/s of processor time, "
                    f"driver {ran['driver']:.0f} MB, worker {ran['worker']:.0f} MB",
                    flush=True,
                )
                shutil.rmtree(out)
            if total == half:
                took, used, n = plain(corpus, metrics)
                print(
                    f"a loop of assay.score: {n:,} rows in {took:.1f} s, {n / took:,.0f} rows/s, "
                    f"{n / used:,.0f} rows/s of processor time",
                    flush=True,
                )
    finally:
        if not args.keep_data:
            shutil.rmtree(place, ignore_errors=True)


if __name__ == "__main__":
    main()
