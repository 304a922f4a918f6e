"""Benchmark: microseconds per key in the store, milliseconds per chunk of the progress file, megabytes per second of reading.

    python benchmarks/store.py [ENTRIES]

A metric whose cost per segment is below the sum of key, look-up and unpacking is cheaper to compute than to store.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from assay.core.batch import Batch
from assay.core.metric import Scores
from assay.engine.progress_file import ProgressFile
from assay.engine.records import pack, unpack
from assay.engine.store import Store
from assay.io.files.text import read_lines

CHUNK = 8192


def timed(label: str, count: int, action: Callable[[], object], unit: str = "µs a key", scale: float = 1e6) -> None:
    start = time.perf_counter()
    action()
    print(f" {label:<34}{(time.perf_counter() - start) / count * scale:8.2f} {unit}")


def store(folder: Path, n: int) -> None:
    texts = [
        f"{i} Ein Satz von mittlerer Länge, wie er in jedem Text steht, und noch ein paar Wörter." for i in range(n)
    ]
    batch = Batch(texts, references=(texts[::-1],))
    kept = Store(folder)
    keys: list[bytes] = []
    timed("key", n, lambda: keys.extend(Store.keys("metric|v:1", batch)))
    scores = Scores(np.random.default_rng(1).random(n), stats=np.ones((n, 6)), flags={"empty": np.zeros(n, bool)})
    records: list[bytes] = []
    timed("pack", n, lambda: records.extend(pack(scores)))
    parts = [slice(at, at + CHUNK) for at in range(0, n, CHUNK)]
    timed(
        f"put, {CHUNK:,} a transaction",
        n,
        lambda: [kept.put_many(zip(keys[p], records[p], strict=True)) for p in parts],
    )
    timed("get, all there", n, lambda: [kept.get_many(keys[p]) for p in parts])
    absent = Store.keys("other|v:1", batch)
    timed("get, none there", n, lambda: [kept.get_many(absent[p]) for p in parts])
    timed("unpack", n, lambda: unpack(records))
    timed("put, one a transaction", 500, lambda: [kept.put_many([(key, records[0])]) for key in absent[:500]])
    timed("get, one a call", 500, lambda: [kept.get_many([key]) for key in keys[:500]])
    print(f" {kept.info().entries:,} entries, {kept.info().bytes / 1e6:.0f} MB")


def spool(folder: Path) -> None:
    arrays = {"values": np.ones(CHUNK), "stats": np.ones((CHUNK, 18))}
    with ProgressFile.open("benchmark", folder) as spooled:
        timed("spool put, 8,192 × 19 numbers", 20, lambda: [spooled.put(i, b"h", arrays) for i in range(20)], "ms", 1e3)
        timed("spool get", 20, lambda: [spooled.get(i, b"h") for i in range(20)], "ms", 1e3)
        spooled.finish()


def reading(folder: Path) -> None:
    for name, line in {
        "ASCII": "The contract was signed in 1979 by two countries that had not spoken to each other for years.\n",
        "German": "Der Vertrag wurde 1979 von zwei Ländern unterzeichnet, die jahrelang nicht miteinander sprachen.\n",
        "Chinese": "该条约于1979年由两个多年没有来往的国家签署，目的是结束边界争端。\n",
    }.items():
        path = folder / "text"
        path.write_bytes(line.encode() * (100_000_000 // len(line.encode())))
        start = time.perf_counter()
        lines = sum(map(len, read_lines(path, CHUNK)))
        seconds = time.perf_counter() - start
        print(
            f" read_lines {name:<23}{path.stat().st_size / seconds / 1e6:8.0f} MB/s ({lines / seconds / 1e6:.1f} M lines/s)"
        )


if __name__ == "__main__":
    with tempfile.TemporaryDirectory() as where:
        store(Path(where) / "store", int(sys.argv[1]) if len(sys.argv) > 1 else 100_000)
        spool(Path(where) / "spool")
        reading(Path(where))
