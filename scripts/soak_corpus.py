"""Soak test of corpora: workers and drivers are killed, and the output folder ends with the bytes of an uninterrupted run.

python scripts/soak_corpus.py --workers 20 --drivers 10        # at the end: soak: 20 workers and 10 drivers killed (…), 0 lost
python scripts/soak_corpus.py --engine ray                     # the same on its own Ray cluster
"""

from __future__ import annotations

import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from tests.corpus.clusters import Cluster  # noqa: E402
from tests.corpus.corpora import contents, corpus  # noqa: E402
from tests.corpus.test_faults import command, workers_of  # noqa: E402

METRICS = ("-m", "tests.corpus.odd_metrics:Slow", "-m", "chrf", "--dedup", "pair")


def main() -> int:
    """Kill until the numbers are reached; return 1 if anything was lost."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--workers", type=int, default=20)
    parser.add_argument("--drivers", type=int, default=10)
    parser.add_argument("--shards", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--engine", choices=("local", "ray"), default="local")
    args = parser.parse_args()
    rng, place = random.Random(args.seed), Path(tempfile.mkdtemp(prefix="assay-soak-"))
    killed = {"workers": 0, "drivers": 0, "under way": 0, "rounds": 0}
    lost: list[str] = []
    cluster = Cluster() if args.engine == "ray" else None
    words: tuple[str, ...] = METRICS
    try:
        if cluster is not None:
            os.environ.update(cluster.environment)
            cluster.start(2)
            words = (*METRICS, "--engine", "ray", "--address", cluster.address)
        corpus(place / "in", args.shards)
        whole = command(place / "in", place / "whole", *METRICS)
        started = time.monotonic()
        if whole.wait():
            raise SystemExit("soak: the run fails even without kills.")
        took, wanted = time.monotonic() - started, contents(place / "whole")
        while killed["workers"] < args.workers or killed["drivers"] < args.drivers:
            shutil.rmtree(place / "out", ignore_errors=True)
            while True:
                process = command(place / "in", place / "out", *words)
                dead = _kill(process, place / "out", rng, took, killed, args, cluster)
                _, said = process.communicate()
                found = contents(place / "out")
                lost += [name for name in found if name[0] not in "._" and found[name] != wanted[name]]
                if not dead:
                    break
            killed["rounds"] += 1
            if process.returncode or found != wanted:
                lost.append(f"a round ended with {process.returncode}: {said.strip()}")
    finally:
        if cluster is not None:
            cluster.stop()
        shutil.rmtree(place, ignore_errors=True)
    print(
        f"soak: {killed['workers']} workers and {killed['drivers']} drivers killed ({killed['under way']} while some shards were "
        f"done and some not), {killed['rounds']} rounds of {args.shards} shards ended, {len(lost)} lost {lost[:3] or ''}".rstrip()
    )
    return 1 if lost else 0


def _half_done(out: Path, shards: int) -> bool:
    """Return whether some shards are finished and some are not."""
    return 0 < sum(path.name[0] not in "._" for path in out.glob("*")) < shards


def _kill(
    process: subprocess.Popen[str],
    out: Path,
    rng: random.Random,
    took: float,
    killed: dict[str, int],
    args: argparse.Namespace,
    cluster: Cluster | None,
) -> bool:
    """Kill workers at random moments, then perhaps the driver; return whether it was the driver."""
    end = time.monotonic() + rng.uniform(0.2, 1) * took
    driver = killed["drivers"] < args.drivers
    while process.poll() is None and (time.monotonic() < end or not driver):
        time.sleep(rng.uniform(0.05, 0.3) * took)
        if killed["workers"] < args.workers and (
            found := cluster.workers() if cluster is not None else workers_of(process)
        ):
            half = _half_done(out, args.shards)
            try:
                os.kill(rng.choice(found), signal.SIGKILL)
            except ProcessLookupError:
                continue
            killed["workers"] += 1
            killed["under way"] += half
        elif not driver:
            break
    if driver and process.poll() is None:
        killed["under way"] += _half_done(out, args.shards)
        process.send_signal(signal.SIGKILL)
        killed["drivers"] += 1
        return True
    return False


if __name__ == "__main__":
    sys.exit(main())
