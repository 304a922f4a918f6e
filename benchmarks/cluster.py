"""Simulation of a billion rows on 64 nodes, from measured costs: when driver, listing and reduction become the bottleneck.

    python benchmarks/cluster.py                            # measure, simulate, print
    python benchmarks/cluster.py --figure cluster.png       # and draw it

These are measured with the code of a run: listing and splitting the shards, the driver's work per task, combining the records,
and (if Ray is installed) the path of a task to a Ray worker and back. The workers are simulated: nodes of unequal speed, tasks
that take several times as long, nodes that fail and return, and an object store with latency.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

sys.path[:0] = [str(Path(__file__).resolve().parents[1])]

from assay.corpus.job import Job, Shard, ShardOutcome, ShardTask, Source  # noqa: E402

PAGE = 1000
"""Objects per reply when a store is listed."""


@dataclass(frozen=True)
class Costs:
    """Costs in seconds: listing a shard, the driver per task, a task's path through Ray, a record at the end."""

    listing: float
    driver: float
    broker: float
    reduction: float


@dataclass(frozen=True)
class Setting:
    """Parameters of the simulation."""

    rows: float = 1e9
    shard: float = 250_000
    """Rows in a shard."""
    nodes: int = 64
    cores: int = 32
    """Cores of a node, with one worker each."""
    rate: float = 20_000
    """Rows per second and core: chrF, the fastest to score and therefore the hardest for the driver."""
    row_bytes: float = 300
    latency: float = 0.2
    """Seconds before an object store begins to reply."""
    bandwidth: float = 1.2e9
    """Bytes per second between a node and the store, shared by its workers."""
    fails: float = 24 * 3600
    """Mean time between failures of a node in seconds, deliberately short."""
    repair: float = 300
    stragglers: float = 0.01
    """The share of tasks that take `slowdown` times as long."""
    slowdown: float = 5.0


class EmptyEngine:
    """Engine that returns every task at once: the first as processed, the others with its record. The rest is the driver's
    time.
    """

    slots, threads = 64, 1

    def __init__(self, *, workers: int | None, neural: bool) -> None:
        self._tasks: list[ShardTask] = []
        self._first: ShardOutcome | None = None

    def start(self, job: Job) -> None:
        self._job = job

    def submit(self, task: ShardTask) -> None:
        self._tasks.append(task)

    def wait(self, seconds: float) -> list[ShardOutcome]:
        from assay.corpus.execution import attempt
        from assay.corpus.records import shard_key

        found, self._tasks = self._tasks, []
        if self._first is None:
            self._first = attempt(self._job, found[0])
        record = self._first.record
        assert record is not None
        return [ShardOutcome(task, record=replace(record, key=shard_key(self._job, task))) for task in found]

    def close(self) -> None:
        pass


@contextmanager
def timed(owner: Any, name: str, into: dict[str, float]) -> Iterator[None]:
    """Add up the seconds that a function takes within this context."""
    known = getattr(owner, name)

    def measured(*args: Any, **options: Any) -> Any:
        started = time.perf_counter()
        try:
            return known(*args, **options)
        finally:
            into[name] = into.get(name, 0.0) + time.perf_counter() - started

    setattr(owner, name, measured)
    try:
        yield
    finally:
        setattr(owner, name, known)


def measure(shards: int, *, with_ray: bool = True) -> Costs:
    """Return the costs for a number of shards, with the code of a run."""
    from assay.corpus import discovery, splitting
    from assay.corpus.engines import ENGINES
    from assay.corpus.manifest import CorpusManifest
    from assay.verbs.score import score

    ENGINES["empty"] = "benchmarks.cluster:EmptyEngine"
    took: dict[str, float] = {}
    with tempfile.TemporaryDirectory(prefix="assay-cluster-") as place:
        source = Path(place) / "in"
        source.mkdir()
        for number in range(shards):
            (source / f"part-{number:07}.jsonl").write_text(
                '{"src": "the house", "mt": "das Haus", "ref": "ein Haus"}\n'
            )
        with (
            timed(discovery, "table_shards", took),
            timed(splitting, "split", took),
            timed(CorpusManifest, "write", took),
        ):
            started = time.perf_counter()
            score(data=source, out=Path(place) / "out", metrics=["chrf"], engine="empty")
            whole = time.perf_counter() - started
    listing = took["table_shards"] + took["split"]
    broker = ray_seconds(min(shards, 2000)) if with_ray and find_spec("ray") else 0.0
    return Costs(listing / shards, (whole - listing - took["write"]) / shards, broker, took["write"] / shards)


def ray_seconds(tasks: int) -> float:
    """Return the seconds between two tasks that return from two Ray workers, which do nothing (they do not see the results)."""
    from assay._version import __version__
    from assay.corpus.engines.ray import RayEngine

    engine, left = RayEngine(workers=2, neural=False), tasks
    try:
        engine.start(Job("/nowhere/at/all", ("chrf",), {}, __version__))
        shard = Shard("part.jsonl", "jsonl", (Source("part.jsonl", 1, ""),))
        back = under_way = 0
        started = 0.0
        while back < tasks:
            while left and under_way < engine.slots:
                engine.submit(ShardTask("shard", shard))
                left, under_way = left - 1, under_way + 1
            came = len(engine.wait(30))
            back, under_way = back + came, under_way - came
            started = started or time.perf_counter()  # wait for the workers
        return (time.perf_counter() - started) / tasks
    finally:
        engine.close()


