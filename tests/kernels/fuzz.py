"""A search for texts on which a kernel differs from its twin, or from the tool whose numbers it promises.

    python -m tests.kernels.fuzz --seconds 60                          # against the twins
    python -m tests.kernels.fuzz --seconds 60 --originals              # against sacrebleu, rouge-score, rapidfuzz and NLTK
    python -m tests.kernels.fuzz --inputs 1000000 --compared 0.01      # mostly for what sanitizers see
    python -m tests.kernels.fuzz --seconds 60 --only Mini.score        # one kernel

An input is one row handed to one kernel with one choice of options. The last line of the output is a JSON object with the
inputs tried and compared and the differences found, kernel by kernel; runs can be added up. Every difference (the first five of
a kernel) has a line of its own before it, with all that is needed to make it a test.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import Counter
from collections.abc import Collection
from pathlib import Path
from types import ModuleType
from typing import Any, NamedTuple

from tests.kernels.calls import ARRAYS, TEXTS, Arguments, as_lists, kernel, load
from tests.kernels.texts import batch

SHOWN = 5
"""Differences of a kernel that are printed; the others are counted."""


class Limits(NamedTuple):
    """When a search ends, and how much of it is compared."""

    seconds: float
    inputs: int
    rows: int = 250
    compared: float = 0.05


class Search:
    """Random inputs through every kernel, and what was found."""

    def __init__(self, native: ModuleType, seed: int, originals: bool = False, only: Collection[str] = ()) -> None:
        self.native, self.seed, self.originals = native, seed, originals
        self.texts = {name: TEXTS[name] for name in only or TEXTS if name in TEXTS}
        self.arrays = {name: ARRAYS[name] for name in only or ARRAYS if name in ARRAYS}
        self.rng = random.Random(seed)
        self.tried: Counter[str] = Counter()
        self.compared: Counter[str] = Counter()
        self.differences: Counter[str] = Counter()
        if originals:
            from tests.kernels import originals as judges

            self.judges = judges.JUDGES
        else:
            from tests.kernels import specified

            self.judges = specified.JUDGES

    def run(self, limits: Limits) -> dict[str, Any]:
        """Search until a limit is reached; the counts of the run."""
        started = time.monotonic()
        while time.monotonic() - started < limits.seconds and sum(self.tried.values()) < limits.inputs:
            texts = batch(self.rng, limits.rows, long=limits.rows // 100)
            for name, draw in self.texts.items():
                arguments = draw(self.rng, texts)
                result = as_lists(kernel(self.native, name)(*arguments))
                self.tried[name] += limits.rows
                self.compare(name, arguments, result, limits.rows, limits.compared)
            for name, take in self.arrays.items():
                for _ in range(10):
                    arguments = take(self.rng)
                    self.tried[name] += 1
                    self.compare(name, arguments, as_lists(kernel(self.native, name)(*arguments)), 1, limits.compared)
        return {
            "seed": self.seed,
            "against": "originals" if self.originals else "twins",
            "seconds": round(time.monotonic() - started, 1),
            "inputs": sum(self.tried.values()),
            "tried": self.tried,
            "compared": self.compared,
            "differences": self.differences,
        }

    def compare(self, name: str, arguments: Arguments, result: Any, rows: int, share: float) -> None:
        """Hold some rows of a result against what they should be."""
        judge = self.judges.get(name)
        if judge is None:
            return
        for row in range(rows):
            if self.rng.random() >= share:
                continue
            verdict = judge(arguments, result, row)
            if verdict is None:
                continue
            self.compared[name] += 1
            expected, found = verdict
            if not same(expected, found):
                self.differences[name] += 1
                if self.differences[name] <= SHOWN:
                    report = {"kernel": name, "row": row, "expected": expected, "found": found}
                    say({**report, "arguments": one_row(arguments, row)})


def say(line: dict[str, Any]) -> None:
    """One line of JSON, at once: a crash may follow."""
    sys.stdout.write(json.dumps(line, default=repr) + "\n")
    sys.stdout.flush()


def same(expected: Any, found: Any) -> bool:
    """Equal, or as near as two orders of summation leave floating-point numbers."""
    if isinstance(expected, list | tuple) and isinstance(found, list | tuple):
        return len(expected) == len(found) and all(map(same, expected, found))
    if isinstance(expected, float) or isinstance(found, float):
        return (expected != expected and found != found) or abs(expected - found) <= 1e-9 * max(1.0, abs(expected))
    return bool(expected == found)


def one_row(arguments: Arguments, row: int) -> list[Any]:
    """The arguments cut down to the texts of one row, as far as they are texts."""

    def cut(value: Any) -> Any:
        if isinstance(value, list) and len(value) > row and all(isinstance(v, str | None) for v in value):
            return value[row : row + 1]
        return [cut(part) for part in value] if isinstance(value, list) else as_lists(value)

    return [cut(value) for value in arguments]


def main() -> int:
    """Search as the command line says; 1 where something differs."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so many")
    parser.add_argument("--inputs", type=int, default=sys.maxsize, help="stop after so many")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--rows", type=int, default=250, help="rows of one call")
    parser.add_argument("--compared", type=float, default=0.05, help="share of the rows that is compared")
    parser.add_argument("--only", action="append", choices=[*TEXTS, *ARRAYS], help="this kernel (may be repeated)")
    parser.add_argument("--originals", action="store_true", help="compare with the original tools instead of the twins")
    parser.add_argument("--module", type=Path, help="a build of the kernels other than the installed one")
    given = parser.parse_args()
    if given.module:
        native = load(given.module)
    else:
        from assay.kernels import _native as native  # type: ignore[no-redef]
    found = Search(native, given.seed, given.originals, given.only or ()).run(
        Limits(given.seconds, given.inputs, given.rows, given.compared)
    )
    say(found)
    return int(bool(found["differences"]))


if __name__ == "__main__":
    sys.exit(main())
