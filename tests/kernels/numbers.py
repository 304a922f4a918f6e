"""Are a kernel's numbers the same on another machine? Record them on both, and compare the records bit by bit.

    python -m tests.kernels.numbers record here.json.gz --inputs 20000         # on each machine, with the same seed
    python -m tests.kernels.numbers compare here.json.gz there.json.gz         # exit code 1 where a bit differs
    python -m tests.kernels.numbers compare here.json.gz there.json.gz --ulps 4      # or more than the last bits

An input is one row handed to one kernel with one choice of options, as in `fuzz.py`. What a machine was given is recorded too, so
that another text or another weight is not taken for another number. Last bits may differ where machines have different C
libraries: BLEU, METEOR and assay-mini take exp, log and pow from there.
"""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import math
import platform
import random
import sys
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from assay.kernels import _native
from tests.kernels.calls import ARRAYS, TEXTS, as_lists, kernel
from tests.kernels.mini_model import random_model
from tests.kernels.texts import batch

ROWS = 50
"""Rows of one call."""


def exact(value: Any) -> Any:
    """A result as JSON that keeps every bit: floating-point numbers in hexadecimal."""
    if isinstance(value, list | tuple):
        return [exact(part) for part in value]
    return value.hex() if isinstance(value, float) else value


def digest(value: Any) -> str:
    """What went into a call, in one word."""
    return hashlib.sha256(json.dumps(exact(as_lists(value)), default=repr).encode()).hexdigest()[:16]


def record(inputs: int, seed: int) -> dict[str, Any]:
    """The numbers of every kernel on random inputs, and of the model that assay-mini's kernels were given."""
    rng = random.Random(seed)
    model = {name: np.asarray(tensor).tobytes().hex() for name, tensor in random_model(layers=3).items()}
    calls: list[dict[str, Any]] = []
    rows = 0
    while rows < inputs:
        texts = batch(rng, ROWS, long=1)
        drawn = [(name, draw(rng, texts), ROWS) for name, draw in TEXTS.items()]
        drawn += [(name, take(rng), 1) for name, take in ARRAYS.items() for _ in range(ROWS)]
        for name, arguments, count in drawn:
            result = exact(as_lists(kernel(_native, name)(*arguments)))
            calls.append({"kernel": name, "rows": count, "given": digest(list(arguments)), "result": result})
            rows += count
    machine = (
        f"{platform.system()} {platform.machine()}, {platform.python_implementation()} {platform.python_version()}"
    )
    return {"machine": machine, "seed": seed, "model": digest(model), "calls": calls}


def apart(one: Any, other: Any) -> float:
    """How far two results are from each other, in units in the last place; infinity where they are not comparable."""
    if one == other:
        return 0
    if isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        return max(map(apart, one, other))
    try:
        a, b = float.fromhex(one), float.fromhex(other)
    except (TypeError, ValueError):
        return math.inf
    return abs(a - b) / math.ulp(a) if math.isfinite(a - b) else math.inf


class Compared(NamedTuple):
    """One kernel on two machines."""

    rows: int
    different: int
    farthest: float


def compare(one: dict[str, Any], other: dict[str, Any]) -> dict[str, Compared]:
    """Kernel to rows compared, calls that differ, and by how much. Records of different inputs cannot be compared."""
    found: dict[str, Compared] = {}
    if one["model"] != other["model"] or len(one["calls"]) != len(other["calls"]):
        raise ValueError("the records are of different inputs or weights")
    for a, b in zip(one["calls"], other["calls"], strict=True):
        if (a["kernel"], a["given"]) != (b["kernel"], b["given"]):
            raise ValueError(f"the records differ in what was given to {a['kernel']}")
        before, far = found.get(a["kernel"], Compared(0, 0, 0)), apart(a["result"], b["result"])
        found[a["kernel"]] = Compared(before.rows + a["rows"], before.different + (far > 0), max(before.farthest, far))
    return found


def read(path: Path) -> dict[str, Any]:
    """A record."""
    with gzip.open(path, "rt", encoding="utf-8") as file:
        found: dict[str, Any] = json.load(file)
    return found


def main() -> int:
    """Record, or compare two records."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    verbs = parser.add_subparsers(dest="verb", required=True)
    writing = verbs.add_parser("record")
    writing.add_argument("out", type=Path)
    writing.add_argument("--inputs", type=int, default=20_000)
    writing.add_argument("--seed", type=int, default=1)
    comparing = verbs.add_parser("compare")
    comparing.add_argument("records", type=Path, nargs=2)
    comparing.add_argument("--ulps", type=float, default=0, help="units in the last place that may differ (default: 0)")
    given = parser.parse_args()
    if given.verb == "record":
        with gzip.open(given.out, "wt", encoding="utf-8") as file:
            json.dump(record(given.inputs, given.seed), file)
        return 0
    one, other = map(read, given.records)
    found = compare(one, other)
    total = sum(each.rows for each in found.values())
    lines = [f"{one['machine']} and {other['machine']}: {total:,} inputs compared"]
    for name, each in found.items():
        far = f"{each.different} calls differ, by at most {each.farthest:g} units in the last place"
        lines.append(f"  {name:16} {each.rows:8,} inputs  {far if each.different else 'the same bits'}")
    sys.stdout.write("\n".join(lines) + "\n")
    return int(any(each.farthest > given.ulps for each in found.values()))


if __name__ == "__main__":
    sys.exit(main())
