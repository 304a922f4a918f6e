"""Benchmark: WMT23's ten tasks and PERM-BOTH, compared with mt-metrics-eval in one run, without loading.

    python benchmarks/meta.py PATH_TO_A_CHECKOUT_OF_MT_METRICS_EVAL [PATH TO THE SHARED DATA]

The peer (github.com/google-research/mt-metrics-eval) runs its task set WMT23 with k = 0; Apache Beam, which is not needed, is
replaced by a stub. PERM-BOTH: segment-level Pearson of two metrics in the peer, `DRAWS` draws without early stopping; in assay
all 496 pairs of the 32 metrics with 1,000 draws, divided by pairs and draws.
"""

from __future__ import annotations

import sys
import tempfile
import time
import types
from pathlib import Path
from typing import Any

import numpy as np
import scipy.stats

from assay.analyses.meta.recipes import task_set
from assay.analyses.meta.tasks import gather, run_tasks
from assay.stats.groups import group
from assay.stats.permutation import permutation_matrix
from assay.suites.wmt import facts, judged_systems, pair_facts, read_pairs

PAIRS = ("en-de", "he-en", "zh-en")
DRAWS = 50


def main() -> None:
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    shared = Path(sys.argv[2]) if len(sys.argv) > 2 else Path(__file__).resolve().parents[2] / "shared"
    official = facts("wmt23")
    trees = read_pairs(shared / "data" / "wmt23", PAIRS)
    sets = {pair: judged_systems(tree, pair_facts(tree, official), official.primary) for pair, tree in trees.items()}
    tasks = task_set(official.recipe, sets)
    run_tasks(tasks, sets)
    started = time.perf_counter()
    results = run_tasks(tasks, sets)
    ours = time.perf_counter() - started

    peer = load_peer(Path(sys.argv[1]))
    with tempfile.TemporaryDirectory() as folder:
        for tree in trees.values():
            for name in tree.files.content:
                target = Path(folder) / "wmt23" / name
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(tree.files.read(name))
        theirs_sets = {("wmt23", pair): peer.data.EvalSet("wmt23", pair, True, path=folder) for pair in PAIRS}
    their_tasks, _ = peer.tasks.WMT23(k=0)
    started = time.perf_counter()
    their_results = [task.Run(theirs_sets) for task in their_tasks]
    theirs = time.perf_counter() - started
    off = max(
        abs(value - their.Corr(next(m for m in their.metrics if m.removesuffix("[noref]") == name)))
        for mine, their in zip(results, their_results, strict=True)
        for name, value in zip(mine.names, mine.values.tolist(), strict=True)
    )
    print(
        f"ten tasks: mt-metrics-eval {theirs:.1f} s, assay {ours:.3f} s, {theirs / ours:.0f}x (values differ by {off:.0e})"
    )
    for task in (task for task in tasks.tasks if task.level == "seg" and task.statistic == "pearson"):
        permutations(task, sets, theirs_sets, peer)


def load_peer(checkout: Path) -> Any:
    sys.path.insert(0, str(checkout))
    sys.modules.setdefault("apache_beam", types.ModuleType("apache_beam"))
    if "dacite" not in sys.modules:
        try:
            import dacite  # noqa: F401
        except ImportError:
            sys.modules["dacite"] = types.ModuleType("dacite")
    from mt_metrics_eval import data, stats, tasks  # type: ignore[import-not-found]

    return types.SimpleNamespace(data=data, stats=stats, tasks=tasks)


def permutations(task: Any, sets: Any, theirs_sets: Any, peer: Any) -> None:
    data = gather(task, sets)
    started = time.perf_counter()
    permutation_matrix(group(data.gold[0]), data.metrics[0], rng=np.random.default_rng(1), draws=1000)
    pairs = len(data.names) * (len(data.names) - 1) // 2
    ours = (time.perf_counter() - started) / pairs / 1000
    tree = theirs_sets["wmt23", task.langpair]
    corrs = peer.data.GetCorrelations(
        tree, "seg", {tree.std_ref}, set(), task.human, False, "mqm", True, metric_format="spreadsheet"
    )
    first, second = corrs["COMET"], corrs["chrF"]
    never = peer.stats.PermutationSigDiffParams(DRAWS + 1, 0, 1)
    started = time.perf_counter()
    peer.stats.PermutationSigDiff(second, first, scipy.stats.pearsonr, "none", DRAWS, never)
    theirs = (time.perf_counter() - started) / DRAWS
    print(
        f"PERM-BOTH {task.langpair}, one draw for one pair: mt-metrics-eval {1e6 * theirs:.0f} µs, "
        f"assay {1e6 * ours:.2f} µs, {theirs / ours:.0f}x"
    )


if __name__ == "__main__":
    main()
