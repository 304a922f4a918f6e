"""Soak test: kills at random moments, four writers and full disks; every long verb resumes and ends with the same bytes.

    python scripts/soak.py --kills 1000 --seed 1        # JSON lines, and at the end: soak: 1000 kills, 0 lost

A round starts a verb, kills it with SIGKILL up to eight times, repeats the command until it is complete, and compares its
output with that of an uninterrupted run. After every kill, no file under its final name may differ from that run's. The exit
code is 1 if anything was lost.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import resource
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT)]

from scripts.soak_jobs import Job, files_of, jobs_in, serve  # noqa: E402


@dataclass
class Soak:
    """The folder of a soak test, and its results so far."""

    place: Path
    rng: random.Random
    environment: dict[str, str]
    kills: Counter[str] = field(default_factory=Counter)
    lost: list[str] = field(default_factory=list)
    took: dict[str, float] = field(default_factory=dict)
    whole: dict[str, dict[str, bytes]] = field(default_factory=dict)

    def start(self, job: Job, out: Path, cache: Path, limit: int | None = None) -> subprocess.Popen[str]:
        """Run `job` in a separate session; `limit` is the maximum size of a file."""
        job.prepare(out)
        return subprocess.Popen(
            [sys.executable, "-m", "assay", *job.arguments(out)],
            env={**self.environment, "ASSAY_CACHE_DIR": str(cache)},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
            preexec_fn=(lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))) if limit else None,  # noqa: PLW1509
        )

    def lose(self, what: str) -> None:
        """Record a loss and report it at once."""
        self.lost.append(what)
        tell(what="lost", how=what)

    def fresh(self, name: str) -> tuple[Path, Path]:
        """Make empty folders for output and cache."""
        folder = self.place / name
        shutil.rmtree(folder, ignore_errors=True)
        (folder / "out").mkdir(parents=True)
        return folder / "out", folder / "cache"

    def unbroken(self, job: Job) -> None:
        """Return the output of `job` without interruptions, and its duration."""
        out, cache = self.fresh("whole")
        started = time.monotonic()
        process = self.start(job, out, cache)
        _, said = process.communicate()
        self.took[job.name], self.whole[job.name] = time.monotonic() - started, files_of(out)
        if process.returncode or not self.whole[job.name]:
            raise SystemExit(f"soak: {job.name} does not run even without interruptions: {said.strip()}")

    def finish(self, job: Job, out: Path, cache: Path, what: str) -> bool:
        """Repeat the command until it is complete, and compare; record any difference."""
        process = self.start(job, out, cache)
        _, said = process.communicate()
        found = files_of(out)
        same = process.returncode == 0 and found == self.whole[job.name]
        if not same:
            names = found.keys() | self.whole[job.name].keys()
            differ = sorted(name for name in names if found.get(name) != self.whole[job.name].get(name))
            self.lose(f"{what}: status {process.returncode}, differing {differ}, {said.strip()[-300:]}")
        return same

    def kill(self, job: Job, process: subprocess.Popen[str], out: Path) -> None:
        """Send SIGKILL at a random moment, unless the run is complete before; no incomplete file may have its final name."""
        try:
            process.wait(self.rng.uniform(0, self.took[job.name]))
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            self.kills[job.name] += 1
        process.communicate()
        whole = self.whole[job.name]
        half = [name for name, data in files_of(out).items() if name in whole and data != whole[name]]
        if half:
            self.lose(f"{job.name}: half-written after a kill: {half}")

    def round(self, job: Job) -> None:
        """Kill one to eight times, then complete the run."""
        out, cache = self.fresh("round")
        before = self.kills[job.name]
        for _ in range(self.rng.choice((1, 2, 4, 8))):
            self.kill(job, self.start(job, out, cache), out)
        same = self.finish(job, out, cache, job.name)
        tell(what="kills", job=job.name, kills=self.kills[job.name] - before, same=same)

    def writers(self, job: Job) -> None:
        """Run four at once on one store, killing some; each must end with the same bytes, and the store must be valid."""
        _, cache = self.fresh("writers")
        outs = [self.place / "writers" / f"out{k}" for k in range(4)]
        for out in outs:
            out.mkdir()
        before = self.kills[job.name]
        processes = [self.start(job, out, cache) for out in outs]
        doomed = self.rng.randrange(1, 4)
        for process, out in list(zip(processes, outs, strict=True))[:doomed]:
            self.kill(job, process, out)
        for process in processes[doomed:]:
            process.communicate()
        same = sum(self.finish(job, out, cache, "four writers") for out in outs)
        sound = [_sound(path) for path in (cache / "store").glob("scores-*.sqlite")]
        if not sound or not all(sound):
            self.lose("four writers: the store is damaged")
        tell(what="four writers", job=job.name, kills=self.kills[job.name] - before, same=same)

    def full_disk(self, job: Job) -> None:
        """Run with too little disk space, then enough: one sentence or the same bytes, no incomplete file, and the run
        resumes.
        """
        out, cache = self.fresh("full")
        where, size = self.rng.choice((out, cache)), self.rng.randrange(8, 400) * 1024
        with small_disk(where, size) as mounted:
            process = self.start(job, out, cache, None if mounted else size)
            _, said = process.communicate()
            found = files_of(out)
            calm = process.returncode in (0, 2) and "Traceback" not in said and "bug in assay" not in said
            if not calm or (process.returncode == 0 and found != self.whole[job.name]):
                self.lose(f"full disk, {job.name}: status {process.returncode}, {said.strip()[-300:]}")
            if any(
                data != self.whole[job.name].get(name) for name, data in found.items() if name in self.whole[job.name]
            ):
                self.lose(f"full disk, {job.name}: half-written output")
            if mounted:
                subprocess.run(["mount", "-o", "remount,size=256m", str(where)], check=True)
            same = self.finish(job, out, cache, f"full disk, {job.name}")
        how = "mounted" if mounted else "file size"
        tell(
            what="full disk", job=job.name, where=where.name, how=how, bytes=size, status=process.returncode, same=same
        )


@contextmanager
def small_disk(folder: Path, size: int) -> Iterator[bool]:
    """Mount a file system of the given size at `folder`; return False if mounting is not permitted."""
    folder.mkdir(exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    try:
        yield mounted
    finally:
        if mounted:
            subprocess.run(["umount", "-l", str(folder)], check=True)


def tell(**facts: object) -> None:
    """Print one line of the report."""
    print(json.dumps(facts), flush=True)


def _sound(path: Path) -> bool:
    connection = sqlite3.connect(path)
    try:
        return connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    finally:
        connection.close()


def soak(names: Sequence[str], kills: int, seed: int, small: bool) -> int:
    """Run rounds until the number of kills is reached; every fifth uses four writers, every fifth a full disk."""
    with tempfile.TemporaryDirectory(prefix="assay-soak-") as folder, serve() as address:
        python_path = os.pathsep.join([str(ROOT / "scripts"), str(ROOT), os.environ.get("PYTHONPATH", "")])
        environment = {**os.environ, "PYTHONPATH": python_path, "SOAK_SERVER": address, "OMP_NUM_THREADS": "1"}
        run = Soak(Path(folder), random.Random(seed), environment)
        jobs = [job for job in jobs_in(Path(folder) / "inputs", small) if not names or job.name in names]
        for job in jobs:
            run.unbroken(job)
            tell(what="unbroken", job=job.name, seconds=round(run.took[job.name], 2), files=len(run.whole[job.name]))
        stored, spooled = ([job for job in jobs if getattr(job, kind)] for kind in ("stored", "spooled"))
        number = 0
        while run.kills.total() < kills:
            number += 1
            if number % 5 == 3 and stored:
                run.writers(run.rng.choice(stored))
            elif number % 5 == 0 and spooled:
                run.full_disk(run.rng.choice(spooled))
            else:
                run.round(jobs[number % len(jobs)])
        tell(what="all", seed=seed, rounds=number, kills=dict(run.kills), lost=run.lost)
    print(f"soak: {run.kills.total():,} kills, {len(run.lost)} lost")
    return 1 if run.lost else 0


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--kills", type=int, default=1000, help="number of kills")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", action="append", default=[], metavar="JOB", help="only this verb (repeatable)")
    parser.add_argument("--small", action="store_true", help="short inputs")
    given = parser.parse_args()
    raise SystemExit(soak(given.only, given.kills, given.seed, given.small))