def simulate(setting: Setting, costs: Costs, seed: int = 1) -> dict[str, float]:
    """Return the seconds of a run and of its parts, and the number of lost tasks."""
    rng = random.Random(seed)
    tasks = max(1, round(setting.rows / setting.shard))
    rows = setting.rows / tasks
    listing = tasks * costs.listing + -(-tasks // PAGE) * setting.latency
    pace = [rng.lognormvariate(0, 0.1) for _ in range(setting.nodes)]
    fails_at = [rng.expovariate(1 / setting.fails) for _ in range(setting.nodes)]
    moved = 2 * rows * setting.row_bytes / (setting.bandwidth / setting.cores) + 2 * setting.latency
    plain = rows / setting.rate
    once = costs.driver + costs.broker
    idle = [(listing, node) for node in range(setting.nodes) for _ in range(setting.cores)]
    heapq.heapify(idle)
    left, free_at, busy, last, lost, ideal = tasks, listing, 0.0, listing, 0, 0.0
    while left:
        ready, node = heapq.heappop(idle)
        start = max(ready, free_at)  # one driver hands out tasks one by one
        free_at = start + once
        busy += once
        seconds = plain * pace[node] * (setting.slowdown if rng.random() < setting.stragglers else 1.0) + moved
        end = free_at + seconds
        while fails_at[node] < free_at:
            fails_at[node] += rng.expovariate(1 / setting.fails)
        if fails_at[node] < end:  # the task is lost, and another worker repeats it
            lost += 1
            heapq.heappush(idle, (fails_at[node] + setting.repair, node))
            continue
        left -= 1
        ideal += seconds
        last = max(last, end)
        heapq.heappush(idle, (end, node))
    reduction = tasks * costs.reduction
    return {
        "tasks": tasks, "listing": listing, "work": last - listing, "driver": busy, "reduction": reduction, "lost": lost,
        "whole": last + reduction, "perfect": ideal / (setting.nodes * setting.cores),
    }  # fmt: skip


def swept(setting: Setting, costs: Costs, rows: list[float], shards: list[float]) -> dict[str, list[dict[str, float]]]:
    """Simulate by the size of the corpus, and by the size of a shard."""
    return {
        "rows": [{"at": n, **simulate(replace(setting, rows=n), costs)} for n in rows],
        "shard": [{"at": n, **simulate(replace(setting, shard=n), costs)} for n in shards],
    }


def told(point: dict[str, float]) -> str:
    """Describe a point in words."""
    return (
        f"{point['tasks']:,.0f} shards, {point['whole']:,.0f} s in all; workers {point['work']:,.0f}, driver busy "
        f"{point['driver']:,.1f}, listing {point['listing']:,.1f}, reduction {point['reduction']:,.1f}; {point['lost']:,.0f} tasks "
        f"lost with their nodes; {point['perfect'] / point['whole']:.0%} of the cores' time used"
    )


def draw(found: dict[str, list[dict[str, float]]], setting: Setting, path: str) -> None:
    """Draw both simulations next to each other."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4.2))
    axes = figure.subplots(1, 2, sharey=True)
    sides = ((axes[0], "rows", "rows of the corpus"), (axes[1], "shard", "rows in a shard"))
    for side, name, label in sides:
        at = [point["at"] for point in found[name]]
        for part, said, style in (
            ("whole", "the whole run", "k-o"), ("work", "workers", "C0-"), ("driver", "driver, busy", "C3--"),
            ("listing", "listing", "C2-."), ("reduction", "reduction", "C1:"),
        ):  # fmt: skip
            side.loglog(at, [point[part] for point in found[name]], style, label=said, markersize=4)
        side.set_xlabel(label)
        side.grid(alpha=0.3)
    axes[0].axvline(1e9, color="0.6", linewidth=1)
    axes[0].set_ylabel("seconds")
    axes[0].set_title(f"shards of {setting.shard:,.0f} rows")
    axes[1].set_title(f"{setting.rows:,.0f} rows")
    axes[0].legend(fontsize=8)
    figure.suptitle(f"{setting.nodes} nodes of {setting.cores} cores, {setting.rate:,.0f} rows/s a core (simulated)")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main() -> None:
    """Measure, simulate, print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--shards", type=int, default=5000, help="number of shards for measuring costs")
    parser.add_argument("--costs", help="use these costs: JSON of listing, driver, broker, reduction in seconds")
    parser.add_argument("--no-ray", action="store_true", help="do not start Ray to measure it")
    parser.add_argument("--most", type=float, default=1e10, help="rows of the largest corpus")
    parser.add_argument("--figure", metavar="FILE")
    args = parser.parse_args()
    costs = Costs(**json.loads(args.costs)) if args.costs else measure(args.shards, with_ray=not args.no_ray)
    print(
        f"measured: listing {costs.listing * 1e3:.3f} ms per shard, driver {costs.driver * 1e3:.3f} ms per task, "
        f"Ray {costs.broker * 1e3:.3f} ms per task, reduction {costs.reduction * 1e3:.3f} ms per shard"
    )
    setting = Setting(rows=min(1e9, args.most))
    rows = [n for n in (1e6, 1e7, 1e8, 1e9, 3e9, 1e10) if n <= args.most]
    found = swept(setting, costs, rows, [n for n in (1e3, 1e4, 5e4, 2.5e5, 1e6, 5e6) if setting.rows / n <= 1e6])
    for name, points in found.items():
        for point in points:
            print(f"{name} {point['at']:,.0f}: {told(point)}")
    if args.figure:
        draw(found, setting, args.figure)


if __name__ == "__main__":
    main()
