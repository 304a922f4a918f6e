"""Mutated files through every reader: whatever is no AssayError, takes 5 s or a gigabyte is a finding.

    python -m tests.fuzz.readers --inputs 100000 --seed 1 [--seconds 60] [--target NAME ...] [--keep FOLDER]

One JSON line a finding, the first of its kind (reader, error, line of code), then one line with the counts, which add up over
runs. `--keep` takes a copy of each file that was found. Seeds are the small valid files of `targets`, and the files of
``shared/attack/crash.tar.xz`` where it lies beside the repository. Exit 1 when anything was found.
"""

from __future__ import annotations

import argparse
import collections
import json
import os
import random
import resource
import signal
import sys
import tarfile
import tempfile
import time
import traceback
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TextIO

from assay.core.errors import AssayError
from tests.data import SHARED
from tests.fuzz.mutations import mutate
from tests.fuzz.target import Target
from tests.fuzz.targets import all_targets

MOST_SECONDS = 5.0
"""Of the processor, so that a busy machine finds nothing of its own."""
MOST_BYTES = 1 << 30
MOST_MEMORY = 6 << 30
"""Of address space, so that a bomb ends the run and not the machine."""


class TooLong(BaseException):
    """Raised by the timer in the middle of a reader."""


@dataclass
class Tally:
    """What came of it so far."""

    inputs: collections.Counter[str] = field(default_factory=collections.Counter)
    read: int = 0
    refused: int = 0
    found: dict[tuple[str, str, str], int] = field(default_factory=dict)

    def line(self, seed: int, seconds: float) -> str:
        """The counts, as JSON."""
        counts: dict[str, Any] = {"inputs": self.inputs.total(), "read": self.read, "refused": self.refused}
        kinds = [" ".join(key) for key in self.found]
        return json.dumps(
            {**counts, "findings": sum(self.found.values()), "kinds": kinds, "seed": seed, "seconds": round(seconds, 1)}
        )


class Driver:
    """Mutates, reads and keeps count; files lie in a folder in memory where there is one."""

    def __init__(self, seed: int, wanted: Sequence[str] = (), keep: Path | None = None) -> None:
        self.draw, self.seed, self.keep, self.tally = random.Random(seed), seed, keep, Tally()
        memory = Path("/dev/shm")
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz", dir=memory if memory.is_dir() else None)
        self.folder = Path(self._folder.name)
        (self.folder / "prepared").mkdir()
        targets = all_targets(self.folder / "prepared")
        self.targets = [one for one in targets if not wanted or any(one.name.startswith(name) for name in wanted)]
        self.seeds = {one.name: [one.seed, *crashes().get(one.name, ())] for one in self.targets}
        self._prepared: set[str] = set()

    def whole(self) -> list[str]:
        """The targets whose own seed is not read: mutating it would prove nothing."""
        wrong = []
        for target in self.targets:
            try:
                target.read(self._write(target, target.seed))
            except Exception as error:
                wrong.append(f"{target.name}: {type(error).__name__}: {error}")
        return wrong

    def run(self, inputs: int, seconds: float) -> None:
        """So many files, or so many seconds of them."""
        weights = [target.weight for target in self.targets]
        end, last = time.monotonic() + seconds, time.monotonic()
        while self.tally.inputs.total() < inputs and time.monotonic() < end:
            for target in self.draw.choices(self.targets, weights, k=min(200, inputs - self.tally.inputs.total())):
                self._one(target)
            if time.monotonic() - last > 60:
                last = time.monotonic()
                say(self.tally.line(self.seed, last - end + seconds), sys.stderr)

    def _write(self, target: Target, data: bytes) -> Path:
        home = self.folder / target.name.replace("/", "_")
        path = home / target.file
        if target.name not in self._prepared:
            for name, content in ((target.file, b""), *target.beside):
                (home / name).parent.mkdir(parents=True, exist_ok=True)
                (home / name).write_bytes(content)
            self._prepared.add(target.name)
        path.write_bytes(data)
        return path

    def _one(self, target: Target) -> None:
        data = mutate(self.draw.choice(self.seeds[target.name]), target.suffix, self.draw)
        path = self._write(target, data)
        self.tally.inputs[target.name] += 1
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        signal.setitimer(signal.ITIMER_PROF, MOST_SECONDS)
        try:
            target.read(path)
            self.tally.read += 1
        except AssayError as error:
            self.tally.refused += 1
            if "\n" in str(error):
                self._finding(target, data, error, "several lines")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            self._finding(target, data, error, type(error).__name__)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        if (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) << 10 > MOST_BYTES:
            self._finding(target, data, None, "more than a gigabyte")

    def _finding(self, target: Target, data: bytes, error: BaseException | None, what: str) -> None:
        frames = [] if error is None else traceback.extract_tb(error.__traceback__)
        ours = [frame for frame in frames if f"{os.sep}assay{os.sep}" in frame.filename]
        where = f"{ours[-1].filename.rpartition('/assay/')[2]}:{ours[-1].lineno}" if ours else ""
        key = (target.name, what, where)
        if key not in self.tally.found:
            name = f"{target.name}-{what}-{where}".replace("/", "_").replace(" ", "_") + Path(target.file).suffix
            if self.keep is not None:
                self.keep.mkdir(parents=True, exist_ok=True)
                (self.keep / name).write_bytes(data)
            said = {"reader": target.name, "error": what, "where": where, "said": str(error)[:200], "file": name}
            say(json.dumps({**said, "bytes": len(data), "seed": self.seed}))
        self.tally.found[key] = self.tally.found.get(key, 0) + 1

    def close(self) -> None:
        """Remove the files."""
        self._folder.cleanup()


def crashes() -> dict[str, list[bytes]]:
    """The files that once gave an unhandled error, by reader; none where they are not at hand."""
    found: dict[str, list[bytes]] = {}
    path = SHARED / "attack" / "crash.tar.xz"
    if path.exists():
        with tarfile.open(path) as tar:
            for member in tar:
                file = tar.extractfile(member)
                if file is not None:
                    name = Path(member.name).name.partition("-")[0].removesuffix(".gz")
                    found.setdefault({"panic.parquet": "table.parquet"}.get(name, name), []).append(file.read())
    return found


def say(line: str, stream: TextIO | None = None) -> None:
    """Write a line at once."""
    out = stream or sys.stdout
    out.write(line + "\n")
    out.flush()


def too_long(*_: object) -> None:
    """Ends a reader that takes too long."""
    raise TooLong(f"more than {MOST_SECONDS:g} s")


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(description="Mutated files through every reader.")
    parser.add_argument("--inputs", type=int, default=1_000_000_000)
    parser.add_argument("--seconds", type=float, default=1e9)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--target", action="append", default=[], help="only readers whose name begins so")
    parser.add_argument("--keep", type=Path, help="a folder for the files that were found")
    chosen = parser.parse_args(arguments)
    warnings.simplefilter("ignore")
    signal.signal(signal.SIGPROF, too_long)
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, resource.getrlimit(resource.RLIMIT_AS)[1]))
    driver, start = Driver(chosen.seed, chosen.target, chosen.keep), time.monotonic()
    try:
        if wrong := driver.whole():
            say("\n".join(wrong), sys.stderr)
            return 2
        driver.run(chosen.inputs, chosen.seconds)
    finally:
        say(driver.tally.line(chosen.seed, time.monotonic() - start))
        driver.close()
    return 1 if driver.tally.found else 0


if __name__ == "__main__":
    sys.exit(main())
